/** Milliseconds that a provider asks to wait, from `retry-after-ms` or `Retry-After` (seconds or a date). */
export function readRetryAfter(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const milliseconds = readNumber(headers['retry-after-ms']);
  if (milliseconds !== undefined) return Math.ceil(milliseconds);
  const given = headers['retry-after'];
  if (given === undefined) return undefined;
  const seconds = readNumber(given);
  if (seconds !== undefined) return Math.ceil(seconds * 1000);
  const date = Date.parse(given);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** The wait that Google states in the body: `"retryDelay": "12s"`. */
export function readRetryDelay(body: string): number | undefined {
  const found = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/u.exec(body);
  return found ? Math.ceil(Number(found[1]) * 1000) : undefined;
}

function readNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*\d+(?:\.\d+)?\s*$/u.test(text) ? Number(text) : undefined;
}
