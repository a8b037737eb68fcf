// k helpers of 3 steps each, launched in one step of a parent, against the mock model: Errand beside a hand-written fetch loop, in the same run.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const LATENCY = 50;
const STEPS = 3;

export interface FanoutRow {
  readonly driver: string;
  readonly k: number;
  readonly cpuPerStep: number;
  readonly wallMs: number;
  /** Wall clock over what the model's latency alone would take. */
  readonly wallOverIdeal: number;
  /** Milliseconds at the server's clock: from the parent's answer to a helper's first request; between a helper's steps; from the last helper's answer to the parent's next request. */
  readonly spawnMs: string;
  readonly completionMs: string;
  readonly peakRssMB: number;
  readonly liveKBPerWaiting: number | null;
  readonly rssKBPerWaiting: number | null;
}

interface Driver {
  readonly label: string;
  readonly file: string;
  readonly server: 'notes' | 'tools';
  readonly environment: Readonly<Record<string, string>>;
}

export const DRIVERS: readonly Driver[] = [
  { label: 'fetch loop', file: 'mock-model/floor-driver.mjs', server: 'notes', environment: {} },
  {
    label: 'errand, SQLite journal',
    file: 'errand-driver.mjs',
    server: 'tools',
    environment: { ERRAND_BENCH_JOURNAL: 'sqlite' },
  },
  {
    label: 'errand, memory journal',
    file: 'errand-driver.mjs',
    server: 'tools',
    environment: { ERRAND_BENCH_JOURNAL: 'memory' },
  },
];

interface Server {
  readonly port: number;
  readonly process: ChildProcess;
}

/** The mock model on a free port; helpers are told to use the tool that their runtime really has. */
async function startServer(kind: Driver['server']): Promise<Server> {
  const note = kind === 'tools' ? ['--note-tool', 'read', '--note-args', '{"path":"note.txt"}'] : [];
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  const child = spawn(
    process.execPath,
    [`${HERE}mock-model/mock-model.mjs`, '--port', String(port), '--latency', String(LATENCY), ...note],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  await once(createInterface({ input: child.stdout }), 'line');
  return { port, process: child };
}

interface Measured {
  readonly ok: boolean;
  readonly err?: string;
  readonly cpuPerStep: number;
  readonly wallMs: number;
  readonly peakRssMB: number;
  /** The server's own figure: wall clock over what its latency alone would take. */
  readonly overIdeal: number;
  readonly spawn?: Spread;
  readonly completionAll?: Spread;
  readonly held: { readonly rssPerHelperKB: number; readonly liveKBPerHelper: number } | null;
}
interface Spread {
  readonly p50: number;
  readonly p99: number;
}

async function measure(
  driver: Driver,
  server: Server,
  options: { readonly k: number; readonly hold: boolean; readonly runs: number },
): Promise<Measured[]> {
  const { k, hold, runs } = options;
  const flags = [
    '--driver',
    `${HERE}${driver.file}`,
    '--port',
    String(server.port),
    '--k',
    String(k),
    '--s',
    String(STEPS),
    '--runs',
    String(runs),
    '--hold',
    hold ? '1' : '0',
  ];
  const child = spawn(process.execPath, ['--expose-gc', `${HERE}mock-model/bench.mjs`, ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...driver.environment },
  });
  const rows: Measured[] = [];
  for await (const line of createInterface({ input: child.stdout })) rows.push(JSON.parse(line) as Measured);
  for (const row of rows) if (!row.ok) throw new Error(`${driver.label} at k=${k}: ${row.err ?? JSON.stringify(row)}`);
  if (rows.length !== runs) throw new Error(`${driver.label} at k=${k} gave ${rows.length} of ${runs} results`);
  return rows;
}

/** The median run of each driver at each k, drivers taking turns, so that a slow minute of the machine hits all alike. */
export async function benchFanout(ks: readonly number[], runs: number): Promise<FanoutRow[]> {
  const servers = { notes: await startServer('notes'), tools: await startServer('tools') };
  try {
    const rows: FanoutRow[] = [];
    for (const k of ks) {
      for (const driver of DRIVERS) {
        const server = servers[driver.server];
        const measured = await measure(driver, server, { k, hold: false, runs });
        const [held] = await measure(driver, server, { k, hold: true, runs: 1 });
        measured.sort((a, b) => a.cpuPerStep - b.cpuPerStep);
        const median = measured[Math.floor(measured.length / 2)];
        if (median) rows.push(rowOf({ driver, k, run: median, held: held?.held ?? null }));
      }
    }
    return rows;
  } finally {
    for (const server of Object.values(servers)) server.process.kill();
  }
}

function rowOf(what: { driver: Driver; k: number; run: Measured; held: Measured['held'] }): FanoutRow {
  const { driver, k, run, held } = what;
  const spread = (value: Spread | undefined) => (value ? `${value.p50.toFixed(1)} / ${value.p99.toFixed(1)}` : '–');
  return {
    driver: driver.label,
    k,
    cpuPerStep: run.cpuPerStep,
    wallMs: run.wallMs,
    wallOverIdeal: run.overIdeal,
    spawnMs: spread(run.spawn),
    completionMs: spread(run.completionAll),
    peakRssMB: run.peakRssMB,
    liveKBPerWaiting: held?.liveKBPerHelper ?? null,
    rssKBPerWaiting: held?.rssPerHelperKB ?? null,
  };
}
