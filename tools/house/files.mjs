import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../common/root.mjs';
import { parseSource } from '../common/sources.mjs';
import { filesBelow } from '../common/walk.mjs';

export const SRC = 'packages/errand/src';

/** Written by a program: exempt from sizes and names. */
const GENERATED = new Set([`${SRC}/prompts/generated.ts`]);

/** Programs that tests start, and data: they may sleep, hang and look bad on purpose. And the model server we were given. */
const FIXTURE = /\/fixtures\/|^bench\/mock-model\//;

/**
 * @typedef {object} HouseFile
 * @property {string} path relative to the root
 * @property {'src' | 'test' | 'program'} kind what it is: shipped source, a test, or a tool, bench or bin
 * @property {string} room first folder below src; '' at its root and outside of it
 * @property {string} text
 * @property {import('typescript').SourceFile} source
 */

/** Every code file the house has rules for. @returns {HouseFile[]} */
export function houseFiles() {
  return [...filesBelow('packages'), ...['bench', 'examples', 'tools'].flatMap((folder) => filesBelow(folder))]
    .filter((path) => /\.(?:ts|tsx|mts|js|mjs|cjs)$/.test(path) && !GENERATED.has(path) && !FIXTURE.test(path))
    .map((path) => {
      const room = path.startsWith(`${SRC}/`) ? (path.slice(SRC.length + 1).match(/^([^/]+)\//)?.[1] ?? '') : '';
      return {
        path,
        kind: kindOf(path),
        room,
        text: readFileSync(join(ROOT, path), 'utf8'),
        source: parseSource(path),
      };
    });
}

function kindOf(path) {
  if (/\.test\.tsx?$/.test(path) || /^packages\/[^/]+\/test\//.test(path)) return 'test';
  return /^packages\/[^/]+\/src\//.test(path) ? 'src' : 'program';
}

/** Every file with a name of ours, whatever is in it. */
export function namedFiles() {
  const folders = ['packages', 'bench', 'examples', 'tools'];
  return folders.flatMap((folder) => filesBelow(folder)).filter((path) => !GENERATED.has(path) && !FIXTURE.test(path));
}
