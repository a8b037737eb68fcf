import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createFiles } from '../../src/host/files/create-files.ts';
import { contextFor, use } from '../tools/context.ts';
import { PINS } from './both-pins.ts';
import { scratchFolder } from './scratch.ts';

interface Case {
  readonly id: string;
  readonly setup: string;
  readonly root: string;
  readonly path: string;
  readonly op: 'read' | 'list' | 'write';
  readonly expect: 'allow' | 'deny' | 'either';
  readonly returns?: string;
  readonly needs?: 'linux' | 'case-sensitive';
  readonly why: string;
}

/** The answer comes at once: milliseconds that a loaded machine may need nevertheless. */
const AT_ONCE = 5_000;

const file = new URL('../fixtures/cases/paths.jsonl', import.meta.url);
const cases = readFileSync(file, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Case);

describe.each(PINS)('paths.jsonl, held %s', (_name, pin) => {
  const skipped = new Map<string, string[]>();
  afterAll(() => {
    for (const [reason, ids] of skipped) console.info(`paths.jsonl: skipped, ${reason}: ${ids.join(' ')}`);
  });

  it.for(cases)('[ISO-6] $id: $why', async (line, { skip }) => {
    const context = line.id;
    const base = scratchFolder();
    const reason = reasonToSkip(line, base);
    if (reason) {
      skipped.set(reason, [...(skipped.get(reason) ?? []), line.id]);
      skip(reason);
    }
    execFileSync('bash', ['-c', line.setup], { cwd: base, stdio: 'ignore' });
    const files = createFiles({ pin });
    const root = await files.folder(line.root, base);
    if (!root.ok) throw new Error(root.error.message);
    const before = snapshot(base);

    const start = performance.now();
    const path = line.path.replaceAll('{base}', base);
    const outcome = await use(line.op, { path }, contextFor(files.workspace(root.value)));

    expect(performance.now() - start, context).toBeLessThan(AT_ONCE);
    expect(snapshot(base), context).toEqual(before);
    expect(outcome.output, context).not.toContain('OUTSIDE');
    expect(outcome.output, context).not.toBe('');
    if (line.expect === 'deny') expect(outcome.status, context).toMatch(/^(?:error|refused)$/);
    if (line.expect === 'allow') expect(outcome, context).toMatchObject({ status: 'ok' });
    if (line.returns) expect(outcome.output, context).toContain(line.returns);
  });
});

function reasonToSkip({ op, needs }: Case, base: string): string | null {
  if (op === 'write') return 'no write tool yet';
  if (needs === 'linux' && process.platform !== 'linux') return 'needs Linux';
  if (needs === 'case-sensitive') {
    writeFileSync(join(base, 'probe'), '');
    if (existsSync(join(base, 'PROBE'))) return 'needs a disk that tells capital letters from small ones';
  }
  return null;
}

/** Everything below a folder, as one text per entry. */
function snapshot(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isSymbolicLink()) return `${path} -> ${readlinkSync(path)}`;
      if (entry.isDirectory()) return [path, ...snapshot(path)];
      return entry.isFile() ? `${path}: ${readFileSync(path, 'latin1')}` : `${path} ${lstatSync(path).mode}`;
    })
    .sort();
}
