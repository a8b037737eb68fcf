import { isJsonObject } from '../../base/json.ts';
import type { Fault } from '../../domain/run/event.ts';

/** Whom a fault is about, and how it is told. */
export interface FaultContext {
  readonly connection: string;
  /** The model's id within the connection. */
  readonly model: string;
  /** Where it is: scheme, host and path, for messages. */
  readonly address: string;
  readonly hasKey: boolean;
  /** Takes secrets out of a provider's words. */
  readonly redact: (text: string) => string;
  /** Milliseconds since the epoch, for dates in Retry-After. */
  readonly now: () => number;
}

export interface ToldFault {
  readonly fault: Fault;
  readonly retryAfterMs?: number;
}

/** The subject of most messages. */
export const subject = (context: FaultContext): string => `Connection "${context.connection}"`;

/** What came is no answer of a model. */
export function badAnswer(what: string, context: FaultContext): ToldFault {
  const message = `${subject(context)} sent what is no model answer (${context.redact(what)}): try again; if it stays so, check its base URL ${context.address}.`;
  return { fault: { code: 'bad_answer', message, retryable: true } };
}

/** The answer began and did not come to its end. */
export function cutFault(why: string, context: FaultContext): Fault {
  return {
    code: 'cut',
    message: `${subject(context)} broke off within its answer (${why}): try again.`,
    retryable: true,
  };
}

/** The caller ended it. */
export function stoppedFault(context: FaultContext): Fault {
  return { code: 'stopped', message: `The call to connection "${context.connection}" was stopped.`, retryable: false };
}

/** The beginning of what came, on one line. */
export function excerpt(value: unknown): string {
  const text =
    typeof value === 'string'
      ? value
      : isJsonObject(value) || Array.isArray(value)
        ? JSON.stringify(value)
        : String(value);
  return text.replace(/\s+/gu, ' ').slice(0, 120);
}
