import { join } from 'node:path';
import { launch } from '../../packages/errand/bin/launch.js';
import { ROOT } from '../common/root.mjs';
import { build } from './build.mjs';
import { repositoryNode } from './node.mjs';

/** A real task with three parts that have nothing to do with each other, so that helpers have something to share out. */
const TASK = 'Where is a run settled? What calls narrow? Which files parse the configuration?';

/** Builds, then lets Errand work on this repository with the model that needs no key. */
export async function start(args) {
  const { code, output } = await build({ capture: true });
  if (code !== 0) {
    process.stderr.write(output);
    return code;
  }
  const bin = join(ROOT, 'packages/errand/bin/errand.js');
  return launch(repositoryNode(), [bin, 'run', TASK, '--model', 'offline/extract', '--cwd', ROOT, ...args]);
}
