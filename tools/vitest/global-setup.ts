import { mkdirSync, rmSync } from 'node:fs';
import { TEST_HOME } from './clean-env.ts';

/** Builds once, so that a test which drives the real binary drives the sources of now; a home for what it writes. */
export async function setup(): Promise<void> {
  mkdirSync(TEST_HOME, { recursive: true });
  if (process.env.ERRAND_BUILT) return;
  const { build } = await import('../dev/build.mjs');
  const { code, output } = await build({ capture: true });
  // Type errors do not hold up tests (lint reports them); what they mean for the binary, its own tests will show.
  if (code !== 0) process.stderr.write(`${output}errand: the build has errors; dist may be incomplete\n`);
}

export function teardown(): void {
  rmSync(TEST_HOME, { recursive: true, force: true });
}
