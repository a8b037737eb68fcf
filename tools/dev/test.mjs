import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SCRATCH } from '../common/root.mjs';
import { build } from './build.mjs';
import { runScript } from './node.mjs';

const REPORT = join(SCRATCH, 'vitest.json');

/** Builds and tests. The last line on stdout is `N passed, N failed`, with `, N skipped` where some were. */
export async function test(args) {
  rmSync(REPORT, { force: true });
  const built = await build({ capture: true });
  if (built.code !== 0) process.stderr.write(`${built.output}errand: the build failed, so no test ran\n`);
  const vitest = built.code === 0 ? await runVitest(args) : built;
  const counts = readCounts();
  if (vitest === built) return finish(counts, built.code);
  if (counts.failed === 0 && counts.passed === 0) process.stderr.write('errand: no test ran\n');
  else if (counts.failed === 0 && vitest.code !== 0) {
    process.stderr.write(
      `errand: every test passed, but vitest ended with exit code ${vitest.code}: see its errors above\n`,
    );
  }
  const honest = counts.failed > 0 || counts.passed === 0 ? 1 : 0;
  return finish(counts, vitest.code || honest);
}

function runVitest(args) {
  // The global set-up need not build again.
  process.env.ERRAND_BUILT = '1';
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${REPORT}`];
  return runScript('node_modules/vitest/vitest.mjs', ['run', ...reporters, ...args]);
}

/** A file that could not even be loaded holds no failed test and counts as one. */
function readCounts() {
  if (!existsSync(REPORT)) return { passed: 0, failed: 0, skipped: 0 };
  const report = JSON.parse(readFileSync(REPORT, 'utf8'));
  const broken = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.every((one) => one.status !== 'failed'),
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

function finish({ passed, failed, skipped }, code) {
  const more = skipped > 0 ? `, ${skipped} skipped` : '';
  process.stdout.write(`${passed} passed, ${failed} failed${more}\n`);
  return code;
}
