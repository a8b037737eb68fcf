import { isJsonObject, type Json } from '../../base/json.ts';

/** Longer texts are stored beside the event, under their content address. */
export const INLINE_CHARACTERS = 32_768;

export type Path = readonly (string | number)[];

export interface LargeText {
  readonly path: Path;
  readonly text: string;
}

/** The body with every large text replaced by an empty one, and those texts with their places. */
export function detachLargeTexts(body: object): { readonly rest: unknown; readonly texts: readonly LargeText[] } {
  const texts: LargeText[] = [];
  const rest = detach(body, [], texts);
  return { rest, texts };
}

function detach(value: unknown, path: Path, texts: LargeText[]): unknown {
  if (typeof value === 'string') {
    // A lone surrogate has no UTF-8 form; inside JSON it is escaped and comes back.
    if (value.length <= INLINE_CHARACTERS || !value.isWellFormed()) return value;
    texts.push({ path, text: value });
    return '';
  }
  if (Array.isArray(value)) return value.map((item, index) => detach(item, [...path, index], texts));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, detach(item, [...path, key], texts)]));
}

/** Puts a text back in its place; returns whether that place exists. */
export function attachLargeText(body: Json, { path, text }: LargeText): boolean {
  const last = path.at(-1);
  let holder: Json | undefined = body;
  for (const step of path.slice(0, -1)) holder = childOf(holder, step);
  if (last === undefined || childOf(holder, last) !== '') return false;
  (holder as Record<string | number, Json>)[last] = text;
  return true;
}

function childOf(value: Json | undefined, step: string | number): Json | undefined {
  if (Array.isArray(value) && typeof step === 'number') return value[step];
  return isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}
