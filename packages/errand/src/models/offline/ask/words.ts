/** English words that carry no subject of a search. */
const STOP = wordsOf(`
  a about above after again against all almost alone along already also although always am among an and another
  any anybody anyone anything anywhere are around as ask asked asks at away back be became because been before
  behind being below best better between beyond both briefly bring but by can cannot come comes coming could did
  do does doing done down each either else enough especially even ever every everybody everyone everything
  everywhere exactly find finds following for found from full further get gets give given gives go goes going
  got had happen happened happening happens has have having he hello her here hers hey him his how however i if
  important in inside instead into is it its itself just kind know known least less let lets like live lives
  locate long look looking lot made main make makes making many may maybe me mean meaning means might mine more
  most much must my near need needed needs neither never no nobody none nor not nothing now of off often on once
  one ones only onto or other others otherwise our ours out outside over own per perhaps please precisely put
  quite rather really regarding relevant repo respectively right said same say says see seem seen several shall
  she should show shows side since so some somebody somehow someone something somewhere sort stand stands still
  such take taken takes tell than thank thanks that the their theirs them then there these they thing things
  this those though through thus to together too toward towards two under unless until up upon us use used
  useful user's uses using usually various very via want wants was way ways we well went were what whatever when
  whenever where wherever whether which while who whoever whole whom whose why will with within without would
  yes yet you your yours
`);

/** What a question does with its subject: it says what kind of place is meant, and is not looked for. */
const VERBS = wordsOf(`
  call called caller callers calling calls consume consumed consumes contain contained contains deal deals
  declaration declarations declare declared declares define defined defines defining definition definitions
  depend depends describe described describes explain explained explains export exported exports extend extended extends implement
  inherit inherits subclass subclasses
  implementation implementations implemented implementing implements import imported importing imports
  instantiate instantiated instantiates invoke invoked invokes keep keeps kept locate located mention mentioned
  mentions perform performed performs quote read reads reference referenced references responsible store stored
  usage usages
`);

/** Words about code in general: searched for only where a question has little else, but kept as neighbours. */
const WEAK = wordsOf(`
  actual actually app application base behavior behaviour class classes code codebase concept decide decided
  detail details directory document documentation end ends example examples exist exists feature features file
  files first folder folders follow function functions handle handled handles handling identifier interface
  interfaces last line lines list location logic method methods module modules name named names new next number
  object old package packages part parts piece place places point program project report repository result run
  runs runtime search searches set sets source sources start started starts string structure symbol system thing
  tree type types value values variable variables work working works workspace write writes written
`);

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/u));
}

export function isStopWord(word: string): boolean {
  return STOP.has(word.toLowerCase());
}

export function isWeakWord(word: string): boolean {
  return WEAK.has(word.toLowerCase());
}

export function isAskingVerb(word: string): boolean {
  return VERBS.has(word.toLowerCase());
}

/** Nouns that only look inflected. */
const WHOLE = new Set([
  'setting',
  'settings',
  'warning',
  'heading',
  'binding',
  'during',
  'process',
  'access',
  'address',
  'class',
  'status',
  'need',
]);

/**
 * The part of an English word that its inflections share, lower case, and a pattern for the letter that must follow:
 * settled → settl, calls → call, parses → pars[eio], retries → retr[yi].
 */
export function stem(word: string): { readonly text: string; readonly next: string } {
  const lower = word.toLowerCase();
  const singular = lower.endsWith('s') ? lower.slice(0, -1) : lower;
  if (WHOLE.has(lower)) return { text: WHOLE.has(singular) ? singular : lower, next: '' };
  if (!/^[a-z]+$/u.test(lower)) return { text: lower, next: '' };
  for (const ending of ['ingly', 'edly', 'ies', 'ied', 'ing', 'ed', 'es', 's', 'e', 'y']) {
    if (!lower.endsWith(ending) || lower.endsWith('ss') || lower.endsWith('eed')) continue;
    const rest = lower.slice(0, -ending.length);
    const least = ending.length === 1 ? 3 : 4;
    if (rest.length < least || !/[aeiouy]/u.test(rest)) continue;
    if (ending === 'ies' || ending === 'ied' || ending === 'y') return { text: rest, next: '[yi]' };
    if (ending === 'e' || (ending === 'es' && !/(?:s|x|z|ch|sh)$/u.test(rest))) return { text: rest, next: '[eio]' };
    return { text: singleLast(rest), next: '' };
  }
  return { text: lower, next: '' };
}

/** stopp → stop; call and process keep their letters. */
function singleLast(text: string): string {
  return /([bdgkmnprt])\1$/u.test(text) && text.length > 4 ? text.slice(0, -1) : text;
}
