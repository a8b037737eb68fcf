import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { Finish, ToolCall } from '../../domain/run/message.ts';
import type { Usage } from '../../domain/run/usage.ts';
import type { ModelAnswer, ModelObserver } from '../../ports/model.ts';
import { type Extra, type Metadata, writeExtras } from './extras.ts';
import { toUsage } from './usage.ts';

type Part = LanguageModelV4StreamPart;
type CallBlock = Extract<Extra, { kind: 'call' }>;

interface OpenBlock {
  readonly kind: 'reasoning' | 'text';
  text: string;
  length: number;
  meta: Metadata | null;
}

const FINISHES: Partial<Record<LanguageModelV4FinishReason['unified'], Finish>> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'filter',
  'tool-calls': 'tool_calls',
  other: 'other',
};

/** Collects the parts of one streamed answer and tells the observer what it sees. */
export class AnswerCollector {
  /** How the stream ended; undefined while it has not. */
  finish: LanguageModelV4FinishReason | undefined;
  usage: Usage | null = null;
  /** Characters of text, reasoning and arguments so far. */
  characters = 0;
  #observer: ModelObserver;
  #owner: string;
  #text = '';
  #calls: ToolCall[] = [];
  #ids = new Set<string>();
  #modelUsed: string | null = null;
  #blocks: (OpenBlock | CallBlock)[] = [];
  #open: Map<string, OpenBlock> = new Map();

  constructor(owner: string, observer: ModelObserver) {
    this.#owner = owner;
    this.#observer = observer;
  }

  add(part: Part): void {
    if ('delta' in part) this.characters += part.delta.length;
    switch (part.type) {
      case 'text-delta':
        this.#addText(part.id, part.delta);
        if (part.providerMetadata) this.#noteMetadata(part);
        return;
      case 'text-start':
      case 'reasoning-start':
        this.#start(part.type === 'text-start' ? 'text' : 'reasoning', part.id);
        break;
      case 'reasoning-delta':
        this.#block('reasoning', part.id).text += part.delta;
        break;
      case 'tool-call':
        if (part.providerExecuted !== true) this.#addCall(part);
        break;
      case 'response-metadata':
        this.#modelUsed = part.modelId ?? this.#modelUsed;
        break;
      case 'finish':
        this.finish = part.finishReason;
        this.usage = toUsage(part.usage);
        break;
    }
    this.#noteMetadata(part);
  }

  /** The answer, once `finish` is one that an answer has; else null. */
  answer(): ModelAnswer | null {
    const finish = this.finish ? FINISHES[this.finish.unified] : undefined;
    if (!finish) return null;
    const extras = writeExtras(this.#owner, this.#blocks.filter(saysSomething).map(toExtra));
    return {
      kind: 'answer',
      text: this.#text,
      calls: this.#calls,
      finish,
      usage: this.usage,
      modelUsed: this.#modelUsed,
      ...(extras === undefined ? {} : { extras }),
    };
  }

  #addText(id: string, delta: string): void {
    if (delta === '') return;
    this.#text += delta;
    this.#block('text', id).length += delta.length;
    this.#observer.text(delta);
  }

  #addCall(part: Extract<Part, { type: 'tool-call' }>): void {
    const call_id = this.#uniqueId(part.toolCallId);
    this.#blocks.push({ kind: 'call', index: this.#calls.length, meta: part.providerMetadata ?? null });
    // The arguments stay as the model wrote them: who runs the tool says what is wrong with them.
    this.#calls.push({ call_id, name: part.toolName, args: part.input });
  }

  /** Results are matched by id, so an id may stand once in an answer. */
  #uniqueId(given: string): string {
    const base = given.trim() === '' ? 'call' : given;
    let id = base;
    for (let n = 2; this.#ids.has(id); n++) id = `${base}_${n}`;
    this.#ids.add(id);
    return id;
  }

  #start(kind: OpenBlock['kind'], id: string): OpenBlock {
    const block = { kind, text: '', length: 0, meta: null };
    this.#open.set(`${kind}:${id}`, block);
    this.#blocks.push(block);
    return block;
  }

  #block(kind: OpenBlock['kind'], id: string): OpenBlock {
    return this.#open.get(`${kind}:${id}`) ?? this.#start(kind, id);
  }

  /** Later metadata of a block replaces earlier: a signature comes at the end. */
  #noteMetadata(part: Part): void {
    if (!('providerMetadata' in part) || !part.providerMetadata || part.type === 'tool-call' || part.type === 'finish')
      return;
    const kind = part.type.startsWith('text-') ? 'text' : part.type.startsWith('reasoning-') ? 'reasoning' : null;
    if (!kind || !('id' in part)) return;
    const block = this.#block(kind, part.id);
    block.meta = merge(block.meta, part.providerMetadata);
  }
}

function merge(a: Metadata | null, b: Metadata): Metadata {
  if (!a) return b;
  const merged: Metadata = { ...a };
  for (const [name, values] of Object.entries(b)) merged[name] = { ...merged[name], ...values };
  return merged;
}

function saysSomething(block: OpenBlock | CallBlock): boolean {
  return block.kind === 'call' || block.meta !== null || block.length > 0 || block.text !== '';
}

function toExtra(block: OpenBlock | CallBlock): Extra {
  if (block.kind === 'call') return block;
  if (block.kind === 'reasoning') return { kind: 'reasoning', text: block.text, meta: block.meta };
  return { kind: 'text', length: block.length, meta: block.meta };
}
