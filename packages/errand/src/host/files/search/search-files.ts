import { basename, dirname } from 'node:path';
import { fail, type Result, succeed } from '../../../base/result.ts';
import type { FileFailure, SearchMatches, SearchRequest } from '../../../ports/files.ts';
import { failure, type Refused, shown, stopped } from '../failure.ts';
import type { Ground } from '../ground.ts';
import type { Pinned } from '../pinned.ts';
import { refuse } from '../read-lines.ts';
import { ignoreArgs } from '../repository.ts';
import { confirmMatches } from './confirm-matches.ts';
import { compileGlob, type GlobTest } from './glob.ts';
import { MatchCollector } from './match-collector.ts';
import type { RipgrepEnd } from './ripgrep.ts';

const LONGEST_PATTERN = 20_000;
const LINE_FEED = 0x0a;
/** Last parts of globs that ripgrep can take as a file type, to look into fewer files. */
const SIMPLE_NAME = /^(?!.*\*\*)[\w.*?-]*(?:\{[\w.,-]+\})?$/u;

/** Searches the files of the workspace for a pattern; what is reported was seen inside it. */
export async function searchFiles(
  ground: Ground,
  request: SearchRequest,
  signal: AbortSignal,
): Promise<Result<SearchMatches, FileFailure>> {
  if (signal.aborted) return stopped();
  const glob = checkPatterns(request);
  if (!glob.ok) return glob;
  const place = await findPlace(ground, request.path ?? '.');
  if (!place.ok) return place;
  const { folder, target } = place.value;
  try {
    const ignored = ignoreArgs(ground.root, folder.real);
    if (!ignored.ok) return ignored;
    const prefix = folder.path === '.' ? '' : `${folder.path}/`;
    const collector = new MatchCollector({
      prefix,
      fits: glob.value,
      limit: request.maxMatches,
      maxLine: request.maxLine,
    });
    const args = [...searchArgs(request), ...ignored.value, '-e', request.pattern, '--', target];
    const take = (record: Buffer): boolean => collector.take(record);
    const end = await ground.ripgrep({ args, folder: folder.folder, separator: LINE_FEED, take }, signal);
    return await conclude({ ground, collector, end, signal });
  } finally {
    folder.close();
  }
}

function checkPatterns({ pattern, glob }: SearchRequest): Result<GlobTest, FileFailure> {
  if (pattern === '') return failure('bad_pattern', 'The pattern is empty; give what to look for.');
  if (pattern.includes('\0')) return failure('bad_pattern', 'The pattern holds a NUL, which no text file does.');
  if (pattern.length > LONGEST_PATTERN) {
    return failure('bad_pattern', `The pattern is longer than ${LONGEST_PATTERN} characters.`);
  }
  if (glob === undefined) return succeed(() => true);
  const test = compileGlob(glob);
  return test.ok ? test : failure('bad_pattern', `The glob ${shown(glob)} cannot be used: ${test.error}.`);
}

/** Where ripgrep is to run, held, and what it is to search there. */
interface Place {
  readonly folder: Pinned;
  readonly target: string;
}

async function findPlace(ground: Ground, path: string): Promise<Result<Place, FileFailure>> {
  const pinned = ground.pin(ground.root, path);
  if (!pinned.ok) return pinned;
  const found = pinned.value;
  if (found.stats.isDirectory()) return succeed({ folder: found, target: './' });
  const refusal = await refuse(ground, found, path);
  found.close();
  if (refusal) return refusal;
  const folder = ground.pin(ground.root, dirname(found.path));
  return folder.ok ? succeed({ folder: folder.value, target: `./${basename(found.path)}` }) : folder;
}

function searchArgs({ fixed, ignoreCase, wholeWord, glob }: SearchRequest): string[] {
  const args = ['--no-config', '--json', '--sort', 'path', '--no-follow', '--no-mmap', '--crlf', '--line-buffered'];
  args.push('--no-messages', '--no-ignore-messages', ignoreCase ? '--ignore-case' : '--case-sensitive');
  if (fixed) args.push('--fixed-strings');
  if (wholeWord) args.push('--word-regexp');
  const name = glob?.slice(glob.lastIndexOf('/') + 1);
  if (name && SIMPLE_NAME.test(name)) args.push('--type-add', `asked:${name}`, '--type', 'asked');
  return args;
}

interface Conclusion {
  readonly ground: Ground;
  readonly collector: MatchCollector;
  readonly end: RipgrepEnd;
  readonly signal: AbortSignal;
}

async function conclude({ ground, collector, end, signal }: Conclusion): Promise<Result<SearchMatches, FileFailure>> {
  const refusal = refusalOf(end, collector.summarised);
  if (refusal) return refusal;
  const { found, more } = collector.finish();
  const matches = await confirmMatches(ground, found, signal);
  if (signal.aborted) return stopped();
  const cut = more || (end.kind !== 'done' && end.kind !== 'enough') || end.dropped > 0;
  if (end.kind === 'late' && matches.length === 0) return tooSlow();
  return succeed({ matches, more: cut });
}

/** Why a run of ripgrep gave no answer, if so. `summarised`: it came to its end in good order. */
function refusalOf(end: RipgrepEnd, summarised: boolean): Refused | undefined {
  if (end.kind === 'stopped') return stopped();
  if (end.kind === 'failed') return failure('unreadable', `The search could not run: ${end.message}.`);
  if (end.complaint === '' || summarised) return undefined;
  const said =
    /^error: (.+)$/mu.exec(end.complaint)?.[1] ?? end.complaint.replace(/^rg: /u, '').split('\n', 1)[0] ?? '';
  return failure(
    'bad_pattern',
    `The pattern is not a regular expression that can be used: ${said}. To look for the text as it stands, set fixed to true.`,
  );
}

export function tooSlow(): Refused {
  return fail({
    code: 'stopped',
    message: 'The search took too long and was stopped before it found anything; narrow it with path or glob.',
  });
}
