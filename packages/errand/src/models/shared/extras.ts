import type { JSONObject } from '@ai-sdk/provider';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Message } from '../../domain/run/message.ts';

/** What a provider attached to a part of an answer: by provider package, then freely. */
export type Metadata = Record<string, JSONObject>;

/**
 * A part of an answer, in order, with what its provider wants back. Texts and calls stand in the message itself:
 * here is only how long a piece of the text is, and which call it is.
 */
export type Extra =
  | { readonly kind: 'reasoning'; readonly text: string; readonly meta: Metadata | null }
  | { readonly kind: 'text'; readonly length: number; readonly meta: Metadata | null }
  | { readonly kind: 'call'; readonly index: number; readonly meta: Metadata | null };

/** Extras as they are journaled; undefined when there is nothing that the message itself does not say. */
export function writeExtras(owner: string, extras: readonly Extra[]): Json | undefined {
  if (!extras.some((extra) => extra.meta || extra.kind === 'reasoning')) return undefined;
  return { owner, parts: extras.map(writeExtra) };
}

function writeExtra(extra: Extra): Json {
  const meta = extra.meta ? { meta: extra.meta as Json } : {};
  if (extra.kind === 'reasoning') return { reasoning: extra.text, ...meta };
  return extra.kind === 'text' ? { text: extra.length, ...meta } : { call: extra.index, ...meta };
}

/** The extras of a message if they are from `owner` and fit what the message says; else null. */
export function readExtras(message: Extract<Message, { role: 'assistant' }>, owner: string): readonly Extra[] | null {
  const { extras } = message;
  if (!isJsonObject(extras) || extras.owner !== owner || !Array.isArray(extras.parts)) return null;
  const parts = (extras.parts as readonly Json[]).map(readExtra);
  let characters = 0;
  let calls = 0;
  for (const part of parts) {
    if (!part) return null;
    if (part.kind === 'text') characters += part.length;
    if (part.kind === 'call') calls++;
  }
  const fits = characters === message.text.length && calls === message.calls.length;
  return fits ? (parts as readonly Extra[]) : null;
}

function readExtra(value: Json): Extra | null {
  if (!isJsonObject(value)) return null;
  const meta = readMeta(value);
  if (typeof value.reasoning === 'string') return { kind: 'reasoning', text: value.reasoning, meta };
  if (typeof value.text === 'number') return { kind: 'text', length: value.text, meta };
  return typeof value.call === 'number' ? { kind: 'call', index: value.call, meta } : null;
}

function readMeta(value: JsonObject): Metadata | null {
  return isJsonObject(value.meta) ? (value.meta as unknown as Metadata) : null;
}
