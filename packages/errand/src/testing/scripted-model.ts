import type { JsonObject } from '../base/json.ts';
import type { Fault } from '../domain/run/event.ts';
import type { Finish } from '../domain/run/message.ts';
import { NO_USAGE, type Usage } from '../domain/run/usage.ts';
import type { Model, ModelAnswer, ModelObserver, ModelOutcome, ModelRequest, Models } from '../ports/model.ts';

/** A call that a scripted model got. */
export interface ScriptedCall {
  /** 1 for the first call of this model. */
  readonly n: number;
  /** With the messages as they were at the call. */
  readonly request: ModelRequest;
  readonly observer: ModelObserver;
  readonly signal: AbortSignal;
}

/** What a scripted model does with one call. A rejection is what a broken adapter would do. */
export type ModelReply = (call: ScriptedCall) => Promise<ModelOutcome>;

export interface ReplyOptions {
  readonly text?: string;
  /** `call_id` defaults to `call_<n>_<index>`; objects are written as JSON, texts as they are. */
  readonly calls?: readonly { readonly name: string; readonly args: JsonObject | string; readonly call_id?: string }[];
  /** Default: tool_calls when there are calls, else stop. */
  readonly finish?: Finish;
  /** Default 10 in, 5 out; null: the provider tells nothing. */
  readonly usage?: Partial<Usage> | null;
  readonly extras?: ModelAnswer['extras'];
  readonly modelUsed?: string | null;
}

/** Answers; the text is told to the observer first. */
export function replyWith(options: ReplyOptions): ModelReply {
  return async ({ n, observer }) => {
    const text = options.text ?? '';
    if (text) observer.text(text);
    const calls = (options.calls ?? []).map((call, index) => ({
      call_id: call.call_id ?? `call_${n}_${index}`,
      name: call.name,
      args: typeof call.args === 'string' ? call.args : JSON.stringify(call.args),
    }));
    return {
      kind: 'answer',
      text,
      calls,
      finish: options.finish ?? (calls.length > 0 ? 'tool_calls' : 'stop'),
      usage: options.usage === null ? null : { ...NO_USAGE, input: 10, output: 5, ...options.usage },
      modelUsed: options.modelUsed ?? null,
      ...(options.extras === undefined ? {} : { extras: options.extras }),
    };
  };
}

/** Tells some text, then fails with this fault. */
export function replyFault(
  fault: Partial<Fault> & Pick<Fault, 'code'>,
  more: { readonly text?: string; readonly retryAfterMs?: number } = {},
): ModelReply {
  return async ({ observer }) => {
    if (more.text) observer.text(more.text);
    const whole = { message: `Scripted fault ${fault.code}.`, retryable: false, ...fault };
    const wait = more.retryAfterMs === undefined ? {} : { retryAfterMs: more.retryAfterMs };
    return { kind: 'fault', fault: whole, usage: null, ...wait };
  };
}

/** Tells some text, then nothing more until the call is aborted. */
export function replyHang(text = ''): ModelReply {
  return async ({ observer, signal }) => {
    if (text) observer.text(text);
    await aborted(signal);
    return STOPPED;
  };
}

/** Waits for `gate` (or an abort) before the reply. */
export function replyAfter(gate: Promise<unknown>, reply: ModelReply): ModelReply {
  return async (call) => {
    await Promise.race([gate, aborted(call.signal)]);
    return call.signal.aborted ? STOPPED : reply(call);
  };
}

const STOPPED: ModelOutcome = {
  kind: 'fault',
  fault: { code: 'stopped', message: 'The call was stopped.', retryable: false },
  usage: null,
};

/** A model that does as told, in process. */
export interface ScriptedModel extends Model {
  /** Every call so far, in order. */
  readonly calls: readonly ScriptedCall[];
  /** Calls under way. */
  openCalls(): number;
  /** Settles once `count` calls have been made. */
  whenCalls(count: number): Promise<void>;
  /** Throws when scripted replies are left over or more were asked for than there are. */
  assertFinished(): void;
}

/** `script`: a function of the call, or one reply for each call in order. `name` is `<connection>/<id>`. */
export function createScriptedModel(
  script: readonly ModelReply[] | ((call: ScriptedCall) => ModelReply),
  name = 'scripted/model',
): ScriptedModel {
  const calls: ScriptedCall[] = [];
  const waiters = new Set<() => void>();
  let open = 0;
  const choose = (call: ScriptedCall): ModelReply => {
    if (typeof script === 'function') return script(call);
    return (
      script[call.n - 1] ??
      replyFault({ code: 'internal', message: `The script of ${name} has no reply for call ${call.n}.` })
    );
  };
  return {
    name,
    calls,
    openCalls: () => open,
    async call(request, observer, signal) {
      const call = { n: calls.length + 1, request: { ...request, messages: [...request.messages] }, observer, signal };
      calls.push(call);
      open++;
      for (const check of [...waiters]) check();
      try {
        return await choose(call)(call);
      } finally {
        open--;
      }
    },
    whenCalls(count) {
      return new Promise((resolve) => {
        const check = () => {
          if (calls.length < count) return;
          waiters.delete(check);
          resolve();
        };
        waiters.add(check);
        check();
      });
    },
    assertFinished() {
      if (typeof script === 'function' || script.length === calls.length) return;
      throw new Error(`The script of ${name} has ${script.length} replies, and ${calls.length} calls were made.`);
    },
  };
}

/** The given models by their names; any other name is refused. */
export function createScriptedModels(...models: readonly Model[]): Models {
  const known = new Map(models.map((model) => [model.name, model]));
  return {
    async connect(name) {
      const value = known.get(name);
      return value
        ? { ok: true, value }
        : { ok: false, error: `There is no model "${name}" (known: ${[...known.keys()].join(', ')}).` };
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
