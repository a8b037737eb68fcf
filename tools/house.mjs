// The house rules that no linter knows: sizes, names, what each room may touch, manners in tests, hygiene.
// Every rule is absolute; what an older file may still do stands in house-ratchet.json.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './common/root.mjs';
import { houseFiles } from './house/files.mjs';
import { checkHygiene } from './house/hygiene.mjs';
import { checkNames } from './house/names.mjs';
import { judge } from './house/ratchet.mjs';
import { checkRooms } from './house/rooms.mjs';
import { checkSizes } from './house/sizes.mjs';
import { checkTests } from './house/tests.mjs';

const files = houseFiles();
const ratchet = JSON.parse(readFileSync(join(ROOT, 'tools/house-ratchet.json'), 'utf8'));
const findings = [checkSizes, checkNames, checkRooms, checkTests, checkHygiene].flatMap((check) => check(files));
const problems = judge(findings, ratchet);
if (files.every((file) => file.kind !== 'src')) problems.push('no source files found: looking in the wrong place?');

for (const problem of problems) console.log(problem);
console.log(`house: ${files.length} files, ${problems.length} problems`);
process.exitCode = problems.length > 0 ? 1 : 0;
