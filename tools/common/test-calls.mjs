// Reads vitest files without running them: which calls make tests and suites, with which titles, skipped or not.
import ts from 'typescript';
import { lineOf, visit } from './sources.mjs';

const TEST_NAMES = new Set(['it', 'test']);
const SUITE_NAMES = new Set(['describe', 'suite']);
/** Members that take arguments and give the function that makes the test. */
const FACTORIES = new Set(['each', 'for', 'skipIf', 'runIf', 'prop', 'extend', 'override', 'scoped']);
/** Members that decide whether a test runs. */
const SKIPS = new Set(['skip', 'skipIf', 'runIf', 'todo']);
/** What makes no test, only a better `it`. */
const NOT_A_TEST = new Set(['extend', 'override', 'scoped']);
/** Anything else after the dot is a variable of that name: `test.value(path)`. */
const MEMBERS = new Set([...FACTORIES, ...SKIPS, 'only', 'concurrent', 'sequential', 'fails', 'shuffle']);

/** Stands in a title for what is only known when it runs. */
const HOLE = '<…>';

/** Whether a call makes a suite or a test, and which. */
export function madeBy(call) {
  return callKind(call)?.kind;
}

/**
 * What a call makes, or undefined: `it('…')`, `test.skip('…')`, `it.each(rows)('…')`, `describe.skipIf(x)('…')`.
 * `it.each(rows)` alone makes nothing.
 */
function callKind(call, aliases = new Set()) {
  const members = [];
  let callee = call.expression;
  let first = true;
  for (;;) {
    if (ts.isPropertyAccessExpression(callee)) {
      members.push(callee.name.text);
      if (first && FACTORIES.has(callee.name.text)) return undefined;
      callee = callee.expression;
    } else if (ts.isCallExpression(callee)) callee = callee.expression;
    else if (ts.isTaggedTemplateExpression(callee)) callee = callee.tag;
    else break;
    first = false;
  }
  if (!ts.isIdentifier(callee) || members.some((member) => NOT_A_TEST.has(member) || !MEMBERS.has(member)))
    return undefined;
  if (TEST_NAMES.has(callee.text) || aliases.has(callee.text)) return { kind: 'test', members };
  return SUITE_NAMES.has(callee.text) ? { kind: 'suite', members } : undefined;
}

/** Local names for a test function with fixtures: `const scenario = test.extend(…)`, `import { test as scenario }`. */
function aliasesOf(source) {
  const aliases = new Set();
  const known = (name) => TEST_NAMES.has(name) || aliases.has(name);
  visit(source, (node) => {
    if (ts.isImportSpecifier(node) && node.propertyName && TEST_NAMES.has(node.propertyName.text))
      aliases.add(node.name.text);
    if (!ts.isVariableDeclaration(node) || !ts.isIdentifier(node.name) || !node.initializer) return;
    const call = node.initializer;
    if (!ts.isCallExpression(call) || !ts.isPropertyAccessExpression(call.expression)) return;
    const { expression, name } = call.expression;
    if (NOT_A_TEST.has(name.text) && ts.isIdentifier(expression) && known(expression.text)) aliases.add(node.name.text);
  });
  return aliases;
}

/**
 * @typedef {object} TestCall
 * @property {string[]} titles those of its suites, then its own; `<…>` stands for what is only known when it runs
 * @property {number} line
 * @property {boolean} skipped never runs, or runs only under a condition
 * @property {boolean} never never runs
 * @property {string | null} reason why it is skipped; null: nobody said
 * @property {boolean} property made by `test.prop`, which may return its verdict
 * @property {ts.Node | undefined} name the expression that gives its own title
 * @property {ts.Node | undefined} body function, or name of one
 *
 * @returns {TestCall[]}
 */
export function testsOf(source) {
  const aliases = aliasesOf(source);
  const functions = functionsByName(source);
  const tests = [];
  const walk = (node, outer) => {
    const made = ts.isCallExpression(node) ? callKind(node, aliases) : undefined;
    const here = made ? callFacts({ source, functions, call: node, made, outer }) : outer;
    if (made?.kind === 'test') tests.push(here);
    ts.forEachChild(node, (child) => walk(child, here));
  };
  walk(source, { titles: [], skipped: false, never: false, reason: null });
  return tests;
}

function callFacts({ source, functions, call, made, outer }) {
  const { kind, members } = made;
  const [name, ...rest] = call.arguments;
  const options = rest.find((argument) => ts.isObjectLiteralExpression(argument));
  const option = options?.properties.find((one) => one.name && ['skip', 'todo'].includes(one.name.getText(source)));
  const body = rest.find((argument) => !ts.isObjectLiteralExpression(argument) && !ts.isNumericLiteral(argument));
  const inBody = body && kind === 'test' ? skipsInside({ source, functions, body }) : [];
  const skippedHere = members.some((member) => SKIPS.has(member)) || option !== undefined;
  const skipped = outer.skipped || skippedHere || inBody.length > 0;
  const never = outer.never || members.includes('skip') || members.includes('todo') || option !== undefined;
  const reasons = skippedHere
    ? [commentOn(source, call) ?? platformOf(source, call)]
    : [outer.skipped ? outer.reason : '', ...inBody];
  const reason = skipped && reasons.every((one) => one !== null) ? reasons.filter(Boolean).join('; ') : null;
  const titles = [...outer.titles, titleText(name)];
  return { titles, line: lineOf(source, call), skipped, never, reason, property: members.includes('prop'), name, body };
}

/** Functions and methods of a file by name, several of one name together. */
export function functionsByName(source) {
  const functions = new Map();
  visit(source, (node) => {
    const body = ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node) ? node.initializer : node;
    if (!node.name || !body || !ts.isFunctionLike(body) || !body.body) return;
    const name = node.name.getText(source);
    functions.set(name, [...(functions.get(name) ?? []), body]);
  });
  return functions;
}

/** Shows every call in a body, and in the functions of the same file that it calls or hands on, each once. */
export function eachCall({ body, functions }, see) {
  const seen = new Set();
  const entered = new Set();
  const enter = (node) => {
    if (entered.has(node)) return;
    entered.add(node);
    visit(node, (part) => {
      if (ts.isCallExpression(part) && !seen.has(part)) see(part);
      seen.add(part);
      if (ts.isIdentifier(part)) for (const one of functions.get(part.text) ?? []) enter(one);
    });
  };
  enter(body);
}

/** A title as far as it is written down. */
function titleText(node) {
  if (!node) return '';
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map((span) => HOLE + span.literal.text).join('');
  if (ts.isBinaryExpression(node)) return titleText(node.left) + titleText(node.right);
  return HOLE;
}

/** The condition of `skipIf` or `runIf`, where it says by itself what it is about. */
function platformOf(source, call) {
  const condition = ts.isCallExpression(call.expression) ? call.expression.getText(source) : '';
  return /\bprocess\.(?:platform|arch|getuid)\b/.test(condition) ? condition : null;
}

/** The reasons of `context.skip('reason')` in a test's body and in the file's functions it calls; null for one without. */
function skipsInside({ source, functions, body }) {
  const reasons = [];
  eachCall({ body, functions }, (call) => {
    if (!/(?:^|\.)skip$/.test(call.expression.getText(source)) || !isContextSkip(call)) return;
    reasons.push(call.arguments.map((argument) => noteText(source, argument)).find(Boolean) ?? commentOn(source, call));
  });
  return reasons;
}

/** A note as far as it is written down, or the name of what holds it; '' for a bare condition. */
function noteText(source, argument) {
  const text = titleText(argument);
  if (/[a-z]{3}/i.test(text.replaceAll(HOLE, ''))) return text;
  return /(?:reason|why|note)$/i.test(argument.getText(source)) ? `<${argument.getText(source)}>` : '';
}

/** `skip` of a test's context: of a name bound as parameter, or a parameter itself. */
function isContextSkip(call) {
  const root = ts.isPropertyAccessExpression(call.expression) ? call.expression.expression : call.expression;
  if (!ts.isIdentifier(root)) return false;
  for (let scope = call.parent; scope; scope = scope.parent) {
    if (!ts.isFunctionLike(scope)) continue;
    const names = scope.parameters.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : boundNames(name)));
    if (names.includes(root.text)) return true;
  }
  return false;
}

function boundNames(pattern) {
  return pattern.elements.flatMap((one) => (one.name && ts.isIdentifier(one.name) ? [one.name.text] : []));
}

/** The comment in front of the statement, or behind it on its first line; null when there is none worth the name. */
function commentOn(source, node) {
  let statement = node;
  while (statement.parent && !ts.isStatement(statement)) statement = statement.parent;
  const text = source.text;
  const before = ts.getLeadingCommentRanges(text, statement.getFullStart()) ?? [];
  const lineEnd = text.indexOf('\n', statement.getStart(source));
  const firstLine = text.slice(statement.getStart(source), lineEnd === -1 ? text.length : lineEnd);
  const beside = /(?<![:'"`])\/\/\s*(.*)$/.exec(firstLine)?.[1] ?? '';
  const comments = [...before.map(({ pos, end }) => text.slice(pos, end)), beside];
  const words = comments
    .map((one) => one.replace(/^\/\*+|\*+\/$|^\/\/+|^\s*\* ?/gm, '').trim())
    .filter((one) => one.length > 8);
  return words.length > 0 ? words.join(' ').replace(/\s+/g, ' ') : null;
}
