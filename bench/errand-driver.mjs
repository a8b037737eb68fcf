// Errand as a driver for mock-model/bench.mjs: the built library with its journal on, as an embedding program uses it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createErrand } from '../packages/errand/dist/index.js';

export const name = `errand-${process.env.ERRAND_BENCH_JOURNAL ?? 'sqlite'}`;
export const version = process.version;

export async function create({ baseURL, noteBytes, maxSteps, k }) {
  const folder = mkdtempSync(join(tmpdir(), 'errand-bench-'));
  const line = 'line of a note with "quotes", numbers 12345 and some words\n';
  writeFileSync(join(folder, 'note.txt'), line.repeat(Math.ceil(noteBytes / line.length)).slice(0, noteBytes));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const errand = await createErrand({
    ...(name === 'errand-sqlite' ? { folder: join(folder, 'store') } : {}),
    connections: [
      { name: 'mock', kind: 'openai-compatible', baseUrl: baseURL, apiKey: 'x', headers: {}, callTimeoutMs: 600_000 },
    ],
    limits: { max_per_turn: k, max_concurrent: k, launch_concurrency: k, max_admitted: k + 64, helper_steps: maxSteps },
  });
  return {
    tool: 'agent',
    arg: 'task',
    async run(prompt) {
      const result = await errand.run({ task: prompt, model: 'mock/mock', cwd: folder });
      if (result.state !== 'completed') throw new Error(`${result.state} ${result.reason}: ${result.message}`);
      return result.answer;
    },
  };
}
