import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { answer, createScriptedServer } from '../../src/testing/index.ts';
import { resultsOf } from '../engine/instance.ts';
import { createPlace, startErrand } from './binary.ts';

/** Processes of this machine that work in a folder. */
function processesIn(folder: string): string[] {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/u.test(name)) return false;
    try {
      return readlinkSync(`/proc/${name}/cwd`) === folder;
    } catch {
      return false;
    }
  });
}

describe.runIf(process.platform === 'linux')('processes that a run starts', () => {
  it.each(['SIGINT', 'SIGKILL'] as const)(
    '[SUR-1] [PAIN-10] none outlives it after %s, not even a search that hangs',
    async (signal) => {
      const server = await createScriptedServer((request) =>
        resultsOf(request).length === 0
          ? answer({ calls: [{ name: 'search', args: { pattern: 'gate' } }] })
          : answer({ text: 'x' }),
      );
      const place = createPlace({ OPENAI_BASE_URL: server.url });
      // A pipe that poses as an ignore file holds ripgrep for ever.
      mkdirSync(join(place.work, 'deep'));
      execFileSync('mkfifo', [join(place.work, 'deep', '.gitignore')]);
      const work = realpathSync(place.work);
      const run = startErrand(place, ['run', 'go', '--model', 'openai/m']);
      await vi.waitFor(() => expect(processesIn(work).length).toBeGreaterThan(1), { timeout: 10_000 });
      run.process.kill(signal);
      await run.ended;
      await vi.waitFor(() => expect(processesIn(work)).toEqual([]), { timeout: 10_000 });
      await server.close();
    },
  );
});
