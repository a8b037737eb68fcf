import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from './root.mjs';

/** A parsed source file; `path` is relative to the root. */
export function parseSource(path) {
  const text = readFileSync(join(ROOT, path), 'utf8');
  return ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true);
}

/** Number of lines, a closing line break not counted as one more. */
export function lineCount(text) {
  return text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
}

/** 1-based line on which the node starts, comments before it left out. */
export function lineOf(source, node) {
  return source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
}

export function visit(node, see) {
  see(node);
  ts.forEachChild(node, (child) => visit(child, see));
}
