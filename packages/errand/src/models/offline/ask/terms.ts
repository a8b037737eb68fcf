import { IDIOMS, joinPhrasal, shortForm } from './idioms.ts';
import { isAskingVerb, isStopWord, isWeakWord, stem } from './words.ts';

/**
 * What is looked for. `phrase`: quoted text; `identifier`: a name of code; `file`, `folder`: paths;
 * `idiom`: what code writes for it; `variant`: a name in another spelling; `word`: a rare word of the question; `weak`: a word
 * too common to search for.
 */
export interface Term {
  readonly kind: 'phrase' | 'identifier' | 'file' | 'folder' | 'idiom' | 'variant' | 'word' | 'weak';
  /** As written, or what an idiom stands for. */
  readonly text: string;
  /** Tells whether a line or a path has it. */
  readonly test: RegExp;
  /** The same for ripgrep, without flags. */
  readonly pattern: string;
}

/** A term as a person would write it. */
export function shown(term: Term): string {
  if (term.kind === 'phrase') return `“${term.text}”`;
  return term.kind === 'idiom' ? term.text : `\`${term.text}\``;
}

/** Escapes for ripgrep and JavaScript alike. */
export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/gu, '\\$&');
}

/** A whole name: no letter, digit or underscore beside it. */
export function wholeName(name: string): RegExp {
  return new RegExp(String.raw`(?<![\p{L}\p{N}_])${escapePattern(name)}(?![\p{L}\p{N}_])`, 'u');
}

const EXTENSIONS =
  /\.(?:[cm]?[jt]sx?|json[c5]?|mdx?|py|pyi|rb|rs|go|java|kt|kts|swift|cs?|cc|cpp|cxx|h|hpp|php|sh|bash|zsh|fish|ps1|sql|ya?ml|toml|ini|cfg|conf|xml|html?|s?css|less|vue|svelte|lock|txt|csv|proto|graphql|lua|pl|ex|exs|erl|hs|ml|scala|dart|zig|nix|tf|gradle|env|example)$/iu;
const QUOTED =
  /`([^`\n]+)`|"([^"\n]{1,300})"|“([^”\n]{1,300})”|«([^»\n]{1,300})»|(?<![\p{L}\p{N}])'([^'\n]{1,300})'(?![\p{L}\p{N}])/gu;
/** Nouns after which a plain word is a name of code. */
const NAMING =
  /\b(?:function|method|class|interface|type|struct|enum|trait|constant|variable|macro|hook|symbol|field|property|option|flag|command|called|named)\s+([a-z][\w$]{2,})\b/giu;

/** The terms of a question, the strongest first, without doubles. */
export function termsOf(question: string): Term[] {
  const terms: Term[] = [];
  // What a thing means is said where it is described, not where it is done.
  const idioms = /\bmeans?\b/iu.test(question) ? [] : IDIOMS.filter((idiom) => idiom.words.test(question));
  for (const { label, pattern } of idioms)
    terms.push({ kind: 'idiom', text: label, pattern, test: new RegExp(pattern, 'u') });
  const said = idioms.map((idiom) => idiom.words.exec(question)?.[0] ?? '').join(' ');
  const rest = joinPhrasal(question).replace(QUOTED, (_whole, ...groups: (string | undefined)[]) => {
    const text =
      groups
        .slice(0, 5)
        .find((group) => group !== undefined)
        ?.trim() ?? '';
    if (text !== '') terms.push(...quotedTerms(text));
    return ' \u0000 ';
  });
  const named = new Set([...rest.matchAll(NAMING)].map((match) => match[1] ?? '').filter((name) => !isUsual(name)));
  let first = true;
  for (const raw of rest.split(/\s+/u)) {
    const token = raw.replace(/^[\s([{<"'“”‘’«»,;:!?¿¡*]+|[\s)\]}>"'“”‘’«»,;:!?*…]+$/gu, '').replace(/\.+$/u, '');
    if (token !== '' && token !== '\u0000') terms.push(...tokenTerms(token, { first, named, question }));
    if (token !== '') first = /[.!?:]$/u.test(raw);
  }
  const words = new Set(said.split(/\s+/u));
  return withoutDoubles(terms.filter((term) => term.kind === 'idiom' || !words.has(term.text)));
}

function quotedTerms(text: string): Term[] {
  const bare = text.replace(/\(\)$/u, '');
  if (/^[\w./@-]+$/u.test(bare) && EXTENSIONS.test(bare)) return [fileTerm(bare)];
  if (/^[\w.@-]+(?:\/[\w.@-]+)*\/$/u.test(bare)) return [folderTerm(bare)];
  if (/^[\p{L}\p{N}_$@#.:>-]+$/u.test(bare)) return [identifierTerm(bare)];
  return [text, ...piecesOf(text)].map(phraseTerm);
}

function phraseTerm(text: string): Term {
  return { kind: 'phrase', text, pattern: escapePattern(text), test: new RegExp(escapePattern(text), 'u') };
}

/** The fixed parts of a message that was put together: numbers, quotations, paths and names in it differ from time to time. */
function piecesOf(phrase: string): string[] {
  return phrase
    .split(/\d+|["'`“”«»<>{}$]+[^"'`“”«»<>{}$]*["'`“”«»<>{}$]+|\S*[/\\]\S*|: /u)
    .map((piece) => piece.trim())
    .filter((piece) => piece.length >= 8 && piece !== phrase)
    .sort((a, b) => b.length - a.length)
    .slice(0, 2);
}

/** The names of a list in other spellings: settle_order for settleOrder. */
export function variantsOf(terms: readonly Term[]): Term[] {
  return terms.flatMap((term): Term[] => {
    const parts = term.kind === 'identifier' || term.kind === 'file' ? partsOfName(term.text) : [];
    if (parts.length < 2 && !/\p{L}{4}/u.test(parts[0] ?? '')) return [];
    const pattern = parts.map(escapePattern).join('[-_. ]?');
    return [{ kind: 'variant', text: term.text, pattern, test: new RegExp(pattern, 'iu') }];
  });
}

/** The words of a name, of a file name without its extension. */
export function partsOfName(name: string): string[] {
  const bare = EXTENSIONS.test(name) ? name.slice(name.lastIndexOf('/') + 1).replace(/\.\w+$/u, '') : name;
  return bare.split(/[^\p{L}\p{N}]+|(?<=\p{Ll})(?=\p{Lu})/u).filter((part) => part !== '');
}

interface TokenContext {
  /** At the beginning of a sentence, where a capital means nothing. */
  readonly first: boolean;
  /** Plain words that the question calls a function, a class and so on. */
  readonly named: ReadonlySet<string>;
  readonly question: string;
}

function tokenTerms(token: string, context: TokenContext): Term[] {
  const bare = token.replace(/\(.*$/u, '').replace(/['’]s$/u, '');
  if (/^https?:/iu.test(token))
    return [
      { kind: 'phrase', text: token, pattern: escapePattern(token), test: new RegExp(escapePattern(token), 'u') },
    ];
  if (bare.includes('/')) return pathTerms(bare, context.question);
  if (EXTENSIONS.test(bare) && /^[\w.@-]*[\w-]\.\w+$/u.test(bare)) return [fileTerm(bare)];
  if (bare !== token.replace(/['’]s$/u, '') && /^[\p{L}_$][\p{L}\p{N}_$.]*$/u.test(bare)) return [identifierTerm(bare)];
  if (isCodeName(bare) || context.named.has(bare)) return [identifierTerm(bare)];
  if (!context.first && /^\p{Lu}\p{Ll}{2,}$/u.test(bare) && !isStopWord(bare)) return [identifierTerm(bare)];
  if (/^\p{L}+(?:-\p{L}+)+$/u.test(bare)) return [compoundTerm(bare)];
  if (!/^[\p{L}\p{N}_]{2,}$/u.test(bare) || isStopWord(bare) || isAskingVerb(bare) || /^\d+$/u.test(bare)) return [];
  return [wordTerm(bare)];
}

/** Whether a bare token is written as only code is: humps, underscores, dots, digits within, flags. */
function isCodeName(token: string): boolean {
  if (/^--?[A-Za-z][\w-]*$/u.test(token) || /^[$@#][\p{L}_][\w-]*$/u.test(token)) return true;
  if (!/^[\p{L}_$][\p{L}\p{N}_$]*(?:(?:\.|::|->|#|-)[\p{L}\p{N}_$]+)*$/u.test(token)) return false;
  if (/\p{Ll}\p{Lu}|_/u.test(token)) return true;
  if (/\.|::|->|#/u.test(token)) return !/^(?:e\.g|i\.e|a\.k\.a|etc)\.?$/iu.test(token);
  return /\p{L}\d|\p{L}-\d/u.test(token);
}

export function identifierTerm(text: string): Term {
  const { source } = wholeName(text);
  return { kind: 'identifier', text, pattern: escapePattern(text), test: new RegExp(source, 'u') };
}

function fileTerm(text: string): Term {
  const path = text.replace(/^(?:\.\/)+|^\/+/u, '');
  return { kind: 'file', text: path, pattern: escapePattern(path), test: new RegExp(escapePattern(path), 'u') };
}

function folderTerm(text: string): Term {
  const path = text.replace(/^(?:\.\/)+|^\/+|\/+$/gu, '');
  return {
    kind: 'folder',
    text: path,
    pattern: escapePattern(path),
    test: new RegExp(`(?:^|/)${escapePattern(path)}(?:/|$)`, 'u'),
  };
}

/** `src/a.ts` is a file, `in src/tools` a folder, `input/output` two words. */
function pathTerms(token: string, question: string): Term[] {
  if (EXTENSIONS.test(token)) return [fileTerm(token)];
  if (token.startsWith('@')) return [identifierTerm(token)];
  const after = new RegExp(
    String.raw`\b(?:in|under|inside|below|within|of|folder|directory|package|from)\s+(?:the\s+)?${escapePattern(token)}`,
    'iu',
  );
  if (/^\.{0,2}\/|\/$/u.test(token) || token.split('/').length > 2 || after.test(question)) return [folderTerm(token)];
  return token
    .split('/')
    .flatMap((part) => (part.length > 1 && !isStopWord(part) && !isAskingVerb(part) ? [wordTerm(part)] : []));
}

/** read-only: also readOnly, read_only, "read only". */
function compoundTerm(text: string): Term {
  const pattern = text.split('-').map(escapePattern).join('[-_ ]?');
  return { kind: 'word', text, pattern, test: new RegExp(pattern, 'iu') };
}

export function wordTerm(word: string): Term {
  const kind = isWeakWord(word) ? 'weak' : 'word';
  const short = shortForm(word);
  if (short !== null) return { kind, text: word, pattern: `(?:${short})`, test: new RegExp(short, 'iu') };
  const { text, next } = stem(word);
  const pattern = (text.length < 4 ? String.raw`\b` : '') + escapePattern(text) + next;
  // The letter after the stem comes in capitals too: RETRIES.
  return { kind, text: word, pattern, test: new RegExp(partStart(text) + bothCases(next), 'u') };
}

function bothCases(pattern: string): string {
  return pattern.replace(/[a-z]+/u, (letters) => letters + letters.toUpperCase());
}

/** Fits where a word begins, in any case, and where a part of a name does: "text" in `helpText` and `TEXT_END`, not in `context`. */
function partStart(text: string): string {
  const anyCase = [...text].map((letter) =>
    /^\p{L}$/u.test(letter) ? `[${letter.toLowerCase()}${letter.toUpperCase()}]` : escapePattern(letter),
  );
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return String.raw`(?:(?<!\p{L})${anyCase.join('')}|(?<=\p{L})${escapePattern(capital)})`;
}

/** A word of every question or of every code base, which is no name by itself. */
function isUsual(word: string): boolean {
  return isStopWord(word) || isWeakWord(word) || isAskingVerb(word);
}

const ORDER: readonly Term['kind'][] = ['phrase', 'identifier', 'file', 'folder', 'idiom', 'variant', 'word', 'weak'];

function withoutDoubles(terms: readonly Term[]): Term[] {
  const byPattern = new Map<string, Term>();
  for (const term of [...terms].sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind))) {
    const key = term.kind === 'word' || term.kind === 'weak' ? term.pattern.toLowerCase() : term.pattern;
    if (!byPattern.has(key)) byPattern.set(key, term);
  }
  return [...byPattern.values()];
}
