import type { RunStateName } from '../domain/run/status.ts';
import { isEnded } from '../domain/run/status.ts';
import { cells, fit, pad, printable } from './text.ts';
import { type Line, treeLines } from './tree.ts';
import type { Row, View } from './view.ts';
import { elapsed, foldNames, GLYPHS, stateInWords, taken, tokens, tokensKnown, waitingFor } from './words.ts';

export interface FrameOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Cells; no line is wider, and there are no more lines. */
  readonly width: number;
  readonly height: number;
  readonly colours: boolean;
}

type Column = 'role' | 'model' | 'activity' | 'elapsed' | 'tokens';

/** What is shown beside the title, and the cells that title and activity keep as long as they need them. */
interface Arrangement {
  readonly columns: readonly Column[];
  readonly title: number;
  readonly activity: number;
}

/** From most to least; the narrower it gets, the more titles and activities are cut. */
const LAYOUTS: readonly Arrangement[] = [
  { columns: ['role', 'model', 'activity', 'elapsed', 'tokens'], title: 28, activity: 20 },
  { columns: ['role', 'activity', 'elapsed', 'tokens'], title: 28, activity: 20 },
  { columns: ['activity', 'elapsed', 'tokens'], title: 28, activity: 20 },
  { columns: ['activity', 'elapsed'], title: 28, activity: 20 },
  { columns: ['activity', 'elapsed'], title: 18, activity: 18 },
  { columns: ['activity'], title: 18, activity: 18 },
  { columns: ['activity'], title: 12, activity: 12 },
  { columns: [], title: 0, activity: 0 },
];
/** Cells of each column, as its texts need; what changes all the time keeps its place. */
const WIDTHS: Readonly<Record<Column, readonly [least: number, most: number]>> = {
  role: [0, 10],
  model: [0, 32],
  activity: [20, 44],
  elapsed: [7, 7],
  tokens: [8, 9],
};
const GAP = 2;

const COLOURS: Readonly<Record<RunStateName, number>> = {
  queued: 2,
  running: 36,
  waiting: 33,
  completed: 32,
  failed: 31,
  cancelled: 31,
  interrupted: 33,
};
const DIM = 2;

/** The view as lines of text. Pure: the same view, time and size give the same lines. */
export function renderFrame(view: View, options: FrameOptions): string[] {
  const { width, height } = options;
  if (view.rows.size === 0 || height < 1 || width < 1) return [];
  const footer = view.rows.size > 1 && height > 3 ? fit(footerOf(view, options.now), width) : null;
  const lines = treeLines(view, footer === null ? height : height - 1).map((line) => cellsOf(line, options.now));
  const layout = layoutFor(lines, width);
  const frame = lines.map((line) => paint(line, layout, options));
  return footer === null ? frame : [...frame, colour(footer, DIM, options.colours)];
}

/** A line with its texts. */
interface Texts {
  readonly left: string;
  /** State of the run whose glyph stands in `left`, and where it begins there; null for a count. */
  readonly state: RunStateName | null;
  readonly glyphAt: number;
  readonly columns: Readonly<Record<Column, string>> | null;
}

function cellsOf(line: Line, now: number): Texts {
  if ('summary' in line) return { left: line.prefix + line.summary, state: null, glyphAt: 0, columns: null };
  const { row, prefix } = line;
  const since = row.startedAt ?? row.createdAt;
  return {
    left: `${prefix}${GLYPHS[row.state]} ${printable(row.title)}`,
    state: row.state,
    glyphAt: prefix.length,
    columns: {
      role: printable(row.role),
      model: printable(row.model),
      activity: activityOf(row, line.live),
      elapsed: row.endedAt === null ? elapsed(now - since) : taken(row.endedAt - since),
      tokens: row.tokens + row.unknownCalls > 0 ? `${tokensKnown(row.tokens, row.unknownCalls)} tok` : '',
    },
  };
}

/** What a run does or waits for, and where its to-do list stands. */
function activityOf(row: Row, live: number): string {
  const done = `${stateInWords(row)}${row.partial ? ', partial' : ''}`;
  const now = isEnded(row.state) ? done : row.state === 'waiting' ? waitingFor(row.waitingOn, live) : workOf(row);
  const todo = isEnded(row.state) ? '' : todoOf(row);
  return todo ? `${now} · ${todo}` : now;
}

function workOf(row: Row): string {
  if (row.state === 'queued') return 'queued';
  if (row.running.length > 0) return printable(foldNames(row.running.map(({ name }) => name)));
  if (row.written > 0) return `writing, ${tokens(row.written)} characters`;
  return row.thinking ? 'thinking' : 'working';
}

/** `2/5 writing tests`: settled of all, and the one in progress. Source: CTX-5. */
function todoOf({ todo }: Row): string {
  if (todo.length === 0) return '';
  const settled = todo.filter(({ status }) => status === 'completed').length;
  const current = todo.find(({ status }) => status === 'in_progress');
  return `${settled}/${todo.length}${current ? ` ${printable(current.text)}` : ''}`;
}

interface Layout {
  readonly left: number;
  readonly columns: readonly { readonly name: Column; readonly width: number }[];
}

/** The richest layout that leaves the titles enough room. */
function layoutFor(lines: readonly Texts[], width: number): Layout {
  const natural = (name: Column) => {
    const needed = Math.max(0, ...lines.map((line) => cells(line.columns?.[name] ?? '')));
    const [least, most] = WIDTHS[name];
    return needed === 0 ? 0 : Math.min(most, Math.max(least, needed));
  };
  const title = Math.max(...lines.map((line) => cells(line.left)));
  for (const { columns: names, title: leastTitle, activity } of LAYOUTS) {
    const used = names.map((name) => ({ name, width: natural(name) })).filter((column) => column.width > 0);
    const least = used.map(({ name, width: wide }) => (name === 'activity' ? activity : wide));
    const room = width - least.reduce((sum, wide) => sum + wide + GAP, 0);
    if (names.length > 0 && room < Math.min(title, leastTitle)) continue;
    const left = Math.min(title, room);
    let spare = room - left;
    const columns = used.map(({ name, width: wide }, index) => {
      const more = Math.min(spare, wide - (least[index] ?? wide));
      spare -= more;
      return { name, width: (least[index] ?? wide) + more };
    });
    return { left, columns };
  }
  return { left: width, columns: [] };
}

function paint(line: Texts, layout: Layout, { colours, width }: FrameOptions): string {
  if (!line.columns) return colour(fit(line.left, width), DIM, colours);
  const parts = layout.columns.map(({ name, width: wide }) => {
    const side = name === 'elapsed' || name === 'tokens' ? 'start' : 'end';
    const text = pad(line.columns?.[name] ?? '', wide, side);
    return name === 'activity' ? text : colour(text, DIM, colours);
  });
  const left = pad(line.left, layout.left);
  return [colourGlyph(left, line, colours), ...parts].join(' '.repeat(GAP)).trimEnd();
}

function colourGlyph(left: string, line: Texts, colours: boolean): string {
  if (line.state === null || left.length <= line.glyphAt) return left;
  const glyph = left.charAt(line.glyphAt);
  return left.slice(0, line.glyphAt) + colour(glyph, COLOURS[line.state], colours) + left.slice(line.glyphAt + 1);
}

function colour(text: string, code: number, colours: boolean): string {
  return colours && text.trim() !== '' ? `\u001b[${code}m${text}\u001b[0m` : text;
}

/** `3 running · 2 queued · 5 done · 1m 05s · 12.3k tokens`, helpers alone. */
function footerOf(view: View, now: number): string {
  const rows = [...view.rows.values()];
  const helpers = rows.filter(({ parent_id }) => parent_id !== null);
  const ended = helpers.filter(({ state }) => isEnded(state)).length;
  const queued = helpers.filter(({ state }) => state === 'queued').length;
  const start = Math.min(...rows.map(({ createdAt }) => createdAt));
  const live = rows.some(({ state }) => !isEnded(state));
  const end = live ? now : Math.max(...rows.map(({ endedAt }) => endedAt ?? start));
  const spent = rows.reduce((sum, row) => sum + row.tokens, 0);
  const untold = rows.reduce((sum, row) => sum + row.unknownCalls, 0);
  const counts = [
    `${helpers.length} ${helpers.length === 1 ? 'helper' : 'helpers'}`,
    ...(helpers.length > ended + queued ? [`${helpers.length - ended - queued} working`] : []),
    ...(queued > 0 ? [`${queued} queued`] : []),
    `${ended} ended`,
  ];
  return [
    counts.join(', '),
    live ? elapsed(end - start) : taken(end - start),
    `${tokensKnown(spent, untold)} tokens`,
  ].join(' · ');
}
