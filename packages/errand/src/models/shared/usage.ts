import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import type { Usage } from '../../domain/run/usage.ts';

/** More tokens than any call takes: what is told beyond it is a mistake. */
const MOST = 1_000_000_000;

/** Null when the provider told nothing: no call has neither input nor output. What cannot be is brought to the nearest that can. */
export function toUsage(told: LanguageModelV4Usage): Usage | null {
  const input = count(told.inputTokens.total);
  const output = count(told.outputTokens.total);
  if (input === 0 && output === 0) return null;
  return {
    input,
    cached: Math.min(input, count(told.inputTokens.cacheRead)),
    output,
    reasoning: Math.min(output, count(told.outputTokens.reasoning)),
    unknown_calls: 0,
  };
}

function count(told: number | undefined): number {
  return typeof told === 'number' && told > 0 ? Math.min(MOST, Math.round(told)) : 0;
}
