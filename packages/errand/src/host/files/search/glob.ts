import { fail, type Result, succeed } from '../../../base/result.ts';

/** Tells whether a path (relative, `/` between folders) fits. */
export type GlobTest = (path: string) => boolean;

const MOST_CHARACTERS = 1_000;
const MOST_ALTERNATIVES = 200;

type Token =
  | { readonly kind: 'any' }
  | { readonly kind: 'star' }
  | { readonly kind: 'one'; readonly fits: (character: string) => boolean };
/** Null stands for `**`: any number of folders. */
type Segment = readonly Token[] | null;

/**
 * Reads a pattern: `*` and `?` within a name, `**` for any number of folders, `[a-z]`, `[!a-z]`, `{one,other}`, and
 * `\` before a character that is meant itself. Without a `/` it is held against the last name of a path alone.
 * A test takes time in the order of pattern times path, whatever the pattern.
 */
export function compileGlob(glob: string): Result<GlobTest, string> {
  if (glob === '') return fail('the pattern is empty');
  if (glob.length > MOST_CHARACTERS) return fail(`the pattern is longer than ${MOST_CHARACTERS} characters`);
  const alternatives = expandBraces(glob.replace(/^(?:\.?\/)+|\/+$/gu, ''));
  if (!alternatives.ok) return alternatives;
  const tests: GlobTest[] = [];
  for (const alternative of alternatives.value) {
    const segments: Segment[] = [];
    for (const text of alternative.split('/').filter((part) => part !== '')) {
      const segment = text === '**' ? succeed(null) : parseSegment(text);
      if (!segment.ok) return segment;
      segments.push(segment.value);
    }
    const nameOnly = segments.length === 1 && !glob.startsWith('/') && !glob.startsWith('./');
    tests.push((path) => {
      const names = nameOnly ? [path.slice(path.lastIndexOf('/') + 1)] : path.split('/');
      return fitsPath(
        segments,
        names.map((name) => [...name]),
      );
    });
  }
  return succeed((path) => tests.some((test) => test(path)));
}

function expandBraces(glob: string): Result<readonly string[], string> {
  const done: string[] = [];
  const pending = [glob];
  for (let text = pending.pop(); text !== undefined; text = pending.pop()) {
    const brace = findBrace(text);
    if (brace === null) done.push(text);
    else if (brace === 'open') return fail('a { is not closed');
    else for (const choice of brace.choices) pending.push(brace.before + choice + brace.after);
    if (pending.length + done.length > MOST_ALTERNATIVES)
      return fail(`it stands for more than ${MOST_ALTERNATIVES} patterns`);
  }
  return succeed(done);
}

interface Brace {
  readonly before: string;
  readonly choices: readonly string[];
  readonly after: string;
}

/** The first `{…}` with what is around it; null: there is none. */
function findBrace(text: string): Brace | 'open' | null {
  let depth = 0;
  let start = 0;
  let from = 0;
  const choices: string[] = [];
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (character === '\\') i += 1;
    else if (character === '{') {
      depth += 1;
      if (depth === 1) {
        start = i;
        from = i + 1;
      }
    } else if (character === ',' && depth === 1) {
      choices.push(text.slice(from, i));
      from = i + 1;
    } else if (character === '}' && depth > 0) {
      depth -= 1;
      if (depth > 0) continue;
      choices.push(text.slice(from, i));
      return { before: text.slice(0, start), choices, after: text.slice(i + 1) };
    }
  }
  return depth > 0 ? 'open' : null;
}

function parseSegment(text: string): Result<Segment, string> {
  const tokens: Token[] = [];
  const characters = [...text];
  for (let i = 0; i < characters.length; i++) {
    const character = characters[i];
    if (character === '*') {
      if (tokens.at(-1)?.kind !== 'star') tokens.push({ kind: 'star' });
    } else if (character === '?') tokens.push({ kind: 'any' });
    else if (character === '[') {
      // A ] that comes first belongs to the class.
      const end = characters.indexOf(']', i + (isNegation(characters[i + 1]) ? 3 : 2));
      if (end === -1) return fail('a [ is not closed');
      tokens.push({ kind: 'one', fits: classOf(characters.slice(i + 1, end)) });
      i = end;
    } else {
      if (character === '\\') i += 1;
      const literal = characters[i] ?? '\\';
      tokens.push({ kind: 'one', fits: (other) => other === literal });
    }
  }
  return succeed(tokens);
}

function isNegation(character: string | undefined): boolean {
  return character === '!' || character === '^';
}

function classOf(characters: readonly string[]): (character: string) => boolean {
  const negated = isNegation(characters[0]);
  const ranges: [first: string, last: string][] = [];
  for (let i = negated ? 1 : 0; i < characters.length; i++) {
    const first = characters[i] ?? '';
    const last = characters[i + 1] === '-' ? characters[i + 2] : undefined;
    ranges.push([first, last ?? first]);
    if (last !== undefined) i += 2;
  }
  return (character) => ranges.some(([first, last]) => character >= first && character <= last) !== negated;
}

/** Which positions of `names` can be reached after each segment, one segment after the other. */
function fitsPath(segments: readonly Segment[], names: readonly (readonly string[])[]): boolean {
  let reached = new Set([0]);
  for (const [index, segment] of segments.entries()) {
    const next = new Set<number>();
    for (const at of reached) {
      if (segment === null) for (let i = at; i <= names.length; i++) next.add(i);
      else if (at < names.length && fitsName(segment, names[at] ?? [])) next.add(at + 1);
    }
    if (next.size === 0) return false;
    // What ends in ** stands for what lies in a folder, not for the folder.
    if (segment === null && index === segments.length - 1) next.delete(Math.min(...reached));
    reached = next;
  }
  return reached.has(names.length);
}

/** The classic walk: at a mismatch the last star takes one character more. */
function fitsName(tokens: readonly Token[], name: readonly string[]): boolean {
  let token = 0;
  let at = 0;
  let star = -1;
  let starAt = 0;
  while (at < name.length) {
    const current = tokens[token];
    if (current?.kind === 'star') {
      star = token++;
      starAt = at;
    } else if (current && (current.kind === 'any' || current.fits(name[at] ?? ''))) {
      token += 1;
      at += 1;
    } else if (star !== -1) {
      token = star + 1;
      at = ++starAt;
    } else return false;
  }
  while (tokens[token]?.kind === 'star') token += 1;
  return token === tokens.length;
}
