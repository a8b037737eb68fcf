/** Spans in which no sentence ends: code, quotes, parentheses. */
const PROTECTED =
  /```[\s\S]*?```|`[^`\n]*`|"[^"\n]{1,300}"|“[^”\n]{1,300}”|«[^»\n]{1,300}»|(?<![\p{L}\p{N}])'[^'\n]{1,300}'(?![\p{L}\p{N}])|\([^()\n]{1,300}\)/gu;
const LIST_ITEM = /^\s*(?:[-*•–]|\(?\d{1,2}[.):]|[a-z][.)]|Q\d*[:.])\s+/u;
const LONGEST_ABBREVIATION = 12;
const ABBREVIATION = /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|resp|incl|esp|fig|no|nos|mr|mrs|ms|dr|st|\p{L})\.$/iu;
const QUESTION_WORD = '(?:where|what|which|who|whose|how|why|when)';
const STARTS_QUESTION = new RegExp(
  `^(?:(?:and|also|then|plus|or|finally|next|lastly|additionally|furthermore)[,\\s]+)*(?:in\\s+)?(?:${QUESTION_WORD}|is|are|do|does|did|can|could|find|list|show|search|locate|tell|name)\\b`,
  'iu',
);
const ASKING_CLAUSE = `(?:${QUESTION_WORD}\\b|(?:tell|show)\\s+(?:me|us)\\s+${QUESTION_WORD}\\b|(?:find|say|check)\\s+(?:out\\s+)?${QUESTION_WORD}\\b)`;
const NEXT_CLAUSE = new RegExp(
  `,?\\s+(?:and|also|plus|then|as well as)\\s+(?:also\\s+|then\\s+|please\\s+|in\\s+)?(?=${ASKING_CLAUSE})`,
  'giu',
);

/** The sentences of a request, one for each list item at least; white space folded. */
export function splitSentences(text: string): string[] {
  return blocksOf(text)
    .flatMap(sentencesOf)
    .map(tidy)
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

/** List items and paragraphs; hard-wrapped lines are joined. */
function blocksOf(text: string): string[] {
  const blocks: string[] = [];
  let open = false;
  for (const line of text.split(/\r?\n/u)) {
    const item = LIST_ITEM.exec(line);
    if (line.trim() === '') open = false;
    else if (item) {
      blocks.push(line.slice(item[0].length));
      open = true;
    } else if (open) blocks.push(`${blocks.pop() ?? ''} ${line.trim()}`);
    else {
      blocks.push(line.trim());
      open = true;
    }
  }
  return blocks;
}

function sentencesOf(block: string): string[] {
  const guarded = guard(block);
  const ends: number[] = [];
  for (const match of guarded.matchAll(/[?!]+["'”’)\]]*(?=\s|$)|[.。;；？](?=\s|$)/gu)) {
    const end = match.index + match[0].length;
    const rest = block.slice(end).trimStart();
    if (endsSentence(match[0], block.slice(Math.max(0, end - LONGEST_ABBREVIATION), end), rest)) ends.push(end);
  }
  return cutAt(block, ends).flatMap(clausesOf);
}

function endsSentence(mark: string, before: string, rest: string): boolean {
  if (rest === '' || /^[?!？。]/u.test(mark)) return true;
  if (/^[;；]/u.test(mark)) return STARTS_QUESTION.test(rest);
  if (ABBREVIATION.test(before)) return false;
  return /^[^\p{Ll}]/u.test(rest) || STARTS_QUESTION.test(rest) || /^(?:also|and|please|then)\b/iu.test(rest);
}

/** "where is A made, and what calls it" holds two questions; "which files make and how" only one. */
function clausesOf(sentence: string): string[] {
  const guarded = guard(sentence);
  const ends: number[] = [];
  for (const match of guarded.matchAll(NEXT_CLAUSE)) {
    const before = sentence.slice(ends.at(-1) ?? 0, match.index);
    const after = sentence.slice(match.index + match[0].length);
    if (before.trim().split(/\s+/u).length > 2 && after.trim().split(/\s+/u).length > 1)
      ends.push(match.index + match[0].length);
  }
  return cutAt(sentence, ends);
}

/** The text with every protected span blanked, of the same length. */
function guard(text: string): string {
  return text.replace(PROTECTED, (span) => '_'.repeat(span.length));
}

function cutAt(text: string, ends: readonly number[]): string[] {
  return [...ends, text.length].map((end, index) => text.slice(ends[index - 1] ?? 0, end));
}

function tidy(sentence: string): string {
  const folded = sentence.replace(/\s+/gu, ' ').trim();
  return folded
    .replace(/^(?:(?:and|also|then|plus|finally|next|lastly|additionally|furthermore)[,\s]+)+/iu, '')
    .replace(/[\s,;]+(?:and|also|then|plus)?[\s,;]*$/iu, '');
}
