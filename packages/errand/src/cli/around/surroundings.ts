import type { Settings } from '../../app/config/settings.ts';
import type { Environment } from '../../app/environment.ts';
import type { EndSignal } from '../../app/exit-codes.ts';
import type { Runtime } from '../../app/face.ts';
import type { StoreCare } from '../../app/store-care.ts';
import type { Clock } from '../../base/clock.ts';
import type { Output } from './output.ts';

/** What commands need of the runtime. */
export type CommandRuntime = Pick<
  Runtime,
  'start' | 'resume' | 'replay' | 'fork' | 'stop' | 'records' | 'result' | 'events' | 'usage' | 'observe'
>;

/** An instance that a command uses, and the way to let go of it. */
export interface Service {
  readonly runtime: CommandRuntime;
  readonly store: StoreCare;
  close(): Promise<void>;
}

/** `read` starts nothing. */
export type OpenService = (settings: Settings, options: { readonly mode: 'run' | 'read' }) => Promise<Service>;

/** What a command has around it; a test gives its own. */
export interface Surroundings {
  readonly environment: Environment;
  /** The folder that the process was started in. */
  readonly cwd: string;
  readonly stdin: { readonly isTerminal: boolean; readonly chunks: AsyncIterable<Uint8Array> };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly clock: Clock;
  /** Takes over the signals that end a run; returns the way to give them back. */
  readonly onSignal: (listener: (signal: EndSignal) => void) => () => void;
  /** Ends the process at once. */
  readonly exit: (code: number) => void;
  readonly openService: OpenService;
}

/** What a command ends with besides its output. */
export interface Ending {
  exit: number;
}
