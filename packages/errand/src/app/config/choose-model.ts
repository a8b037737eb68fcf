import { fail, type Result, succeed } from '../../base/result.ts';
import type { Environment } from '../environment.ts';
import { type ConfigProblem, unusable } from './config-problem.ts';
import {
  BASE_URLS,
  type ConfiguredConnection,
  isLocal,
  modelsFromEnvironment,
  OFFLINE,
  OFFLINE_MODEL,
  PRESETS,
} from './connections.ts';
import type { ChosenModel, Setting } from './settings.ts';

export interface ModelQuestion {
  /** `model` as flag, environment or files set it, if any of them does. */
  readonly setting: Setting | undefined;
  readonly connections: readonly ConfiguredConnection[];
  readonly environment: Environment;
  /** How to trust the project whose file was read, if there is one that is not trusted. */
  readonly remedy: string | null;
}

/** --model and ERRAND_MODEL, then OPENAI_MODEL and its like, then the files, then offline where nothing is configured. */
export function chooseModel(question: ModelQuestion): Result<ChosenModel, ConfigProblem> {
  const { setting, connections, environment, remedy } = question;
  const explicit = setting?.source.from === 'flag' || setting?.source.from === 'environment';
  const named = modelsFromEnvironment(environment, connections);
  const [only] = named;
  if (!explicit && named.length === 1 && only) {
    return check(only.model, { from: 'environment', name: only.variable }, connections);
  }
  if (setting) {
    const model = String(setting.value);
    const distrust =
      remedy && setting.source.from === 'project' ? sentAway(model, setting.source.name, question) : null;
    return distrust ? fail(distrust) : check(model, setting.source, connections);
  }
  const configured = connections.filter((connection) => connection.kind !== 'offline');
  if (configured.length === 0) return succeed({ name: OFFLINE_MODEL, asked: null, source: { from: 'default' } });
  const why = named.length > 1 ? ` (${named.map(({ variable }) => variable).join(' and ')} name one each)` : '';
  return fail(
    unusable(
      `no model is chosen${why}: say --model <connection>/<id>, or set model in the configuration; connections: ${names(
        configured,
      )}; without a language model: --model ${OFFLINE_MODEL}.`,
    ),
  );
}

/** A project that is not trusted sends nothing to another machine, whoever has configured the way to it. */
function sentAway(model: string, file: string, { connections, remedy }: ModelQuestion): ConfigProblem | null {
  const connection = connections.find(({ name }) => model.startsWith(`${name}/`));
  if (!connection || isLocal(connection)) return null;
  return unusable(
    `${file} asks for the model ${model}, which is not on this machine: say --model ${model} yourself; or, to let this project decide, ${remedy}.`,
  );
}

function check(
  model: string,
  source: Setting['source'],
  connections: readonly ConfiguredConnection[],
): Result<ChosenModel, ConfigProblem> {
  const said = source.from === 'default' ? model : `${model} (${source.name})`;
  const slash = model.indexOf('/');
  const connection = connections.find(({ name }) => name === model.slice(0, slash));
  if (!connection) {
    const missing = notSetUp(model.slice(0, slash), said);
    if (missing !== null) return fail(unusable(missing));
    return fail(
      unusable(
        `the model ${said} names no connection that is configured; there are: ${names(connections)}; write it as <connection>/<id>.`,
      ),
    );
  }
  if (connection.kind === OFFLINE.kind && model !== OFFLINE_MODEL) {
    return fail(unusable(`there is no model ${said}: the connection "offline" has ${OFFLINE_MODEL} only.`));
  }
  if (connection.needsKey && connection.apiKey === null) {
    const remedy = connection.keyVariable
      ? `set ${connection.keyVariable}`
      : `give api_key_env or api_key in [connections.${connection.name}]`;
    return fail(unusable(`the connection "${connection.name}" of the model ${said} has no key: ${remedy}.`));
  }
  return succeed({ name: model, asked: model, source });
}

/** A provider that is known by name and only wants setting up; null: it is none. */
function notSetUp(name: string, said: string): string | null {
  const preset = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined;
  if (!preset) return null;
  const own = BASE_URLS[name];
  const remedy = preset.keyVariable
    ? `set ${preset.keyVariable}${own ? `, or ${own} for a server of your own` : ''}`
    : `add [connections.${name}] with preset = "${name}" to the configuration`;
  return `the model ${said} is not reachable: no connection "${name}" is configured; ${remedy}.`;
}

function names(connections: readonly ConfiguredConnection[]): string {
  return connections.map(({ name }) => name).join(', ');
}
