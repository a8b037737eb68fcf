import type { Json } from '../../base/json.ts';

/** One tool call as the model asked for it. */
export interface ToolCall {
  readonly call_id: string;
  readonly name: string;
  /** The arguments as the model wrote them: JSON text, possibly broken. */
  readonly args: string;
}

/** The transcript in neutral form: append-only, encoded by the model adapters. */
export type Message =
  | { readonly role: 'user'; readonly text: string }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly calls: readonly ToolCall[];
      /** What the provider wants back unread: thinking signatures, item ids. */
      readonly extras?: Json;
    }
  | { readonly role: 'tool'; readonly results: readonly ToolResult[] };

export interface ToolResult {
  readonly call_id: string;
  readonly name: string;
  readonly text: string;
  readonly error: boolean;
}

export const FINISHES = ['stop', 'tool_calls', 'length', 'filter', 'other'] as const;
/** Why the model stopped. */
export type Finish = (typeof FINISHES)[number];
