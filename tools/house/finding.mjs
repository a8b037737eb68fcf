/**
 * What a rule found. `where` is a path, or a path with `#name` for a part of a file; together with `rule` it is what
 * the ratchet knows an exception by. `value` is the measure (1 for a plain offence); more of it is worse.
 * @typedef {{ rule: string, where: string, value: number, text: string }} Finding
 */

/** Offences of one rule in one file become one finding, so that the ratchet can count them down. */
export function offences(rule, file, found) {
  if (found.length === 0) return [];
  const lines = found.map(({ line, what }) => `${what} (line ${line})`);
  return [{ rule, where: file.path, value: found.length, text: lines.join(', ') }];
}
