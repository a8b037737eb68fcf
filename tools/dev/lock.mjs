import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { SCRATCH } from '../common/root.mjs';

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
  try {
    owner = readFileSync(path, 'utf8');
  } catch {
    return true; // Just released: try again.
  }
  if (owner === '') return true; // Just taken, the number is about to be written.
  try {
    process.kill(Number(owner), 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
