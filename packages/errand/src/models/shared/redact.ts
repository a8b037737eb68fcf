/** What replaces a secret. */
const MARK = '[redacted]';
/** Shorter texts hide nothing, and replacing them would garble ordinary words. */
const SHORTEST = 4;
/** A provider that echoes the head of a key echoes at least this much when it matters. */
const HEAD = 12;

/** Takes the given secrets out of a text, as they are, percent-encoded, and cut short after their first 12 characters. */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const known = new Set<string>();
  for (const secret of secrets) {
    if (secret.length < SHORTEST) continue;
    known.add(secret).add(encodeURIComponent(secret));
  }
  // Longest first: a secret may hold another.
  const forms = [...known].sort((a, b) => b.length - a.length);
  return (text) => forms.reduce(redactOne, text);
}

function redactOne(text: string, secret: string): string {
  const head = secret.slice(0, HEAD);
  let result = '';
  let from = 0;
  for (let at = text.indexOf(head); at >= 0; at = text.indexOf(head, from)) {
    let length = head.length;
    while (length < secret.length && text[at + length] === secret[length]) length++;
    result += text.slice(from, at) + MARK;
    from = at + length;
  }
  return from === 0 ? text : result + text.slice(from);
}
