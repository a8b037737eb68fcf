import type { Clock } from '../base/clock.ts';
import type { InstanceLimits } from '../domain/run/limits.ts';
import type { RunResult } from '../domain/run/result.ts';
import type { Journal } from '../ports/journal.ts';
import type { Connection, Models } from '../ports/model.ts';
import type { Runtime, StartRequest } from '../ports/runtime.ts';
import type { Tool } from '../ports/tool.ts';
import type { Retention } from './retention.ts';

/** How to reach one provider. Copied when the instance is made; its key is never journaled or logged. */
export interface ConnectionOptions {
  /** First part of `<connection>/<id>`. */
  readonly name: string;
  readonly kind: Connection['kind'];
  /** Left out: the provider's own address. */
  readonly baseUrl?: string | null | undefined;
  /** Left out: none is sent. */
  readonly apiKey?: string | null | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds that one call may take; default: `limits.call_timeout_ms`. */
  readonly callTimeoutMs?: number | undefined;
  /** Tokens of the context window of its models; left out: not known. */
  readonly contextWindow?: number | undefined;
}

export interface ErrandOptions {
  /** Absolute folder of the store. Left out, runs are kept in memory and end with the process. */
  readonly folder?: string;
  /** `normal` (default) survives the end of the process at any moment, `full` also a power cut. Needs `folder`. */
  readonly durability?: 'normal' | 'full';
  /** A store of your own; instead of `folder`. */
  readonly journal?: Journal;
  /** Connections to providers; `offline/extract` is always there. */
  readonly connections?: readonly ConnectionOptions[];
  /** Models of your own; instead of `connections`. */
  readonly models?: Models;
  /** Bounds; what is left out is as SPEC table A says. Times in milliseconds. */
  readonly limits?: Partial<InstanceLimits>;
  /** How long, and how many, runs are kept once they have ended; what is left out is as SPEC table A says. Null: nothing is deleted. */
  readonly retention?: Partial<Retention> | null;
  /** Tools beside the built-in ones; each declares its risk. */
  readonly tools?: readonly Tool[];
  readonly clock?: Clock;
}

export interface Errand extends Runtime {
  /** Starts a root run and waits for its result. Rejects with a CodedError<StartRefusal['code']> when it is refused. */
  run(request: StartRequest): Promise<RunResult>;
}
