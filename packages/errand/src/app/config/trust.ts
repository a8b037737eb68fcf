import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from './config.ts';
import { placeOf } from './config-file.ts';
import { type ConfigProblem, fileProblem } from './config-problem.ts';
import { isLoopback } from './connections.ts';

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
 * A project's configuration comes with a checkout: it may be anybody's. It changes no connection of the person's and,
 * unless the person trusts its folder, takes no key from the environment to another machine. Null: nothing is amiss.
 */
export function checkProject(question: TrustQuestion): ConfigProblem | null {
  const { project, user, folder } = question;
  const refuse = (path: readonly string[], message: string) => fileProblem(placeOf(project.file, path), message);
  if (Object.hasOwn(project.file.data, 'trusted_projects')) {
    return refuse(
      ['trusted_projects'],
      `a project cannot trust itself: trusted_projects belongs in ${question.userFile}.`,
    );
  }
  const trusted = isTrusted(folder, user?.trustedProjects ?? []);
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
    if (trusted || entry.keyVariable === null || (entry.baseUrl !== null && isLoopback(entry.baseUrl))) continue;
    return refuse(
      path,
      `the connection "${name}" of this project would send ${entry.keyVariable} from your environment to ${
        entry.baseUrl ?? `its ${entry.kind} provider`
      }; to allow it, add trusted_projects = [${JSON.stringify(folder)}] to ${question.userFile}.`,
    );
  }
  return null;
}

function isTrusted(folder: string, trusted: readonly string[]): boolean {
  const real = realPath(folder);
  return trusted.some((path) => realPath(path) === real);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
