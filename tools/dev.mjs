#!/usr/bin/env node
// The one entry of every npm script. Starts on any Node from 18 on and needs no package: it brings them.
import { build } from './dev/build.mjs';
import { ensureInstalled } from './dev/install.mjs';
import { lint } from './dev/lint.mjs';
import { preferRepositoryPrograms, runScript } from './dev/node.mjs';
import { start } from './dev/start.mjs';
import { test } from './dev/test.mjs';

/** Each resolves to an exit code. */
const COMMANDS = {
  start,
  test,
  build: async () => (await build()).code,
  lint,
  spec: async (args) => (await runScript('tools/spec.mjs', args)).code,
  bench: async (args) => {
    const { code } = await build();
    return code === 0 ? (await runScript('bench/run.ts', args)).code : code;
  },
};

async function main([name, ...args]) {
  if (!Object.hasOwn(COMMANDS, name ?? '')) {
    process.stderr.write(`usage: node tools/dev.mjs ${Object.keys(COMMANDS).join(' | ')} [arguments]\n`);
    return 2;
  }
  await ensureInstalled();
  preferRepositoryPrograms();
  return COMMANDS[name](args);
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    process.stderr.write(`errand: ${error.message}\n`);
    process.exitCode = 1;
  },
);
