import { list, type Wanted } from './look/calls.ts';
import { parsePaths } from './look/observed.ts';
import { compareText } from './look/rank.ts';
import { type Done, folder } from './turn.ts';

/** A part of the workspace for one scout. */
export interface Area {
  readonly title: string;
  /** What goes behind `SCOPE:`, one line each. */
  readonly scopes: readonly string[];
}

const MOST_AREAS = 6;
const MOST_LISTINGS = 4;
/** With fewer parts than this a part is taken apart further. */
const ENOUGH_PARTS = 4;
const DEEPEST = 4;
/** Folders that hold the parts of a code base rather than being one. */
const CONTAINERS = new Set(
  'packages src apps libs lib crates modules services projects internal cmd pkg components plugins workspaces'.split(
    ' ',
  ),
);
/** Never looked into: what tools keep for themselves, and what others wrote. */
const NOT_SOURCE =
  /^(?:\.git|\.hg|\.svn|node_modules|bower_components|venv|__pycache__|\..*(?:cache|venv|env|idea|vscode|next|dev|tox|nox|gradle|turbo|nuxt|parcel|yarn).*|.*\.egg-info)$/iu;
/** Beside the source: looked at by the last scouts, and together. Built files are in there, where they are not ignored. */
const BESIDE =
  /^(?:tests?|testing|specs?|e2e|__tests__|docs?|documentation|examples?|demos?|samples?|bench(?:mark(?:s|ing)?)?|scripts?|tools?|assets|public|static|fixtures|bin|dist|build|out|coverage|target|vendor|third_party|tmp|temp|logs?|\..*)$/iu;

/** What the listings so far show: the folders that are parts, and those of which only the files right in them are left. */
interface Layout {
  readonly parts: readonly string[];
  readonly shallow: readonly string[];
}

/** The next listings that are needed to tell the areas, or null when they can be told. `base`: a folder that the question names. */
export function nextListing(rounds: readonly (readonly Done[])[], base: string): Wanted[] | null {
  const listings = listingsIn(rounds);
  if (listings.length === 0) return [list(base === '' ? '.' : base)];
  if (listings.length >= MOST_LISTINGS) return null;
  const { parts } = layoutOf(listings, base);
  const listed = new Set(listings.flat().map((done) => folder(String(done.args.path ?? ''))));
  const main = parts.filter((path) => !isBeside(path));
  const few = main.length < ENOUGH_PARTS;
  const open = main.filter(
    (path) => !listed.has(path) && (CONTAINERS.has(nameOf(path)) || (few && path.split('/').length < DEEPEST)),
  );
  return open.length > 0 && open.length <= MOST_AREAS ? open.map((path) => list(path)) : null;
}

/** The areas of a workspace, two to six, or fewer when it is too small or unknown to be split. */
export function areasOf(rounds: readonly (readonly Done[])[], base: string): Area[] {
  const { parts, shallow } = layoutOf(listingsIn(rounds), base);
  const beside = parts.filter(isBeside).sort(compareText);
  const main = parts.filter((path) => !isBeside(path)).sort(compareText);
  const loose = shallow.length > 0 ? 1 : 0;
  const forBeside = Math.min(beside.length, main.length > 3 ? 1 : 2);
  const groups = [...group(main, MOST_AREAS - loose - forBeside), ...group(beside, forBeside)];
  const areas = groups.map((paths) => ({ title: titleOf(paths), scopes: paths }));
  const files = shallow.map((path) => (path === '' ? './*' : `${path}/*`));
  return files.length > 0 ? [...areas, { title: 'files at the top', scopes: files }] : areas;
}

function listingsIn(rounds: readonly (readonly Done[])[]): (readonly Done[])[] {
  return rounds.filter((round) => round.length > 0 && round.every((done) => done.name === 'list'));
}

/** Folders that were listed stand for what is in them. */
function layoutOf(listings: readonly (readonly Done[])[], base: string): Layout {
  const opened = new Map(
    listings
      .flat()
      .filter((done) => !done.error)
      .map((done) => [folder(String(done.args.path ?? '')), pathsIn(done)]),
  );
  const parts: string[] = [];
  const shallow: string[] = [];
  const visit = (path: string): void => {
    const inside = opened.get(path);
    const folders = inside?.filter((entry) => entry.endsWith('/')).map(folder) ?? [];
    if (!inside || (folders.length === 0 && path !== base)) {
      parts.push(path);
      return;
    }
    if (inside.some((entry) => !entry.endsWith('/'))) shallow.push(path);
    for (const entry of folders) visit(entry);
  };
  if (opened.has(base)) visit(base);
  return { parts, shallow };
}

/** What a listing shows, from the workspace on, without what is no source. */
function pathsIn(done: Done): string[] {
  const at = folder(String(done.args.path ?? ''));
  return parsePaths(done.text)
    .map((path) => (at === '' || path.startsWith(`${at}/`) ? path : `${at}/${path}`))
    .filter((path) => !path.endsWith('/') || !NOT_SOURCE.test(nameOf(folder(path))));
}

/** What lies within the source is source, whatever its name. */
function isBeside(path: string): boolean {
  const names = path.split('/');
  const source = names.findIndex((name) => /^(?:src|lib|source)$/iu.test(name));
  return names.slice(0, source < 0 ? names.length : source).some((name) => BESIDE.test(name));
}

/** Neighbours together, so many to each that all have about as many. */
function group(paths: readonly string[], most: number): string[][] {
  const count = Math.min(most, paths.length);
  return Array.from({ length: count }, (_, index) =>
    paths.slice(Math.floor((index * paths.length) / count), Math.floor(((index + 1) * paths.length) / count)),
  );
}

/** The folders of an area; of neighbours the way to them only once. */
function titleOf(paths: readonly string[]): string {
  const [first = ''] = paths;
  const way = first.slice(0, first.lastIndexOf('/') + 1);
  const names = paths.map((path, index) =>
    index > 0 && way !== '' && path.startsWith(way) ? path.slice(way.length) : path,
  );
  return names.length > 4 ? `${names.slice(0, 4).join(', ')} and ${names.length - 4} more` : names.join(', ');
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
