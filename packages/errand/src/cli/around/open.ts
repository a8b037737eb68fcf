import { stat } from 'node:fs/promises';
import type { Settings } from '../../app/config/settings.ts';
import { EXIT } from '../../app/exit-codes.ts';
import { messageOf } from '../../base/errors.ts';
import { Failure, storeFailure } from './failure.ts';
import type { Service, Surroundings } from './surroundings.ts';

export type Flags = Readonly<Record<string, string | boolean | undefined>>;

/** The settings of this command line, or a failure that says what is wrong with them. */
export async function settingsOf(around: Surroundings, flags: Flags = {}): Promise<Settings> {
  const { loadSettings } = await import('../../app/config/load-settings.ts');
  const loaded = loadSettings({ environment: around.environment, cwd: around.cwd, flags });
  if (!loaded.ok) throw new Failure(loaded.error.exit, loaded.error.message);
  await requireFolder(loaded.value.cwd);
  return loaded.value;
}

async function requireFolder(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (!found) throw new Failure(EXIT.usage, `there is no folder ${path}.`);
  if (!found.isDirectory()) throw new Failure(EXIT.usage, `${path} is not a folder.`);
}

/** Opens the instance; what keeps it from opening is configuration that cannot be used. */
export async function openService(around: Surroundings, settings: Settings, mode: 'run' | 'read'): Promise<Service> {
  try {
    return await around.openService(settings, { mode });
  } catch (error) {
    const message = `the store ${settings.paths.store} cannot be opened: ${messageOf(error)}`;
    throw storeFailure(error) ?? new Failure(EXIT.unusable, message, error);
  }
}

/** Runs `use` with an instance that is let go of afterwards, whatever happens. */
export async function withService<Value>(
  around: Surroundings,
  mode: 'run' | 'read',
  use: (service: Service) => Promise<Value>,
): Promise<Value> {
  const settings = await settingsOf(around);
  const service = await openService(around, settings, mode);
  try {
    return await use(service);
  } finally {
    await service.close();
  }
}
