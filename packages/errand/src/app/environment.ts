import process from 'node:process';

/** Environment variables as the process was given them; an empty one counts as absent. */
export type Environment = Readonly<Record<string, string | undefined>>;

export function systemEnvironment(): Environment {
  return process.env;
}
