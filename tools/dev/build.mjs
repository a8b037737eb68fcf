import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, SCRATCH } from '../common/root.mjs';
import { filesBelow } from '../common/walk.mjs';
import { refreshPrompts } from '../prompts.mjs';
import { exclusively } from './lock.mjs';
import { runScript } from './node.mjs';

const PACKAGE = 'packages/errand';

/** Builds prompts and dist; cheap when nothing changed. Resolves to the compiler's exit code and output. */
export function build(options = {}) {
  return exclusively('build', () => {
    refreshPrompts();
    alignOutput();
    return runScript('node_modules/@typescript/native/bin/tsc', ['-b', PACKAGE], options);
  });
}

/** The compiler neither removes what a deleted source left behind, nor notices when somebody deleted its output. */
function alignOutput() {
  const sources = new Set(named('src', /(?<!\.test)\.ts$/).map(({ name }) => name));
  for (const { name, path } of named('dist', /(?:\.d\.ts|\.js)$/)) if (!sources.has(name)) rmSync(join(ROOT, path));
  const complete = [...sources].every((name) => existsSync(join(ROOT, PACKAGE, 'dist', `${name}.js`)));
  if (!complete) rmSync(join(SCRATCH, 'errand.tsbuildinfo'), { force: true });
}

/** The files of a folder with that extension, each with its module's name: the path below the folder without it. */
function named(folder, extension) {
  const root = `${PACKAGE}/${folder}`;
  return filesBelow(root)
    .filter((path) => extension.test(path))
    .map((path) => ({ path, name: path.slice(root.length + 1).replace(extension, '') }));
}
