import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../common/root.mjs';
import { filesBelow } from '../common/walk.mjs';
import { offences } from './finding.mjs';

/** Says in a line that what looks wrong there is meant: a test's made-up secret, a path that is the subject. */
const ALLOWED = 'hygiene: allow';

/** Cases for tests hold made-up secrets and strange paths on purpose. */
const CASES = /(?:^|\/)(?:fixtures|cases)\//;
const LARGEST = 5 * 1024 * 1024;

/** Patterns are written so that they do not find themselves. */
const MACHINE_PATHS = [
  /(?<![\w.~@$}-])\/work\/[a-z]/,
  /(?<![\w.~@$}-])\/root\/[\w.]/,
  /(?<![\w.~@$}-])\/home\/[a-z][\w-]*/,
];
/** People of examples. */
const NOBODY = /\/home\/(?:user|me|you|name|person|alice|bob|ada|dev|someone)\b/;
const SECRETS = [
  ['a private key', /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/],
  ['an AWS key id', /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/],
  ['a GitHub token', /\bgh[pousr]_[A-Za-z0-9]{36,}\b|\bgithub_pat_\w{40,}/],
  ['an npm token', /\bnpm_[A-Za-z0-9]{36}\b/],
  ['a Slack token', /\bxox[abprs]-[A-Za-z0-9-]{20,}/],
  ['a Google key', /\bAIza[\w-]{35}\b/],
  ['a model key', /\bsk-(?:ant-|proj-|or-)?[A-Za-z0-9_-]{32,}\b/],
  ['credentials in an address', /\bhttps?:\/\/[^\s/:@'"`{}$]+:[^\s/:@'"`{}$]{8,}@/],
];

/** All that is in git, or would be with the next `git add`. */
export function checkHygiene() {
  return repositoryFiles().flatMap((path) => {
    const text = readText(path);
    if (text === null) return [];
    return [...(path.endsWith('package-lock.json') ? lockAddresses(path, text) : []), ...suspicious(path, text)];
  });
}

function repositoryFiles() {
  const git = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  // An unpacked archive is no repository: then all there is but what tools make.
  return git.status === 0 ? git.stdout.split('\0').filter(Boolean) : filesBelow('.');
}

function readText(path) {
  try {
    if (statSync(join(ROOT, path)).size > LARGEST) return null;
    const bytes = readFileSync(join(ROOT, path));
    return bytes.includes(0) ? null : bytes.toString('utf8');
  } catch {
    return null; // Deleted, and git does not know yet.
  }
}

function suspicious(path, text) {
  if (CASES.test(path)) return [];
  const found = { 'machine-path': [], secret: [] };
  text.split('\n').forEach((content, index) => {
    if (content.includes(ALLOWED)) return;
    const line = index + 1;
    const shown = content.trim().slice(0, 80);
    const own = MACHINE_PATHS.some((pattern) => pattern.test(content.replaceAll(new RegExp(NOBODY, 'g'), '')));
    if (own) found['machine-path'].push({ line, what: shown });
    for (const [name, pattern] of SECRETS)
      if (pattern.test(content)) found.secret.push({ line, what: `looks like ${name}` });
  });
  return Object.entries(found).flatMap(([rule, list]) => offences(rule, { path }, list));
}

/** Addresses in the lock tie everybody to one registry; `.npmrc` keeps them out. */
function lockAddresses(path, text) {
  const entries = Object.entries(JSON.parse(text).packages ?? {});
  const found = entries
    .filter(([, entry]) => /^(?:https?|git\+|git:|file:)/.test(entry.resolved ?? ''))
    .map(([name, entry]) => ({ line: 0, what: `${name} ← ${entry.resolved}` }));
  return offences('lock-address', { path }, found);
}
