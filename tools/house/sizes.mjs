import ts from 'typescript';
import { lineCount, lineOf, visit } from '../common/sources.mjs';
import { madeBy } from '../common/test-calls.mjs';
import { namedFiles, SRC } from './files.mjs';
import { offences } from './finding.mjs';

const LIMITS = {
  file: 600,
  testFile: 1000,
  medianFile: 150,
  function: 120,
  functionP99: 80,
  class: 400,
  parameters: 3,
  folder: 20,
  depth: 3,
};

export function checkSizes(files) {
  const shipped = files.filter((file) => file.kind === 'src');
  return [
    ...files.flatMap(fileLines),
    ...files.flatMap(functionLines),
    ...files.flatMap(classLines),
    ...files.flatMap(parameters),
    ...spread(shipped),
    ...folders(),
  ];
}

function fileLines(file) {
  const lines = lineCount(file.text);
  const limit = file.kind === 'test' ? LIMITS.testFile : LIMITS.file;
  if (lines <= limit) return [];
  return [{ rule: 'file-lines', where: file.path, value: lines, text: `${lines} lines, ${limit} at most` }];
}

/** The functions of a file with a body, and their lines. A suite of tests is a list, not a function. */
function functionsOf(file) {
  const found = [];
  visit(file.source, (node) => {
    if (!ts.isFunctionLike(node) || !node.body) return;
    if (file.kind === 'test' && ts.isCallExpression(node.parent) && madeBy(node.parent) === 'suite') return;
    found.push({ name: nameOf(node), line: lineOf(file.source, node), lines: linesOf(file.source, node) });
  });
  return found;
}

function functionLines(file) {
  return functionsOf(file)
    .filter(({ lines }) => lines > LIMITS.function)
    .map(({ name, line, lines }) => ({
      rule: 'function-lines',
      where: `${file.path}#${name}`,
      value: lines,
      text: `${lines} lines from line ${line}, ${LIMITS.function} at most`,
    }));
}

function classLines(file) {
  const found = [];
  visit(file.source, (node) => {
    if (!ts.isClassLike(node)) return;
    const lines = linesOf(file.source, node);
    if (lines <= LIMITS.class) return;
    const where = `${file.path}#${nameOf(node)}`;
    found.push({ rule: 'class-lines', where, value: lines, text: `${lines} lines, ${LIMITS.class} at most` });
  });
  return found;
}

function parameters(file) {
  const found = [];
  visit(file.source, (node) => {
    if (!ts.isFunctionLike(node)) return;
    // In tests: the columns of a table of cases, the values of a property. Nobody calls that by hand.
    if (file.kind === 'test' && ts.isCallExpression(node.parent)) return;
    const count = node.parameters.filter((parameter) => parameter.name.getText(file.source) !== 'this').length;
    if (count <= LIMITS.parameters) return;
    found.push({
      line: lineOf(file.source, node),
      what: `${nameOf(node)} takes ${count} parameters, make them an object`,
    });
  });
  return offences('parameters', file, found);
}

/** What holds for the source as a whole, and for no single file. */
function spread(files) {
  const found = [];
  const median = quantile(
    files.map((file) => lineCount(file.text)),
    0.5,
  );
  if (median > LIMITS.medianFile) {
    found.push({
      rule: 'median-file',
      where: SRC,
      value: median,
      text: `half of the files have ${median} lines or more, ${LIMITS.medianFile} at most`,
    });
  }
  const functions = files.flatMap((file) => functionsOf(file).map((one) => ({ ...one, path: file.path })));
  const p99 = quantile(
    functions.map(({ lines }) => lines),
    0.99,
  );
  if (p99 > LIMITS.functionP99) {
    const longest = functions.toSorted((a, b) => b.lines - a.lines).slice(0, 5);
    const names = longest.map(({ path, name, lines }) => `${path}#${name} ${lines}`).join(', ');
    const text = `one function in a hundred has ${p99} lines or more, ${LIMITS.functionP99} at most; longest: ${names}`;
    found.push({ rule: 'p99-function', where: SRC, value: p99, text });
  }
  return found;
}

function folders() {
  const counts = new Map();
  for (const path of namedFiles()) {
    const folder = path.slice(0, path.lastIndexOf('/'));
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const found = [];
  for (const [folder, count] of counts) {
    const where = folder;
    if (count > LIMITS.folder) {
      found.push({ rule: 'folder-files', where, value: count, text: `${count} files, ${LIMITS.folder} at most` });
    }
    const depth = /^packages\/[^/]+\/src\/(.+)$/.exec(folder)?.[1].split('/').length ?? 0;
    if (depth > LIMITS.depth) {
      found.push({ rule: 'depth', where, value: depth, text: `${depth} folders below src, ${LIMITS.depth} at most` });
    }
  }
  return found;
}

function quantile(numbers, share) {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function linesOf(source, node) {
  const line = (position) => source.getLineAndCharacterOfPosition(position).line;
  return line(node.end) - line(node.getStart(source)) + 1;
}

/** The function's own name, else that of what it is assigned to. */
function nameOf(node) {
  const named = node.name ?? node.parent?.name;
  if (named) return named.getText();
  return ts.isConstructorDeclaration(node) ? `${node.parent.name?.getText() ?? ''}.constructor` : 'anonymous';
}
