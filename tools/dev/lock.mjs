import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { SCRATCH } from '../common/root.mjs';

/** Milliseconds: no build or install takes longer; and the owner's number follows its file at once. */
const LONGEST = 600_000;
const WRITING = 2_000;

/** Runs `work` while no other process of this checkout runs under the same name; a dead owner's lock is taken over. */
export async function exclusively(name, work) {
  mkdirSync(SCRATCH, { recursive: true });
  const path = join(SCRATCH, `${name}.lock`);
  while (!take(path)) await new Promise((resolve) => setTimeout(resolve, 100));
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

function take(path) {
  try {
    const file = openSync(path, 'wx');
    writeSync(file, String(process.pid));
    closeSync(file);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (!ownerLives(path)) rmSync(path, { force: true });
    return false;
  }
}

function ownerLives(path) {
  let owner;
  let age;
  try {
    owner = readFileSync(path, 'utf8');
    age = Date.now() - statSync(path).mtimeMs;
  } catch {
    return true; // Just released: try again.
  }
  if (age > LONGEST) return false; // Its number may belong to somebody else by now.
  if (owner === '') return age < WRITING;
  try {
    process.kill(Number(owner), 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
