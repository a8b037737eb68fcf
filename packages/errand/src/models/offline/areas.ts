import { list, type Wanted } from './calls.ts';
import { parsePaths } from './observed.ts';
import { compareText } from './rank.ts';
import { type Done, folder } from './turn.ts';

/** A part of the workspace for one scout. */
export interface Area {
  readonly title: string;
  /** What goes behind `SCOPE:`, one line each. */
  readonly scopes: readonly string[];
}

const MOST_AREAS = 6;
/** Folders beyond which a container is not taken apart: one scout cannot search hundreds of folders one by one. */
const MOST_FOLDERS = 60;
/** Folders that hold the parts of a code base rather than being one. */
const CONTAINERS = new Set([
  'packages',
  'src',
  'apps',
  'libs',
  'lib',
  'crates',
  'modules',
  'services',
  'projects',
  'internal',
  'cmd',
  'pkg',
  'components',
  'plugins',
  'workspaces',
]);
const NOT_SOURCE =
  /^(?:\.git|\.hg|\.svn|node_modules|bower_components|dist|build|out|coverage|target|vendor|third_party|tmp|temp|logs?|venv|env|__pycache__|\..*(?:cache|venv|env|idea|vscode|next|dev|tox|nox|gradle|turbo|nuxt|parcel|yarn).*|.*\.egg-info)$/iu;
const FIRST = /^(?:src|lib|app|packages|apps|crates|source|core|server|client|cmd|internal|pkg)$/iu;
const LAST =
  /^(?:tests?|spec|specs|e2e|__tests__|docs?|documentation|examples?|demos?|bench(?:marks?)?|scripts?|tools?|assets|fixtures|\..*)$/iu;

/** The next listing that is needed to tell the areas, or null when they can be told. `base`: a folder that the question names. */
export function nextListing(rounds: readonly (readonly Done[])[], base: string): Wanted[] | null {
  const listings = rounds.filter((round) => round.every((done) => done.name === 'list'));
  if (listings.length === 0) return [list(base === '' ? '.' : base)];
  if (listings.length > 1) return null;
  const folders = foldersOf(listings[0]?.[0], base);
  // A workspace that is one folder is that folder.
  const opened = folders.length === 1 ? folders : folders.filter((path) => CONTAINERS.has(nameOf(path)));
  return opened.length > 0 ? opened.map((path) => list(path)) : null;
}

/** The areas of a workspace, two to six, or none when it is too small or unknown to be split. */
export function areasOf(rounds: readonly (readonly Done[])[], base: string): Area[] {
  const [top, inner = []] = rounds.filter((round) => round.every((done) => done.name === 'list'));
  const first = top?.[0];
  if (!first || first.error) return [];
  const opened = new Map(
    inner.filter((done) => !done.error).map((done) => [folder(String(done.args.path ?? '')), done]),
  );
  const folders: string[] = [];
  const loose: string[] = hasFiles(first, base) ? [base] : [];
  for (const path of foldersOf(first, base)) {
    const listing = opened.get(path);
    const children = listing ? foldersOf(listing, path) : [];
    if (!listing || children.length === 0 || children.length > MOST_FOLDERS) folders.push(path);
    else {
      folders.push(...children);
      if (hasFiles(listing, path)) loose.push(path);
    }
  }
  if (folders.length === 0) return [];
  const most = loose.length > 0 ? MOST_AREAS - 1 : MOST_AREAS;
  const areas = group(sorted(folders), most).map((paths) => ({ title: titleOf(paths), scopes: paths }));
  const files = loose.map((path) => (path === '' ? './*' : `${path}/*`));
  return files.length > 0 ? [...areas, { title: 'files at the top', scopes: files }] : areas;
}

function foldersOf(listing: Done | undefined, base: string): string[] {
  if (!listing || listing.error) return [];
  return parsePaths(listing.text)
    .filter((path) => path.endsWith('/'))
    .map((path) => below(folder(path), base))
    .filter((path) => !NOT_SOURCE.test(nameOf(path)));
}

function hasFiles(listing: Done, base: string): boolean {
  return parsePaths(listing.text).some((path) => !path.endsWith('/') && below(path, base) !== base);
}

/** A listing gives paths from the workspace or from its folder. */
function below(path: string, base: string): string {
  return base === '' || path.startsWith(`${base}/`) ? path : `${base}/${path}`;
}

/** Source first, then the rest, then tests, documents and tools; by name within. */
function sorted(folders: readonly string[]): string[] {
  const place = (path: string) => {
    const top = path.split('/')[0] ?? path;
    if (LAST.test(nameOf(path)) || LAST.test(top)) return 2;
    return FIRST.test(top) ? 0 : 1;
  };
  return [...folders].sort((a, b) => place(a) - place(b) || compareText(a, b));
}

/** Neighbours together, so many to each that all have about as many. */
function group(paths: readonly string[], most: number): string[][] {
  const count = Math.min(most, paths.length);
  return Array.from({ length: count }, (_, index) =>
    paths.slice(Math.floor((index * paths.length) / count), Math.floor(((index + 1) * paths.length) / count)),
  );
}

function titleOf(paths: readonly string[]): string {
  const shown = paths.slice(0, 3).join(', ');
  return paths.length > 3 ? `${shown} and ${paths.length - 3} more` : shown;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
