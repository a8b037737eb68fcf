// `node tools/picture.ts`: runs Errand on this repository with the offline model, stops the record of it in mid-run, and draws the live view of
// that moment, by the code that draws it in a terminal, as docs/live-view.svg.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { RunEvent } from '../packages/errand/src/domain/run/event.ts';
import { renderFrame } from '../packages/errand/src/terminal/frame.ts';
import { EMPTY_VIEW, foldView } from '../packages/errand/src/terminal/view.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TASK =
  'Where is a run settled? What calls narrow? Which files parse the configuration? Where are answers cut? What calls takeOver?';
const WIDTH = 104;
const CELL = 8.43;
const LINE = 20;
const ESCAPE = String.fromCharCode(27);
const CODES = new RegExp(`(${ESCAPE}\\[\\d*m)`, 'u');
const CODE = new RegExp(`^${ESCAPE}\\[(\\d*)m$`, 'u');

const output = execFileSync(
  process.execPath,
  [
    join(ROOT, 'packages/errand/bin/errand.js'),
    'run',
    TASK,
    '--model',
    'offline/extract',
    '--output-format',
    'stream-json',
    '--quiet',
  ],
  {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, ERRAND_HOME: mkdtempSync(join(tmpdir(), 'errand-picture-')) },
  },
);
const events = output
  .trim()
  .split('\n')
  .slice(0, -1)
  .map((line) => JSON.parse(line) as RunEvent);
const ended = events.findIndex((event) => event.type === 'run.settled');
// A moment at which the first helper has just ended and others are at work.
const moment = events.slice(0, ended + 4);
const frame = renderFrame(foldView(EMPTY_VIEW, moment), {
  now: moment.at(-1)?.at ?? 0,
  width: WIDTH,
  height: 24,
  colours: true,
});
writeFileSync(join(ROOT, 'docs/live-view.svg'), svgOf(frame));

function svgOf(lines: readonly string[]): string {
  const width = Math.ceil(WIDTH * CELL + 32);
  const height = (lines.length + 1) * LINE + 32;
  const rows = lines.map((line, index) => `<text x="16" y="${(index + 2) * LINE + 16}">${spansOf(line)}</text>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" xml:space="preserve">
<title>The live view of a run with five helpers</title>
<rect width="100%" height="100%" rx="8" fill="#16181d"/>
<text x="16" y="${LINE + 6}" fill="#7d8590">$ errand run "Where is a run settled? What calls narrow? …"</text>
<g fill="#e6edf3">
${rows.join('\n')}
</g>
</svg>
`;
}

/** Colours of a terminal as SVG; the frame uses no other codes. */
function spansOf(line: string): string {
  const colours: Readonly<Record<string, string>> = {
    2: '#7d8590',
    31: '#ff7b72',
    32: '#7ee787',
    33: '#e3b341',
    36: '#79c0ff',
  };
  let drawn = '';
  let close = '';
  for (const part of line.split(CODES)) {
    const code = CODE.exec(part)?.[1];
    if (code === undefined) {
      drawn += part.replace(/&/gu, '&amp;').replace(/</gu, '&lt;');
      continue;
    }
    const fill = colours[code];
    drawn += close + (fill ? `<tspan fill="${fill}">` : '');
    close = fill ? '</tspan>' : '';
  }
  return drawn + close;
}
