import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { cleanEnvironment } from '../../tools/vitest/clean-env.ts';

cleanEnvironment();

export default defineConfig({
  test: {
    name: 'errand',
    root: fileURLToPath(new URL('.', import.meta.url)),
    include: ['test/**/*.test.ts', 'src/**/*.test.ts'],
    exclude: ['**/fixtures/**', '**/node_modules/**'],
    globalSetup: [fileURLToPath(new URL('../../tools/vitest/global-setup.ts', import.meta.url))],
    // Processes, not threads: tests start programs, send signals and open databases.
    pool: 'forks',
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
