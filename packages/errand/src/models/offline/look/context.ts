import { firstLine } from '../../../base/text.ts';
import { readsAsClaim } from '../tell/citation.ts';
import { definedBy, isComment, isHeading } from './lines.ts';
import type { Line, Observed } from './observed.ts';
import { classOf } from './path-class.ts';

const LONGEST_QUOTED_COMMENT = 160;

/** What stands around a line, as far as it was seen. */

/** The nearest definition or heading above that the line belongs to. */
export function enclosing(observed: Observed, place: Line): (Line & { readonly name: string }) | null {
  const lines = observed.seen.get(place.path);
  if (!lines) return null;
  const docs = classOf(place.path) === 'docs';
  let indent = indentOf(place.text);
  for (let line = place.line - 1; line > 0; line--) {
    const text = lines.get(line);
    if (text === undefined) return null;
    if (docs) {
      if (isHeading(text)) return { path: place.path, line, text, name: text.replace(/^#+\s+/u, '').trim() };
      continue;
    }
    // `): Result {` ends the parameters of what is looked for.
    if (text.trim() === '' || indentOf(text) >= indent || isComment(text) || /^\s*[)\]]/u.test(text)) continue;
    indent = indentOf(text);
    const defined = definedBy(text);
    if (defined && defined.grade >= 1.5 && !/^\s*(?:if|for|while|switch|else|try|catch|with)\b/u.test(text))
      return { path: place.path, line, text, name: defined.name };
    if (indent === 0) return null;
  }
  return null;
}

/** The comment right above a definition, or the docstring right below it: its lines, first to last. */
function commentOf(observed: Observed, place: Line): Line[] {
  const lines = observed.seen.get(place.path);
  if (!lines) return [];
  const found: Line[] = [];
  for (let line = place.line - 1; line > 0; line--) {
    const text = lines.get(line);
    // Some leave a line empty between a comment block and what it is about.
    if (text?.trim() === '' && line === place.line - 1 && /\*\/\s*$/u.test(lines.get(line - 1) ?? '')) continue;
    if (text === undefined || !(isComment(text) || /^\s*(?:@|#\[|\[)/u.test(text))) break;
    if (isComment(text)) found.unshift({ path: place.path, line, text });
  }
  if (found.length > 0) return found;
  const below = lines.get(place.line + 1);
  return below !== undefined && /^\s*(?:"""|''')/u.test(below)
    ? [{ path: place.path, line: place.line + 1, text: below }]
    : [];
}

/** What the comment of a definition says, as a sentence of a summary, and the lines it stands on; empty where it has none. */
export function commentSentence(
  observed: Observed,
  place: Line,
): { readonly text: string; readonly lines: readonly Line[] } {
  const told = observed.told?.get(`${place.path}:${place.line}`);
  if (told) return { text: told.comment, lines: [] };
  const { lines, sentence } = proseOf(commentOf(observed, place));
  if (sentence === '' || readsAsClaim(sentence)) return { text: '', lines };
  const short = firstLine(sentence, LONGEST_QUOTED_COMMENT);
  return {
    text: ` Its comment says: “${short}${short.length < sentence.length ? '…' : ''}”`,
    lines: lines.slice(0, 2),
  };
}

/** The lines of a comment that say something, and its first sentence without the marks. */
function proseOf(comment: readonly Line[]): { readonly lines: readonly Line[]; readonly sentence: string } {
  const bare = comment
    .map((line) => ({ line, text: bareComment(line.text) }))
    .filter(
      ({ text }) => /\p{L}{2}/u.test(text) && !/^@|^(?:biome|eslint|ts|prettier|istanbul|noqa|type):?-/u.test(text),
    );
  const joined = bare.map(({ text }) => text).join(' ');
  const end = joined.search(/[.!?](?:\s|$)/u);
  return { lines: bare.map(({ line }) => line), sentence: (end < 0 ? joined : joined.slice(0, end + 1)).trim() };
}

function bareComment(text: string): string {
  return text
    .trim()
    .replace(/^(?:\/\*+|\*+\/?|\/\/+!?|#+!?|--+|;+|<!--|"""|''')\s*/u, '')
    .replace(/\s*(?:\*+\/|-->|"""|''')$/u, '')
    .trim();
}

/** The condition that leads to a line: the nearest line above that is indented less and decides something. */
export function guardOf(observed: Observed, place: Line): Line | null {
  const lines = observed.seen.get(place.path);
  if (!lines) return null;
  const decides = /\b(?:if|unless|when|case|catch|except|else|elif|match|switch)\b|\?/u;
  if (/^\s*(?:if|case|elif|when|unless)\b/u.test(place.text)) return null;
  for (let line = place.line - 1; line >= place.line - 12; line--) {
    const text = lines.get(line);
    if (text === undefined) return null;
    if (text.trim() === '' || indentOf(text) >= indentOf(place.text)) continue;
    return decides.test(text) ? { path: place.path, line, text } : null;
  }
  return null;
}

/** The lines below a definition that belong to it, blank ones and comments left out. */
export function bodyOf(observed: Observed, place: Line, most: number): Line[] {
  const lines = observed.seen.get(place.path);
  const body: Line[] = [];
  let docstring: string | null = null;
  for (let line = place.line + 1; lines && body.length < most; line++) {
    const text = lines.get(line);
    if (text === undefined) break;
    if (text.trim() === '') continue;
    if (indentOf(text) <= indentOf(place.text)) {
      // The parameters may end at the margin: `): Result {`.
      if (/^\s*[)\]]/u.test(text) && /[{:>(]\s*$/u.test(text)) continue;
      break;
    }
    const quotes = /^\s*[rbu]?("""|''')/u.exec(text)?.[1];
    if (quotes && docstring === null && body.length === 0) {
      docstring = text.split(quotes).length > 2 ? null : quotes;
      continue;
    }
    if (docstring !== null) {
      if (text.includes(docstring)) docstring = null;
      continue;
    }
    if (!isComment(text) && /[\p{L}\p{N}]/u.test(text)) body.push({ path: place.path, line, text });
  }
  return body;
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}
