/** Words that other languages have in most sentences, and English in hardly any. */
const OTHERS: readonly ReadonlySet<string>[] = [
  'der die das den dem des ein eine einen einer wo wie wer wird werden wurde ist sind nicht und oder welche welcher welches warum wann im beim zum zur von vom mit auf für über gibt es ich du wir sie bitte kann man diese dieser dieses zeige finde suche erkläre',
  'le la les un une des du de est sont où ou et qui que quoi quel quelle quels quelles comment pourquoi quand dans sur avec pour par ce cette ces il elle nous vous je pas ne au aux se fait cherche trouve explique',
  'el la los las un una unos unas del de es son está están dónde donde cómo como qué que quién cuál cuáles cuándo por para con en y o se no lo al hay este esta estos busca encuentra explica',
  'il lo la gli le un una uno del della dei delle di è sono dove come che chi quale quali quando perché per con in nel nella e o si non questo questa cerca trova spiega viene vengono',
  'o os as um uma do da dos das de é são onde como que quem qual quais quando por para com em no na e ou se não este esta isso procure encontre explique',
  'de het een en of is zijn waar hoe wie wat welke wanneer waarom wordt worden niet van voor met op in naar dit dat deze die er ik je wij zoek vind leg',
  'gdzie jak jest są w na z do i lub nie co kto który która które kiedy dlaczego przez dla się to ten ta',
  'var hur är och eller inte vad vem vilken vilka när varför den det en ett på i med för av som hvor hvordan er og ikke hvad hvem hvilken når på',
].map((words) => new Set(words.split(' ')));
const ENGLISH = new Set(
  'the a an is are was were be of to in on for with by from and or not what which who where when why how does do did it its that this these those there all any find show list tell me please can you'.split(
    ' ',
  ),
);

/** Whether a text is written in another language than English, as far as its small words or its letters show. */
export function isForeign(text: string): boolean {
  const prose = text.replace(/`[^`]*`|"[^"]*"|“[^”]*”/gu, ' ');
  const words = (prose.match(/\p{L}+/gu) ?? []).filter((word) => !/\p{Ll}\p{Lu}/u.test(word));
  if (words.length === 0) return false;
  const other = words.filter((word) => /[^\p{Script=Latin}]/u.test(word)).length;
  if (other > words.length / 2) return true;
  const lower = words.map((word) => word.toLowerCase());
  const english = lower.filter((word) => ENGLISH.has(word)).length;
  const most = Math.max(...OTHERS.map((set) => lower.filter((word) => set.has(word)).length));
  return most >= 2 && most > english;
}
