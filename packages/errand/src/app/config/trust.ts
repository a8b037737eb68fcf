import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from './config.ts';
import { placeOf } from './config-file.ts';
import { type ConfigProblem, fileProblem } from './config-problem.ts';
import { isLocal } from './connections.ts';

/** What stands over a project's configuration. */
export interface TrustQuestion {
  /** The project's folder, which holds `.errand`. */
  readonly folder: string;
  readonly project: Config;
  readonly user: Config | null;
  readonly userFile: string;
  /** Connections that the environment makes. */
  readonly environmentNames: readonly string[];
}

/**
 * A project's configuration comes with a checkout: it may be anybody's. It changes no connection of the person's, nor what is kept
 * of their runs and, unless the person trusts its folder, connects to no other machine. Null: nothing is amiss.
 */
export function checkProject(question: TrustQuestion): ConfigProblem | null {
  const { project, user } = question;
  const refuse = (path: readonly string[], message: string) => fileProblem(placeOf(project.file, path), message);
  if (Object.hasOwn(project.file.data, 'trusted_projects')) {
    return refuse(
      ['trusted_projects'],
      `a project cannot trust itself: trusted_projects belongs in ${question.userFile}.`,
    );
  }
  if (Object.hasOwn(project.file.data, 'retention')) {
    return refuse(
      ['retention'],
      `a project has no say in which runs are kept: [retention] belongs in ${question.userFile}.`,
    );
  }
  const remedy = remedyFor(question);
  for (const [name, entry] of project.connections) {
    const path = ['connections', name];
    const owner = user?.connections.has(name)
      ? question.userFile
      : question.environmentNames.includes(name)
        ? 'the environment'
        : null;
    if (owner) {
      return refuse(
        path,
        `a project may not redefine the connection "${name}", which ${owner} defines: name it otherwise.`,
      );
    }
    if (remedy === null || (isLocal(entry) && entry.keyVariable === null)) continue;
    if (isLocal(entry)) {
      return refuse(
        path,
        `the connection "${name}" of this project would take ${entry.keyVariable} from your environment; to allow it, ${remedy}.`,
      );
    }
    const where = entry.baseUrl ?? `its ${entry.kind} provider`;
    const key = entry.keyVariable === null ? '' : `, and ${entry.keyVariable} from your environment with it`;
    return refuse(
      path,
      `the connection "${name}" of this project would send what a run reads to ${where}${key}; to allow it, ${remedy}.`,
    );
  }
  return null;
}

/** What the person is to do so that a project is trusted; null: it is. */
export function remedyFor({
  folder,
  user,
  userFile,
}: Pick<TrustQuestion, 'folder' | 'user' | 'userFile'>): string | null {
  const real = realPath(folder);
  if (user?.trustedProjects.some((path) => realPath(path) === real)) return null;
  return `add trusted_projects = [${JSON.stringify(folder)}] to ${userFile}`;
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
