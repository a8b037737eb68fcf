import { DEFAULT_RETENTION, type Retention } from '../retention.ts';
import type { LimitClash, Values } from './limits.ts';

/** What is set of it, and the defaults. */
export function retentionFrom(values: Values): Retention {
  const given = (name: keyof Retention) => {
    const value = values.get(`retention.${name}`);
    return typeof value === 'number' ? value : DEFAULT_RETENTION[name];
  };
  return { days: given('days'), hidden_days: given('hidden_days'), runs: given('runs') };
}

/** No conversation is kept longer than the run that it belongs to. Null: none is meant to be; the default never is. */
export function clashOfRetention(values: Values): LimitClash | null {
  const { days, hidden_days } = retentionFrom(values);
  if (hidden_days <= days) return null;
  return {
    keys: ['retention.hidden_days', 'retention.days'],
    message: `retention.hidden_days (${hidden_days}) must not be greater than retention.days (${days}): the conversations of helpers go with their runs.`,
  };
}
