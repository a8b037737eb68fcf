import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where Errand keeps its things while tests run; one folder per test run, made and removed by the global set-up. */
export const TEST_HOME = join(tmpdir(), `errand-test-${process.pid}`);

/** Keys and addresses of models, a person's own settings, and what git sets inside a hook. */
const PERSONAL =
  /^(?:ERRAND_(?!(?:BUILT|SOAK)$).*|(?:OPENAI|ANTHROPIC|GEMINI|GOOGLE|DEEPSEEK|OPENROUTER|OLLAMA|LMSTUDIO|VLLM|MISTRAL|GROQ|XAI)_.*|CLAUDE_.*|CODEX_.*|GIT_.*)$/;

/**
 * Makes the environment that tests and their children inherit the same on every machine: no keys, no settings of the
 * person, no git identity, and a home of its own for Errand.
 */
export function cleanEnvironment(): void {
  for (const name of Object.keys(process.env)) if (PERSONAL.test(name)) delete process.env[name];
  delete process.env.FORCE_COLOR;
  process.env.ERRAND_HOME = TEST_HOME;
  process.env.GIT_CONFIG_GLOBAL = '/dev/null';
  process.env.GIT_CONFIG_NOSYSTEM = '1';
  process.env.NO_COLOR = '1';
}
