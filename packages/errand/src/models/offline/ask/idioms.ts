/** Short forms that code uses for long words: a pattern that fits both. */
const SHORT_FORMS: readonly { readonly word: RegExp; readonly pattern: string }[] = [
  { word: /^configur/u, pattern: 'config' },
  { word: /^authenticat/u, pattern: String.raw`auth(?:entic|n\b|\b|_)` },
  { word: /^authori[sz]/u, pattern: String.raw`auth(?:ori[sz]|z\b|\b|_)` },
  { word: /^environment/u, pattern: String.raw`env(?:ironment|s?\b|_)` },
  { word: /^arguments?$/u, pattern: String.raw`arg(?:ument|v|s?\b|s?_)` },
  { word: /^parameter/u, pattern: 'param' },
  { word: /^director/u, pattern: String.raw`dir(?:ector|name|s?\b|s?_)` },
  { word: /^databases?$/u, pattern: String.raw`database|\bdb\b|db_` },
  { word: /^initiali[sz]/u, pattern: String.raw`initiali[sz]|\binit` },
  { word: /^execut/u, pattern: 'exec' },
  { word: /^messages?$/u, pattern: 'message|msg' },
  { word: /^commands?$/u, pattern: 'command|cmd' },
  { word: /^maximum/u, pattern: 'max' },
  { word: /^minimum/u, pattern: 'min(?:imum|_|[A-Z])' },
  { word: /^temporar/u, pattern: 'temp|tmp' },
  { word: /^synchron/u, pattern: 'sync' },
  { word: /^asynchron/u, pattern: 'async' },
  { word: /^specification/u, pattern: 'spec' },
  { word: /^administrat/u, pattern: 'admin' },
  { word: /^statistic/u, pattern: String.raw`statistic|\bstats?\b|stats_` },
];

export function shortForm(word: string): string | null {
  return SHORT_FORMS.find((form) => form.word.test(word.toLowerCase()))?.pattern ?? null;
}

/** Verbs with a particle, which code writes as one word: "times out" is `timeout`. */
const PHRASAL =
  /\b(time|log|sign|set|shut|clean|fall|roll|back|look|start|call|check|lock|opt|warm|tear|hand|drop|pop|kick|break|plug)(?:s|d|es|ed|ing|ged|ging|ned|ning|ped|ping|ting)?[ -](?:(out|up|down|back|off|over)\b|(in|on)\b(?=\s*(?:[?.,;:!]|$|(?:and|or|with|via|using|by|again|when|is|are|works?|happens?)\b)))/giu;

/** The question with verbs and particles joined by a hyphen. */
export function joinPhrasal(text: string): string {
  // One of the two groups for the particle is empty.
  return text.replace(PHRASAL, '$1-$2$3');
}

/** Ways in which code says what a question says in words: how the words look, and a pattern that ripgrep and JavaScript read alike. */
export const IDIOMS: readonly { readonly words: RegExp; readonly label: string; readonly pattern: string }[] = [
  {
    words: /\benv(?:ironment)?[ -]?var(?:iable)?s?\b|\benvironment names?\b/iu,
    label: 'reads of the environment',
    pattern: String.raw`process\.env|import\.meta\.env|getenv\(|os\.environ|env::var|ENV\[`,
  },
  {
    words: /\bentry[ -]?points?\b/iu,
    label: 'entry points',
    pattern: String.raw`"(?:main|bin|exports)"\s*:|__name__ == .__main__|func main\(|fn main\(|int main\(|static void main\(`,
  },
  {
    words: /\b(?:command[ -]line|cli)\b.*\b(?:options?|flags?|arguments?|switches)\b/iu,
    label: 'declarations of options',
    pattern: String.raw`\.(?:option|addOption|requiredOption|add_argument)\(|flag\.(?:String|Bool|Int|Duration)\(|#\[arg|click\.option`,
  },
  {
    words: /\b(?:http|rest|api|web)\b.*\b(?:routes?|endpoints?|handlers?)\b/iu,
    label: 'routes',
    pattern: String.raw`\.(?:get|post|put|patch|delete)\(\s*['"\x60]/|@(?:app|router|Get|Post|Put|Delete|Request)\.?\w*\(\s*['"]`,
  },
  {
    words: /\b(?:child|sub) ?process(?:es)?\b/iu,
    label: 'starts of processes',
    pattern: String.raw`child_process|\bspawn(?:Sync)?\(|execFile|subprocess\.|Command::new|exec\.Command`,
  },
  {
    words: /\bexit (?:codes?|status(?:es)?)\b/iu,
    label: 'exit codes',
    pattern: String.raw`process\.exit|exitCode|exit_code|sys\.exit|os\.Exit|process::exit`,
  },
  {
    words: /\b(?:todos?|fixmes?|open tasks)\b/iu,
    label: 'notes of open work',
    pattern: String.raw`\b(?:TODO|FIXME|XXX|HACK)\b`,
  },
  {
    words:
      /\b(?:errors?|exceptions?)\b.*\b(?:thrown|raised|throws?|raises?)\b|\b(?:throws?|raises?)\b.*\b(?:errors?|exceptions?)\b/iu,
    label: 'throws',
    pattern: String.raw`\bthrow new\b|\braise [A-Z]|\bpanic!?\(`,
  },
];
