// Runs dependency-cruiser with the floors, and does not believe a pass that read too few modules:
// without a TypeScript whose API it knows, it reads none and finds nothing wrong.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './common/root.mjs';
import { filesBelow } from './common/walk.mjs';

const SRC = 'packages/errand/src';

const cruised = spawnSync(
  process.execPath,
  [
    join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs'),
    SRC,
    '--config',
    '.dependency-cruiser.cjs',
    '--output-type',
    'json',
  ],
  { cwd: ROOT, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 },
);

const report = parse(cruised);
const files = filesBelow(SRC).filter((path) => /\.ts$/.test(path));
const read = new Set(report.modules.filter((module) => !module.couldNotResolve).map((module) => module.source));
const unread = files.filter((path) => !read.has(path));
const comments = new Map(report.summary.ruleSetUsed.forbidden.map((rule) => [rule.name, rule.comment]));
const problems = report.summary.violations.map(describe);
if (files.length === 0) problems.push(`no modules below ${SRC}`);
if (unread.length > 0) problems.push(`dependency-cruiser did not read ${unread.length} files, such as ${unread[0]}`);

for (const problem of problems) console.log(problem);
console.log(
  `floors: ${read.size} modules, ${report.summary.totalDependenciesCruised} imports, ${problems.length} problems`,
);
process.exitCode = problems.length > 0 ? 1 : 0;

function parse({ stdout, stderr, error }) {
  try {
    return JSON.parse(stdout);
  } catch {
    console.log(`dependency-cruiser gave no report: ${error?.message ?? (stderr || stdout)}`);
    process.exit(1);
  }
}

function describe({ rule, from, to, cycle }) {
  const what = cycle ? [from, ...cycle.map((step) => step.name ?? step)].join(' → ') : `${from} → ${to}`;
  return `${rule.name}: ${what} (${comments.get(rule.name)})`;
}
