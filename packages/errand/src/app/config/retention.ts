import { clashOfRetention, type Retention, retentionFrom } from '../retention.ts';
import type { LimitClash, Values } from './limits.ts';

/** What is set of it, and the defaults. */
export function configuredRetention(values: Values): Retention {
  const given = (name: keyof Retention) => {
    const value = values.get(`retention.${name}`);
    return typeof value === 'number' ? value : undefined;
  };
  return retentionFrom({ days: given('days'), hidden_days: given('hidden_days'), runs: given('runs') });
}

/** Null: what is set is not at odds with itself. */
export function clashOfConfigured(values: Values): LimitClash | null {
  const message = clashOfRetention(configuredRetention(values));
  return message === null ? null : { message, keys: ['retention.hidden_days', 'retention.days'] };
}
