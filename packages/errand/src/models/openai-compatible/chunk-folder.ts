import { StringDecoder } from 'node:string_decoder';
import type { BodyFilter } from '../shared/response-body.ts';

/** An event that stays open for this many characters is not waited for any longer. */
const LONGEST_HELD = 1024 * 1024;

interface Chunk {
  id?: unknown;
  model?: unknown;
  created?: unknown;
  usage?: unknown;
  choices: Choice[];
}

interface Choice {
  index?: unknown;
  delta?: Delta | null;
  finish_reason?: unknown;
}

interface Delta {
  content?: string | null;
  reasoning_content?: string | null;
  reasoning?: string | null;
  tool_calls?: ToolDelta[] | null;
}

interface ToolDelta {
  index?: unknown;
  id?: unknown;
  function?: { name?: unknown; arguments?: unknown } | null;
}

/**
 * Joins the chat-completion chunks that arrived together into one, since the provider package spends far more on an
 * event than on its length. What it reads from the stream stays the same: order, texts, calls, usage, finish. Nothing
 * is delayed but events that are not yet complete, and whatever is not a plain chunk passes as it came.
 */
export class ChunkFolder implements BodyFilter {
  #decoder = new StringDecoder('utf8');
  #held = '';
  #plain = false;

  push(piece: Buffer): Uint8Array | null {
    if (this.#plain) return piece;
    const text = this.#held + this.#decoder.write(piece);
    const end = text.lastIndexOf('\n\n') + 2;
    if (text.includes('\r') || text.length - end > LONGEST_HELD) {
      // Other line ends, or no event stream: left to the package.
      this.#plain = true;
      this.#held = '';
      return Buffer.from(text + this.#decoder.end());
    }
    this.#held = text.slice(end < 2 ? 0 : end);
    return end < 2 ? null : Buffer.from(fold(text.slice(0, end)));
  }

  end(): Uint8Array | null {
    const rest = this.#held + this.#decoder.end();
    this.#held = '';
    return rest === '' ? null : Buffer.from(rest);
  }
}

/** Folds a text of complete events. */
function fold(text: string): string {
  const events = text.split('\n\n');
  // The last is the empty text behind the last blank line.
  if (events.length <= 2) return text;
  events.length -= 1;
  let folded = '';
  let open: { readonly chunk: Chunk; source: string | null } | null = null;
  const close = () => {
    if (open) folded += `${open.source ?? `data: ${JSON.stringify(open.chunk)}`}\n\n`;
    open = null;
  };
  for (const source of events) {
    const chunk = readChunk(source);
    if (chunk && open && join(open.chunk, chunk)) {
      open.source = null;
      continue;
    }
    close();
    if (chunk) open = { chunk, source };
    else folded += `${source}\n\n`;
  }
  close();
  return folded;
}

/** A chunk with one choice at most and nothing out of the ordinary; else null. */
function readChunk(source: string): Chunk | null {
  if (!source.startsWith('data: {') || source.includes('\n')) return null;
  let chunk: Chunk & { error?: unknown };
  try {
    chunk = JSON.parse(source.slice(6)) as Chunk;
  } catch {
    return null;
  }
  if ('error' in chunk || !Array.isArray(chunk.choices) || chunk.choices.length > 1) return null;
  const [choice] = chunk.choices;
  return !choice || isPlain(choice) ? chunk : null;
}

function isPlain(choice: Choice): boolean {
  if (typeof choice !== 'object' || choice === null) return false;
  const { delta } = choice;
  if (typeof delta !== 'object' || delta === null) return false;
  for (const [key, value] of Object.entries(delta)) {
    if (value === null) continue;
    if (key === 'tool_calls') {
      if (!Array.isArray(value)) return false;
    } else if (typeof value !== 'string' || key === 'refusal') return false;
  }
  return true;
}

/** Joins `next` into `chunk` if the package reads the same from it; else changes nothing. */
function join(chunk: Chunk, next: Chunk): boolean {
  const [a] = chunk.choices;
  const [b] = next.choices;
  if (a && b && (a.index !== b.index || !joinDeltas(a.delta ?? {}, b.delta ?? {}))) return false;
  if (!a && b) chunk.choices = next.choices;
  else if (a && b && b.finish_reason != null) a.finish_reason = b.finish_reason;
  if (next.usage != null) chunk.usage = next.usage;
  // Some servers send an empty head first.
  chunk.id ||= next.id;
  chunk.model ||= next.model;
  chunk.created ||= next.created;
  return true;
}

/** Within one chunk the package reads reasoning, then text, then calls: only what comes in this order is joined. */
function joinDeltas(a: Delta, b: Delta): boolean {
  if (firstKind(b) < lastKind(a)) return false;
  const reasoning = reasoningOf(b);
  if (reasoning) a.reasoning_content = (reasoningOf(a) ?? '') + reasoning;
  if (b.content) a.content = (a.content ?? '') + b.content;
  if (b.tool_calls?.length) {
    a.tool_calls ??= [];
    for (const call of b.tool_calls) addCall(a.tool_calls, call);
  }
  return true;
}

/** Of the two names the package reads the first that is there, be it empty. */
function reasoningOf(delta: Delta): string | null | undefined {
  return delta.reasoning_content ?? delta.reasoning;
}

function addCall(calls: ToolDelta[], call: ToolDelta): void {
  const last = calls.at(-1);
  if (last && isContinuation(last) && isContinuation(call) && last.index === call.index) {
    last.function.arguments += call.function.arguments;
  } else calls.push(call);
}

function isContinuation(call: ToolDelta): call is ToolDelta & { function: { arguments: string } } {
  return (
    call?.index != null &&
    !call.id &&
    typeof call.function?.arguments === 'string' &&
    call.function.name == null &&
    Object.keys(call).length <= 3
  );
}

function firstKind(delta: Delta): number {
  if (reasoningOf(delta)) return 0;
  if (delta.content) return 1;
  return delta.tool_calls?.length ? 2 : 3;
}

function lastKind(delta: Delta): number {
  if (delta.tool_calls?.length) return 2;
  if (delta.content) return 1;
  return 0;
}
