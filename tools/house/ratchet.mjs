/**
 * Exceptions that stand until somebody mends them: rule → where → the value it may have. They may only shrink, so
 * a value better than the listed one, or no offence any more, is reported as well.
 * @param {import('./finding.mjs').Finding[]} findings
 * @param {Record<string, Record<string, number>>} ratchet
 * @returns {string[]} problems, in words
 */
export function judge(findings, ratchet) {
  const problems = [];
  const used = new Set();
  for (const { rule, where, value, text } of findings) {
    const allowed = ratchet[rule]?.[where];
    used.add(`${rule} ${where}`);
    if (allowed === undefined) problems.push(`${rule}: ${where}: ${text}`);
    else if (value > allowed) problems.push(`${rule}: ${where}: ${text} (the ratchet allows ${allowed})`);
    else if (value < allowed) problems.push(`ratchet: ${rule} of ${where} is ${value} now: lower its ${allowed}`);
  }
  for (const [rule, places] of Object.entries(ratchet)) {
    for (const where of Object.keys(places)) {
      if (!used.has(`${rule} ${where}`)) problems.push(`ratchet: ${rule} of ${where} is mended: remove it`);
    }
  }
  return problems;
}
