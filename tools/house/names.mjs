import ts from 'typescript';
import { lineOf, visit } from '../common/sources.mjs';
import { namedFiles } from './files.mjs';
import { offences } from './finding.mjs';

/** Folders and files under which everything ends up in time. */
const HUBS = new Set(['utils', 'util', 'helpers', 'types']);
const KEBAB = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Names that others chose. */
const GIVEN = /(?:^|\/)(?:[A-Z]+(?:\.md)?|\.[^/]+)$/;

export function checkNames(files) {
  return [...pathNames(), ...files.flatMap(managers)];
}

function pathNames() {
  const found = [];
  const folders = new Set();
  for (const path of namedFiles()) {
    const parts = path.split('/');
    for (let depth = 1; depth < parts.length; depth++) folders.add(parts.slice(0, depth).join('/'));
    if (!GIVEN.test(path)) found.push(...nameProblems(path, parts.at(-1).split('.')));
  }
  for (const folder of folders) found.push(...nameProblems(folder, [folder.split('/').at(-1)]));
  return found;
}

/** The stem comes first; what follows are extensions such as `test` and `ts`, which are words too. */
function nameProblems(path, words) {
  const found = [];
  if (!words.every((word) => KEBAB.test(word))) {
    found.push({ rule: 'kebab-case', where: path, value: 1, text: 'is not in kebab-case' });
  }
  if (HUBS.has(words[0])) {
    found.push({ rule: 'hub', where: path, value: 1, text: 'says nothing of what is in it: name the thing' });
  }
  return found;
}

function managers(file) {
  const found = [];
  visit(file.source, (node) => {
    if (!ts.isClassLike(node) && !ts.isInterfaceDeclaration(node) && !ts.isTypeAliasDeclaration(node)) return;
    const name = node.name?.text ?? '';
    if (!/Manager$/.test(name)) return;
    found.push({ line: lineOf(file.source, node), what: `${name}: say what it does instead of managing` });
  });
  return offences('manager', file, found);
}
