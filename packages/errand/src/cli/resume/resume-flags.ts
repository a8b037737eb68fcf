import { EXIT } from '../../app/exit-codes.ts';
import { parseOption } from '../../app/options.ts';
import { RAISES } from '../../app/raises.ts';
import type { RunLimits } from '../../domain/run/limits.ts';
import { Failure } from '../around/failure.ts';
import type { Flags } from '../around/open.ts';

/** The bounds that the flags raise. */
export function raisesOf(flags: Flags): Partial<RunLimits> {
  const raises: Partial<Record<keyof RunLimits, number>> = {};
  for (const raise of RAISES) {
    const text = flags[raise.flag];
    if (text === undefined) continue;
    const read = parseOption(raise, text, raise.flag);
    if (!read.ok) throw new Failure(EXIT.usage, read.error);
    raises[raise.limit] = Number(read.value);
  }
  return raises;
}

/** The flags that settings are read with: those of the display alone, for a run's own folder. */
export function displayFlags(flags: Flags, folder?: string): Flags {
  const display = { '--output-format': flags['--output-format'], '--quiet': flags['--quiet'] };
  return folder === undefined ? display : { ...display, '--cwd': folder };
}
