import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ROOT } from '../common/root.mjs';
import { exclusively } from './lock.mjs';
import { run } from './run.mjs';

const LOCK = join(ROOT, 'package-lock.json');
const MODULES = join(ROOT, 'node_modules');
const STAMP = join(MODULES, '.errand-stamp');

/** Brings node_modules in line with package-lock.json; does nothing and says nothing when it is already. */
export async function ensureInstalled() {
  if (isInstalled()) return;
  await exclusively('install', async () => {
    if (isInstalled()) return;
    if (!agreesWithLock()) await install();
    writeFileSync(STAMP, lockHash());
  });
}

function lockHash() {
  return createHash('sha256').update(readFileSync(LOCK)).digest('hex');
}

function isInstalled() {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === lockHash();
}

/** Whether somebody's own `npm ci` has done the work: npm's record of what it installed says what the lock says. */
function agreesWithLock() {
  const record = join(MODULES, '.package-lock.json');
  if (!existsSync(record)) return false;
  const installed = JSON.parse(readFileSync(record, 'utf8')).packages;
  const wanted = Object.entries(JSON.parse(readFileSync(LOCK, 'utf8')).packages);
  return wanted
    .filter(([path, entry]) => path.includes('node_modules/') && !entry.link && !entry.optional)
    .every(([path, entry]) => installed[path]?.version === entry.version && existsSync(join(ROOT, path)));
}

async function install() {
  process.stderr.write('errand: installing packages with npm ci\n');
  const env = { ...process.env };
  // npm must run on the system's Node: the one in node_modules is about to be deleted.
  env.PATH = (env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.endsWith(join('node_modules', '.bin')))
    .join(delimiter);
  // What an outer `npm run` was told is not meant for this install.
  for (const name of ['workspace', 'workspaces', 'global', 'json', 'dry_run', 'omit']) delete env[`npm_config_${name}`];
  const args = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund'];
  const { code, output } = await run('npm', args, { env, capture: true });
  if (code === 0) return;
  process.stderr.write(output);
  throw new Error(`npm ci failed with exit code ${code}`);
}
