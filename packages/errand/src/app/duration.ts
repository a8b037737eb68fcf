const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/**
 * A length of time in milliseconds: a number of seconds, as a number or as text, or a number with `s`, `m` or `h`.
 * Null for anything else. Source: SUR-1.
 */
export function parseDuration(raw: unknown): number | null {
  if (typeof raw === 'number') return Number.isFinite(raw) && raw >= 0 ? rounded(raw * 1_000) : null;
  if (typeof raw !== 'string') return null;
  const parts = /^(\d{1,12}(?:\.\d{1,6})?)(ms|s|m|h)?$/u.exec(raw.trim());
  if (!parts?.[1]) return null;
  return rounded(Number(parts[1]) * (UNITS[parts[2] ?? 's'] ?? 1_000));
}

/** More than nothing stays more than nothing; null beyond what can be counted. */
function rounded(milliseconds: number): number | null {
  if (milliseconds > Number.MAX_SAFE_INTEGER) return null;
  return milliseconds > 0 ? Math.max(1, Math.round(milliseconds)) : 0;
}

/** A length of time as it can be written in `config.toml`: `90s`, `5m`, `2h`, `250ms`. */
export function plainDuration(milliseconds: number): string {
  for (const unit of ['h', 'm', 's']) {
    const size = UNITS[unit] ?? 1;
    if (milliseconds >= size && milliseconds % size === 0) return `${milliseconds / size}${unit}`;
  }
  return milliseconds >= 1_000 ? `${milliseconds / 1_000}s` : `${milliseconds}ms`;
}
