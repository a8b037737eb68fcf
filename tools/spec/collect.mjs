import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../common/root.mjs';
import { lineOf, parseSource, visit } from '../common/sources.mjs';
import { eachCall, functionsByName, testsOf } from '../common/test-calls.mjs';
import { filesBelow } from '../common/walk.mjs';
import { asserts } from './assertions.mjs';

const TEST_FILE = /^packages\/[^/]+\/(?:test|src)\/.*\.test\.ts$/;
const IDS = /\[([A-Z]+-\d+(?:\s*,\s*[A-Z]+-\d+)*)\]/g;

/**
 * @typedef {object} SpecTest
 * @property {string[]} ids rows it cites, in its own title or in a suite's
 * @property {string} title as vitest names it: the titles of its suites and its own
 * @property {string} at path and line
 * @property {boolean} asserts @property {boolean} skipped @property {boolean} never @property {string | null} reason
 */

const CASE_LIST = /-conformance\.ts$/;

/** Every test of the repository, those of conformance suites under each suite that runs them. @returns {SpecTest[]} */
export function collectTests() {
  return filesBelow('packages')
    .filter((path) => TEST_FILE.test(path) && !path.includes('/fixtures/'))
    .flatMap((path) => {
      const source = parseSource(path);
      const cases = importedCases(source, path);
      return testsOf(source).flatMap((test) => {
        if (cases.length > 0 && runsCases(source, test)) return cases.map((one) => asCase(test, one));
        const at = `${path}:${test.line}`;
        return [facts({ ...test, at, asserts: asserts(source, test) })];
      });
    });
}

function facts({ titles, at, asserts: checked, skipped, never, reason }) {
  const title = titles.filter((part) => part !== '').join(' ');
  const ids = [...title.matchAll(IDS)].flatMap(([, list]) => list.split(/\s*,\s*/));
  return { ids: [...new Set(ids)], title, at, asserts: checked, skipped, never, reason };
}

function asCase(test, one) {
  return facts({ ...test, titles: [...test.titles.slice(0, -1), one.title], at: one.at, asserts: one.asserts });
}

/** Whether a test is the one line that runs a conformance suite: named by a case's `title`, calling its `run`. */
function runsCases(source, { name, body }) {
  if (!name || !body) return false;
  const title = ts.isStringLiteralLike(name) ? name.text : name.getText(source);
  if (!/^(?:\w+\.)?title$|^\$title$/.test(title)) return false;
  let runs = false;
  eachCall({ body, functions: functionsByName(source) }, (call) => {
    if (/(?:^|\.)run$/.test(call.expression.getText(source))) runs = true;
  });
  return runs;
}

/** The cases in the modules of ours that a test file imports, and in those that a list of cases is put together from. */
function importedCases(source, path) {
  return modulesOf(source, path).flatMap((target) => [
    ...casesOf(target),
    ...(CASE_LIST.test(target) ? modulesOf(parseSource(target), target).flatMap(casesOf) : []),
  ]);
}

function modulesOf(source, path) {
  return source.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) || !statement.moduleSpecifier.text.startsWith('.')) return [];
    const target = posix.join(posix.dirname(path), statement.moduleSpecifier.text);
    return target.endsWith('.ts') && existsSync(join(ROOT, target)) ? [target] : [];
  });
}

function casesOf(path) {
  const source = parseSource(path);
  const cases = [];
  visit(source, (node) => {
    if (!ts.isObjectLiteralExpression(node)) return;
    const member = (name) => node.properties.find((one) => one.name?.getText(source) === name);
    const title = member('title')?.initializer;
    const run = member('run');
    const body = run && (ts.isMethodDeclaration(run) ? run : run.initializer);
    if (!title || !ts.isStringLiteralLike(title) || !body) return;
    cases.push({ title: title.text, at: `${path}:${lineOf(source, node)}`, asserts: asserts(source, { body }) });
  });
  return cases;
}
