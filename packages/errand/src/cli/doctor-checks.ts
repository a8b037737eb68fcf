import process from 'node:process';
import { connectionStatus } from '../app/config/config-status.ts';
import type { Settings } from '../app/config/settings.ts';
import type { StoreReport } from '../app/store-care.ts';
import { messageOf } from '../base/errors.ts';
import { oneLine } from './around/failure.ts';
import { openService, settingsOf } from './around/open.ts';
import type { Surroundings } from './around/surroundings.ts';

/** One thing that was looked at; `note`: worth knowing, and no fault. */
export interface Check {
  readonly name: string;
  readonly status: 'good' | 'note' | 'missing';
  readonly detail: string;
}

/** Looks at everything; a fault of one thing does not hide the next. */
export async function examine(around: Surroundings): Promise<Check[]> {
  const checks: Check[] = [{ name: 'node', status: 'good', detail: process.versions.node }];
  const settings = await attempt('configuration', () => settingsOf(around), checks);
  if (settings) {
    checks.push(...configurationChecks(settings));
    checks.push(...(await storeChecks(around, settings)));
    checks.push(...connectionChecks(settings));
  }
  checks.push(await searchCheck(around));
  checks.push({ name: 'sandbox', status: 'note', detail: 'not built yet: helpers only read' });
  return checks;
}

async function attempt<Value>(name: string, get: () => Promise<Value>, checks: Check[]): Promise<Value | null> {
  try {
    return await get();
  } catch (error) {
    checks.push({ name, status: 'missing', detail: oneLine(messageOf(error)) });
    return null;
  }
}

function configurationChecks({ files }: Settings): Check[] {
  const user = files.user.found ? files.user.path : `${files.user.path} is not there, which is fine`;
  return [
    { name: 'user configuration', status: files.user.found ? 'good' : 'note', detail: user },
    { name: 'project configuration', status: files.project ? 'good' : 'note', detail: files.project ?? 'none here' },
  ];
}

/** What the store is, and each problem in it. */
async function storeChecks(around: Surroundings, settings: Settings): Promise<Check[]> {
  const bad = (detail: string): Check => ({ name: 'store', status: 'missing', detail: oneLine(detail) });
  try {
    const service = await openService(around, settings, 'read');
    try {
      const report = await service.store.check();
      const detail = `${settings.paths.store}: ${storeInWords(report)}`;
      return [{ name: 'store', status: 'good', detail }, ...report.problems.map(bad)];
    } finally {
      await service.close();
    }
  } catch (error) {
    return [bad(messageOf(error))];
  }
}

function storeInWords({ file, sqlite }: StoreReport): string {
  if (!file) return `not there yet, which is fine (SQLite ${sqlite})`;
  const log = file.log_bytes === null ? 'no write-ahead log' : `${kilobytes(file.log_bytes)} of write-ahead log`;
  return `${kilobytes(file.bytes)} and ${log}, SQLite ${sqlite}`;
}

function kilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_024)} KB`;
}

function connectionChecks({ configured, model }: Settings): Check[] {
  const connections = configured.map(connectionStatus).map(({ name, kind, base_url, key, key_variable }): Check => {
    const at = base_url ? ` at ${base_url}` : '';
    const variable = key_variable && key !== 'not needed' ? ` (${key_variable})` : '';
    return {
      name: `connection ${name}`,
      status: key === 'not set' ? 'note' : 'good',
      detail: `${kind}${at}, key ${key}${variable}; not tried`,
    };
  });
  const chosen: Check = model.ok
    ? { name: 'model', status: 'good', detail: model.value.name }
    : { name: 'model', status: 'missing', detail: model.error.message };
  return [...connections, chosen];
}

async function searchCheck({ cwd }: Surroundings): Promise<Check> {
  try {
    const { searchFault } = await import('../app/search-fault.ts');
    const fault = await searchFault(cwd);
    return { name: 'search', status: fault ? 'missing' : 'good', detail: fault ?? 'ripgrep works' };
  } catch (error) {
    return { name: 'search', status: 'missing', detail: oneLine(messageOf(error)) };
  }
}
