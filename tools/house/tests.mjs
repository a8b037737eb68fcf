import ts from 'typescript';
import { lineOf, visit } from '../common/sources.mjs';
import { testsOf } from '../common/test-calls.mjs';
import { offences } from './finding.mjs';

const TEST_API = /^(?:it|test|describe|suite)\b/;
const MOCKERS = new Set(['mock', 'doMock', 'unstable_mockModule']);
const OURS = /^(?:\.{1,2}\/|errand(?:\/|$)|#)/;

export function checkTests(files) {
  return files.filter((file) => file.kind === 'test').flatMap(checkFile);
}

function checkFile(file) {
  const found = { sleep: [], only: [], mock: [] };
  visit(file.source, (node) => {
    const see = (rule, what) => found[rule].push({ line: lineOf(file.source, node), what });
    if (importsSleep(node))
      see('sleep', 'timers/promises: move the test clock, or wait for the thing itself (vi.waitFor)');
    if (ts.isPropertyAccessExpression(node) && node.name.text === 'only' && TEST_API.test(node.getText()))
      see('only', node.getText());
    if (!ts.isCallExpression(node)) return;
    if (isSleep(node))
      see('sleep', 'a test never sleeps: move the test clock, or wait for the thing itself (vi.waitFor)');
    const mocked = mockedModule(node);
    if (mocked !== undefined && OURS.test(mocked))
      see('mock', `mocks '${mocked}': write a fake that implements the port`);
  });
  const silent = testsOf(file.source)
    .filter((test) => test.skipped && test.reason === null)
    .map(({ line, titles }) => ({ line, what: `'${titles.join(' › ')}' is skipped and nobody says why` }));
  return [...Object.entries(found), ['skip', silent]].flatMap(([rule, list]) => offences(rule, file, list));
}

/** `setImmediate` of timers/promises only lets others have their turn. */
function importsSleep(node) {
  if (!ts.isImportDeclaration(node) || !/^(?:node:)?timers\/promises$/.test(node.moduleSpecifier.text)) return false;
  const named = node.importClause?.namedBindings;
  if (!named || !ts.isNamedImports(named) || node.importClause.name) return true;
  return named.elements.some((one) => (one.propertyName ?? one.name).text !== 'setImmediate');
}

/** A timer that does nothing but settle the promise around it. One that rejects is a guard, and may stay. */
function isSleep(call) {
  const name = call.expression.getText();
  if (name !== 'setTimeout' && name !== 'globalThis.setTimeout') return false;
  const resolve = resolverAround(call);
  const callback = call.arguments[0];
  if (resolve === undefined || !callback) return false;
  if (ts.isIdentifier(callback)) return callback.text === resolve;
  let settles = false;
  visit(callback, (node) => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === resolve)
      settles = true;
  });
  return settles;
}

/** The name by which the innermost `new Promise(…)` around a call is resolved. */
function resolverAround(call) {
  for (let node = call.parent; node; node = node.parent) {
    const executor = ts.isFunctionLike(node) && node.parent && ts.isNewExpression(node.parent) ? node : undefined;
    if (executor && node.parent.expression.getText() === 'Promise') return executor.parameters[0]?.name.getText();
  }
  return undefined;
}

function mockedModule(call) {
  const { expression } = call;
  if (!ts.isPropertyAccessExpression(expression) || !MOCKERS.has(expression.name.text)) return undefined;
  if (!/^(?:vi|vitest|jest)$/.test(expression.expression.getText())) return undefined;
  const [target] = call.arguments;
  if (!target) return undefined;
  if (ts.isStringLiteralLike(target)) return target.text;
  // vi.mock(import('./x.ts'))
  const inner = ts.isCallExpression(target) ? target.arguments[0] : undefined;
  return inner && ts.isStringLiteralLike(inner) ? inner.text : undefined;
}
