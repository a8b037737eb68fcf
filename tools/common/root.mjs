import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root, absolute; tools work from there whatever the caller's directory is. */
export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** Scratch of the tools, ignored by git. */
export const SCRATCH = join(ROOT, '.dev');
