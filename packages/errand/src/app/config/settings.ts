import type { Result } from '../../base/result.ts';
import type { InstanceLimits } from '../../domain/run/limits.ts';
import type { Connection } from '../../ports/model.ts';
import type { OptionValue } from '../options.ts';
import type { Paths } from '../paths.ts';
import type { Retention } from '../retention.ts';
import type { ConfigProblem } from './config-problem.ts';
import type { ConfiguredConnection } from './connections.ts';

/** Who set something, and by which flag, variable or file. */
export type Source =
  | { readonly from: 'flag' | 'environment' | 'project' | 'user'; readonly name: string }
  | { readonly from: 'default' };

export interface Setting {
  readonly value: OptionValue;
  readonly source: Source;
}

/** The model of the root run. */
export interface ChosenModel {
  /** `<connection>/<id>`. */
  readonly name: string;
  /** What was asked for; null: nothing was, it follows from there being no connection. */
  readonly asked: string | null;
  readonly source: Source;
}

/** Everything that is configured, resolved for one working folder. May hold keys: never logged, never journaled. */
export interface Settings {
  readonly paths: Paths;
  /** The working folder, absolute, as given. */
  readonly cwd: string;
  /** What is set, by option key, with who set it; what is not in here has its default. */
  readonly set: ReadonlyMap<string, Setting>;
  /** Bounds of the instance, flags included. */
  readonly limits: InstanceLimits;
  /** What is kept of runs that have ended. */
  readonly retention: Retention;
  /** The root's model, or why there is none: only a run needs one. */
  readonly model: Result<ChosenModel, ConfigProblem>;
  readonly effort: string | null;
  /** As the model adapters take them; `offline` is always there. */
  readonly connections: readonly Connection[];
  /** The same, as they are configured. */
  readonly configured: readonly ConfiguredConnection[];
  /** Connections that the environment would make and that the person's own file defines. */
  readonly shadowed: readonly string[];
  readonly files: {
    readonly user: { readonly path: string; readonly found: boolean };
    readonly project: string | null;
  };
}
