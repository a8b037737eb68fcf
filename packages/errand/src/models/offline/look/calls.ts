import type { Json, JsonObject } from '../../../base/json.ts';
import { isJsonObject } from '../../../base/json.ts';
import type { ToolDeclaration } from '../../../ports/model.ts';

/** A call that the offline model wants to make. */
export interface Wanted {
  readonly name: string;
  readonly args: JsonObject;
}

/** The tools on offer, by name. */
export type Offer = ReadonlyMap<string, ToolDeclaration>;

export interface SearchFor {
  readonly pattern: string;
  readonly fixed?: boolean;
  readonly wholeWord?: boolean;
  readonly ignoreCase?: boolean;
  readonly path?: string | undefined;
  readonly glob?: string | undefined;
}

export function search(what: SearchFor): Wanted {
  return {
    name: 'search',
    args: defined({
      pattern: what.pattern,
      fixed: what.fixed,
      whole_word: what.wholeWord,
      ignore_case: what.ignoreCase,
      path: what.path,
      glob: what.glob,
    }),
  };
}

export function find(glob: string, path?: string): Wanted {
  return { name: 'find', args: defined({ glob, path }) };
}

export function read(path: string, from: number, to: number): Wanted {
  return { name: 'read', args: { path, from, to } };
}

export function list(path: string): Wanted {
  return { name: 'list', args: { path } };
}

/** The wanted calls that are on offer, without doubles, in the words of the tools: an argument that a tool does not know is left out. */
export function offered(wanted: readonly Wanted[], offer: Offer): Wanted[] {
  const fitting = new Map<string, Wanted>();
  for (const { name, args } of wanted) {
    const tool = offer.get(name);
    if (!tool) continue;
    const known = isJsonObject(tool.parameters.properties) ? tool.parameters.properties : null;
    const kept = Object.fromEntries(
      Object.entries(args).filter(([key]) => known === null || Object.hasOwn(known, key)),
    );
    fitting.set(`${name} ${JSON.stringify(kept)}`, { name, args: kept });
  }
  return [...fitting.values()];
}

function defined(args: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(args).filter((entry): entry is [string, Json] => entry[1] !== undefined && entry[1] !== false),
  );
}
