import ts from 'typescript';
import { lineOf, visit } from '../common/sources.mjs';
import { SRC } from './files.mjs';
import { offences } from './finding.mjs';

/** Rooms and what may be touched there; outside of src everything may. */
const CLOCK_ROOMS = new Set(['app', 'cli', 'terminal', 'host', 'testing']);
const ENVIRONMENT_ROOMS = new Set(['app']);
const CONSOLE_ROOMS = new Set(['cli', 'terminal']);
/** Rooms that may wait for the end of the tick, which is no time. */
const TICK_ROOMS = new Set(['stores']);
/** Rooms that run anywhere: Node's globals are as far from them as its modules. */
const PURE_ROOMS = new Set(['base', 'domain', 'ports', 'engine', 'prompts', 'tools']);

const TIMERS = new Set(['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask']);
const RANDOM = new Set(['randomUUID', 'randomBytes', 'randomInt', 'getRandomValues']);
const CLOCK_MEMBERS = new Set([
  'Date.now',
  'performance.now',
  'performance.timeOrigin',
  'Math.random',
  'AbortSignal.timeout',
]);
const TIMER_MODULES = new Set(['timers', 'timers/promises']);
const MAX_ROOT_EXPORTS = 120;

export function checkRooms(files) {
  const shipped = files.filter((file) => file.kind === 'src');
  const written = files.filter((file) => file.path.endsWith('.ts'));
  return [
    ...shipped.flatMap((file) => touched(file)),
    ...shipped.flatMap(defaultExports),
    ...shipped.flatMap(selfImports),
    ...written.flatMap(anys),
    ...files.filter((file) => file.path === `${SRC}/index.ts`).flatMap(rootExports),
  ];
}

/** Clock, timers and chance; environment; console; Node's globals; promises in a decision. */
function touched(file) {
  const found = { clock: [], environment: [], console: [], 'node-global': [], 'domain-promise': [], 'ports-code': [] };
  const own = ownNames(file.source);
  visit(file.source, (node) => {
    const see = (rule, what) => found[rule].push({ line: lineOf(file.source, node), what });
    const what = nameUsed(node, own);
    const tick = TICK_ROOMS.has(file.room) && what === 'setImmediate';
    if (!CLOCK_ROOMS.has(file.room) && !tick && readsClock(node, what))
      see('clock', what ?? node.getText().slice(0, 40));
    if (!ENVIRONMENT_ROOMS.has(file.room) && readsEnvironment(node, what)) see('environment', what ?? 'node:process');
    if (!CONSOLE_ROOMS.has(file.room) && what === 'console') see('console', what);
    if (PURE_ROOMS.has(file.room) && (what === 'process' || what === 'Buffer')) see('node-global', what);
    if (file.room === 'domain' && isPromise(node, what)) see('domain-promise', 'a decision does not wait');
    if (file.room === 'ports' && isCode(node)) see('ports-code', 'ports hold types, codes, and is* or assert* guards');
  });
  return Object.entries(found).flatMap(([rule, list]) => offences(rule, file, list));
}

/** Names that the file gives to something of its own, so that they are no globals there. */
function ownNames(source) {
  const names = new Set();
  visit(source, (node) => {
    if (ts.isImportDeclaration(node) && /^\.{1,2}\//.test(moduleOf(node))) {
      visit(node, (part) => ts.isImportSpecifier(part) && names.add(part.name.text));
    }
    const declares = ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isBindingElement(node);
    if ((declares || ts.isFunctionDeclaration(node)) && node.name && ts.isIdentifier(node.name))
      names.add(node.name.text);
  });
  return names;
}

/** The global a node reads (`console`), or its member (`Date.now`); undefined for anything else. */
function nameUsed(node, own) {
  if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
    const owner = node.expression.text;
    if (own.has(owner)) return undefined;
    return owner === 'globalThis' ? node.name.text : `${owner}.${node.name.text}`;
  }
  return ts.isIdentifier(node) && isRead(node) && !own.has(node.text) ? node.text : undefined;
}

/** Whether an identifier stands for a value here, and is no name of a member, a declaration or a type. */
function isRead(node) {
  const { parent } = node;
  if (ts.isTypeNode(parent) || ts.isQualifiedName(parent) || ts.isImportSpecifier(parent)) return false;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isShorthandPropertyAssignment(parent)) return true;
  return parent.name !== node && parent.propertyName !== node;
}

function readsClock(node, what) {
  if (ts.isNewExpression(node) || ts.isCallExpression(node)) {
    // With arguments `new Date` only converts.
    const bare = ts.isNewExpression(node) ? !node.arguments?.length : true;
    return bare && ts.isIdentifier(node.expression) && node.expression.text === 'Date';
  }
  if (ts.isImportDeclaration(node)) return TIMER_MODULES.has(moduleOf(node));
  if (what === undefined) return false;
  return TIMERS.has(what) || CLOCK_MEMBERS.has(what) || RANDOM.has(what.slice(what.lastIndexOf('.') + 1));
}

function readsEnvironment(node, what) {
  if (ts.isImportDeclaration(node) && moduleOf(node) === 'process') return /\b(?:env|argv)\b/.test(node.getText());
  return what === 'process.env' || what === 'process.argv';
}

function isPromise(node, what) {
  if (ts.isAwaitExpression(node) || what === 'Promise' || what?.startsWith('Promise.')) return true;
  return ts.isTypeReferenceNode(node) && node.typeName.getText() === 'Promise';
}

function isCode(node) {
  if (ts.isClassLike(node)) return true;
  return (
    ts.isFunctionDeclaration(node) && node.body !== undefined && !/^(?:is|assert)[A-Z]/.test(node.name?.text ?? '')
  );
}

function moduleOf(node) {
  return ts.isStringLiteral(node.moduleSpecifier) ? node.moduleSpecifier.text.replace(/^node:/, '') : '';
}

function defaultExports(file) {
  const found = [];
  visit(file.source, (node) => {
    const modified =
      ts.canHaveModifiers(node) && ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword);
    const renamed = ts.isExportSpecifier(node) && node.name.text === 'default';
    if (modified || renamed || ts.isExportAssignment(node))
      found.push({ line: lineOf(file.source, node), what: 'default export' });
  });
  return offences('default-export', file, found);
}

/** Its own published name leads to dist, past the floors. */
function selfImports(file) {
  const found = [];
  visit(file.source, (node) => {
    const literal = (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier;
    const dynamic =
      ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword && node.arguments[0];
    const target = literal || dynamic;
    if (!target || !ts.isStringLiteral(target) || !/^errand(?:\/|$)/.test(target.text)) return;
    found.push({ line: lineOf(file.source, node), what: `imports '${target.text}'` });
  });
  return offences('self-import', file, found);
}

function anys(file) {
  if (file.path === `${SRC}/base/json.ts` || file.path.startsWith(`${SRC}/base/json/`)) return [];
  const found = [];
  visit(file.source, (node) => {
    if (node.kind === ts.SyntaxKind.AnyKeyword) found.push({ line: lineOf(file.source, node), what: 'any' });
  });
  return offences('any', file, found);
}

function rootExports(file) {
  const stars = [];
  let count = 0;
  for (const statement of file.source.statements) {
    if (ts.isExportDeclaration(statement)) {
      if (statement.exportClause && ts.isNamedExports(statement.exportClause))
        count += statement.exportClause.elements.length;
      else stars.push({ line: lineOf(file.source, statement), what: statement.getText() });
    } else if (
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
    ) {
      count += ts.isVariableStatement(statement) ? statement.declarationList.declarations.length : 1;
    }
  }
  const text = `${count} exports, ${MAX_ROOT_EXPORTS} at most`;
  const many = count > MAX_ROOT_EXPORTS ? [{ rule: 'root-exports', where: file.path, value: count, text }] : [];
  return [...many, ...offences('star-export', file, stars)];
}
