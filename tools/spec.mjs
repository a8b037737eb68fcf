// Which rows of the specification are built, by the tests that cite them.
//   --json   prints { rows } and nothing else      --write  renews docs/CONFORMANCE.md      --quiet  prints problems only
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './common/root.mjs';
import { collectTests } from './spec/collect.mjs';
import { renderDocument } from './spec/document.mjs';
import { judge } from './spec/judge.mjs';

const DOCUMENT = 'docs/CONFORMANCE.md';
const asked = new Set(process.argv.slice(2));
const readJson = (path) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));

const rows = readJson('spec/rows.json');
const tests = collectTests();
const { rows: judged, pains, problems } = judge({ rows, claims: readJson('spec/claims.json'), tests });

if (asked.has('--json')) {
  process.stdout.write(`${JSON.stringify({ rows: judged }, null, 2)}\n`);
} else {
  keepDocument();
  if (!asked.has('--quiet')) printTests();
}
// With --json stdout belongs to the reader.
for (const problem of problems) (asked.has('--json') ? console.error : console.log)(problem);
if (!asked.has('--json')) printSummary();
process.exitCode = problems.length > 0 ? 1 : 0;

function keepDocument() {
  const wanted = renderDocument(rows, judged);
  const path = join(ROOT, DOCUMENT);
  if (existsSync(path) && readFileSync(path, 'utf8') === wanted) return;
  if (asked.has('--write')) writeFileSync(path, wanted);
  else problems.push(`${DOCUMENT} is stale: run \`npm run spec -- --write\` and commit it`);
}

function printTests() {
  for (const [id, { status, tests: titles, why }] of Object.entries(judged)) {
    if (titles.length === 0 && status === 'none') continue;
    console.log(`${id} ${status === 'none' ? 'not claimed' : status}${why ? ` (${why})` : ''}`);
    for (const title of titles) console.log(`    ${title}`);
  }
  if (Object.keys(pains).length > 0) console.log('\nPains with a test');
  for (const [id, titles] of Object.entries(pains)) {
    console.log(id);
    for (const title of titles) console.log(`    ${title}`);
  }
  const skipped = tests.filter((test) => test.skipped);
  if (skipped.length > 0) console.log('\nSkipped, always or under a condition');
  for (const { title, reason, at } of skipped) console.log(`    ${title} (${at}): ${reason ?? 'no reason given'}`);
  console.log('');
}

function printSummary() {
  const count = (status) => Object.values(judged).filter((row) => row.status === status).length;
  const none = Object.keys(judged).length - count('built') - count('partial');
  console.log(
    `spec: ${tests.length} tests; ${count('built')} rows built, ${count('partial')} partial, ${none} not yet; ${problems.length} problems`,
  );
}
