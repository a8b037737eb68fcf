#!/usr/bin/env node
// Read by any Node from 12 on: no newer syntax here. Checks the version, then hands over to the command line.
import { existsSync } from 'fs';
import { dirname, join } from 'path';
import { fileURLToPath, pathToFileURL } from 'url';
import { followLauncher, LAUNCHED, launch } from './launch.js';

const NEEDED = '22.18';
const bin = dirname(fileURLToPath(import.meta.url));

start().then(
  (code) => {
    // Not process.exit: what is still on its way to a pipe must arrive.
    process.exitCode = code;
  },
  (error) => {
    process.stderr.write(`errand: ${error instanceof Error ? error.stack : error}\n`);
    process.exitCode = 1;
  },
);

function start() {
  if (supported()) return run();
  // A checkout brings its own Node.
  const own = join(bin, '..', '..', '..', 'node_modules', `node-linux-${process.arch}`, 'bin', 'node');
  if (!process.env[LAUNCHED] && existsSync(own)) {
    return launch(own, process.execArgv.concat(fileURLToPath(import.meta.url), process.argv.slice(2)));
  }
  process.stderr.write(`errand needs Node ${NEEDED} or newer, and this is Node ${process.versions.node}.\n`);
  return Promise.resolve(1);
}

function supported() {
  const have = process.versions.node.split('.').map(Number);
  const need = NEEDED.split('.').map(Number);
  return have[0] > need[0] || (have[0] === need[0] && have[1] >= need[1]);
}

/** The built command line, or in a checkout that is not built yet its sources. */
function run() {
  followLauncher();
  const built = join(bin, '..', 'dist', 'cli', 'main.js');
  const main = existsSync(built) ? built : join(bin, '..', 'src', 'cli', 'main.ts');
  return import(pathToFileURL(main).href).then((module) => module.main(process.argv.slice(2)));
}
