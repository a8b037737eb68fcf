import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { ROOT } from '../common/root.mjs';
import { run } from './run.mjs';

const NEEDED = [22, 18];

/** The Node that everything runs under: the repository's own, else this one if it is new enough. */
export function repositoryNode() {
  const own = join(ROOT, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node');
  if (spawnSync(own, ['--version'], { stdio: 'ignore' }).status === 0) return own;
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) return process.execPath;
  throw new Error(
    `no Node for this machine came with the packages (${process.platform}, ${process.arch}), and this is Node ` +
      `${process.versions.node}: start this with Node ${NEEDED.join('.')} or newer`,
  );
}

/** Makes children find the repository's programs, its Node among them, before the system's. */
export function preferRepositoryPrograms() {
  process.env.PATH = [join(ROOT, 'node_modules', '.bin'), process.env.PATH ?? ''].join(delimiter);
}

/** Runs a JavaScript program (a path relative to the root) under the repository's Node. */
export function runScript(script, args = [], options = {}) {
  return run(repositoryNode(), [join(ROOT, script), ...args], options);
}
