import ts from 'typescript';
import { visit } from '../common/sources.mjs';
import { eachCall, functionsByName } from '../common/test-calls.mjs';

const ASSERTS = /^(?:expect|assert)/;

/**
 * Whether a test's body can fail by what it claims: it calls `expect…`, `assert…` or `fc.assert`, itself or in a function
 * of the same file, or is a function so named, or the body of a property that returns its verdict.
 */
export function asserts(source, { body, property = false }) {
  if (!body) return false;
  if (ts.isIdentifier(body) && ASSERTS.test(body.text)) return true;
  if (property && returnsVerdict(body)) return true;
  let found = false;
  eachCall({ body, functions: functionsByName(source) }, (call) => {
    if (callNames(call).some((name) => ASSERTS.test(name))) found = true;
  });
  return found;
}

/** The names along a call: `expect(x).toBe`, `assert.equal`, `screen.expectLine`. */
function callNames(call) {
  const names = [];
  for (let node = call.expression; node; node = node.expression) {
    if (ts.isPropertyAccessExpression(node)) names.push(node.name.text);
    else if (ts.isIdentifier(node)) names.push(node.text);
    else if (!ts.isCallExpression(node)) break;
  }
  return names;
}

function returnsVerdict(body) {
  if (!ts.isFunctionLike(body)) return false;
  if (!ts.isBlock(body.body)) return true;
  let returns = false;
  visit(body, (node) => {
    if (ts.isReturnStatement(node) && node.expression) returns = true;
  });
  return returns;
}
