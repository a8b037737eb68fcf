import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import type { Usage } from '../../domain/run/usage.ts';

/** Null when the provider told nothing: no call has neither input nor output. */
export function toUsage(told: LanguageModelV4Usage): Usage | null {
  const input = told.inputTokens.total ?? 0;
  const output = told.outputTokens.total ?? 0;
  if (input === 0 && output === 0) return null;
  return {
    input,
    cached: told.inputTokens.cacheRead ?? 0,
    output,
    reasoning: told.outputTokens.reasoning ?? 0,
    unknown_calls: 0,
  };
}
