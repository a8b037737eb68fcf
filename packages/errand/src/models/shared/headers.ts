/** Header names in lower case, so that those of a connection replace those of a package. */
export function joinHeaders(...given: readonly Readonly<Record<string, string>>[]): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const headers of given) {
    for (const [name, value] of Object.entries(headers)) joined[name.toLowerCase()] = value;
  }
  return joined;
}
