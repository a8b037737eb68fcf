import { build } from './build.mjs';
import { runScript } from './node.mjs';

/** Name, program below the root, arguments. All run, also after one has failed. */
const CHECKS = [
  [
    'biome',
    'node_modules/@biomejs/biome/bin/biome',
    ['check', '--error-on-warnings', '--max-diagnostics=60', '--diagnostic-level=warn'],
  ],
  ['types', 'node_modules/@typescript/native/bin/tsc', ['-p', 'packages/errand/tsconfig.test.json']],
  ['floors', 'tools/floors.mjs', []],
  ['house', 'tools/house.mjs', []],
  ['spec', 'tools/spec.mjs', ['--quiet']],
  ['knip', 'node_modules/knip/bin/knip.js', ['--no-progress', '--no-config-hints']],
  ['publint', 'node_modules/publint/src/cli.js', ['run', 'packages/errand', '--strict']],
];

/** Everything that holds the house up, short of the tests. */
export async function lint() {
  const failed = [];
  const report = (name, { code, output }) => {
    process.stdout.write(`${code === 0 ? 'ok  ' : 'FAIL'} ${name}\n`);
    if (code === 0) return;
    failed.push(name);
    process.stdout.write(`${output.trimEnd().replace(/^/gm, '     ')}\n`);
  };
  // Before the build, which would refresh them.
  report('prompts', await runScript('tools/prompts.mjs', ['--check'], { capture: true }));
  report('build', await build({ capture: true }));
  const running = CHECKS.map(([name, script, args]) => [name, runScript(script, args, { capture: true })]);
  for (const [name, result] of running) report(name, await result);
  process.stdout.write(failed.length > 0 ? `lint failed: ${failed.join(', ')}\n` : 'lint passed\n');
  return failed.length > 0 ? 1 : 0;
}
