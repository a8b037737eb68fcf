/** Why settings cannot be had: one sentence that says what to do, and the exit code (2: a flag, 4: configuration). */
export interface ConfigProblem {
  readonly exit: 2 | 4;
  readonly message: string;
  /** Where it stands in a file, counted from 1, as far as known. */
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

export interface Place {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

/** A problem at a place in a file; the message begins with `file:line:column`. */
export function fileProblem(place: Place, message: string): ConfigProblem {
  const where = [place.file, place.line, place.column].filter((part) => part !== undefined).join(':');
  return { exit: 4, message: `${where}: ${message}`, ...place };
}

export function unusable(message: string): ConfigProblem {
  return { exit: 4, message };
}

export function wrongFlag(message: string): ConfigProblem {
  return { exit: 2, message };
}
