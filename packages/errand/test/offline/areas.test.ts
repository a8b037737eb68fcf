import { describe, expect, it } from 'vitest';
import { drive } from './drive.ts';
import { folderOf } from './folder.ts';

/** One definition, three calls in three areas, a test with a variable of the same name. */
const ZAP: Readonly<Record<string, string>> = {
  'lib/zap.js': '/** Zaps it. */\nexport function zap(a) {\n  return a;\n}\n',
  'app/start.js': "import { zap } from '../lib/zap.js';\nexport function start() {\n  zap(1);\n}\n",
  'web/page.js': "import { zap } from '../lib/zap.js';\nexport function page() {\n  zap(2);\n}\n",
  'index.js': "import { zap } from './lib/zap.js';\nzap(3);\n",
  'test/zap.test.js': "const zap = load('zap');\nit('x', () => { zap(9); });\n",
  'docs/a.md': '# Docs\n\nnothing\n',
};

async function ask(question: string, files = ZAP) {
  const run = await drive(folderOf(files), question);
  const [statement = ''] = run.answer.split('\n');
  return { ...run, statement };
}

describe('one question that was split by areas', () => {
  it.each(['What calls zap?', 'How many places call zap?', 'How often is `zap` called?'])(
    '[MOD-8] is answered once, with the counts of all areas: %s',
    async (question) => {
      const { answer, statement, helpers } = await ask(question);
      expect(helpers.length).toBeGreaterThan(3);
      expect(statement).toBe(
        '`zap` is called in 3 places in 3 files: app/start.js:3 in `start`, index.js:2, web/page.js:3 in `page`. Tests, examples and documents have it in one place. It is defined at lib/zap.js:2.',
      );
      expect(answer).not.toMatch(/No call|one place:|only:|Every line/u);
      expect(answer.match(/put together/gu)).toHaveLength(1);
      expect(answer).toContain('Nothing was found in `docs/`.');
      for (const line of ['app/start.js:3 — `zap(1);`', 'index.js:2 — `zap(3);`', 'web/page.js:3 — `zap(2);`'])
        expect(answer).toContain(`- ${line}`);
    },
  );

  it('[MOD-8] says of each area that it is one', async () => {
    const { helpers } = await ask('What calls zap?');
    const summaries = helpers.map(({ answer }) => answer.split('\n')[1]);
    expect(summaries).toContain('In `app/` only: `zap` is called in one place: app/start.js:3 in `start`.');
    for (const summary of summaries) expect(summary).toMatch(/^In .+ only: /u);
  });

  it('[MOD-8] gives no variable of a test as a definition beside the real one, and none before it', async () => {
    const { statement } = await ask('Where is zap defined?');
    expect(statement).toBe(
      '`zap` is defined at lib/zap.js:2. Its comment says: “Zaps it.” It stands in 8 places in 4 files more.',
    );
  });

  it('[MOD-8] adds up lines and files, however many there are', async () => {
    const calls = (folder: string) =>
      Array.from({ length: 9 }, (_, index) => [
        `${folder}/f${index}.js`,
        Array.from({ length: 5 }, () => '  zap(1);\n').join(''),
      ]);
    const { statement } = await ask('Which files mention `zap`?', {
      ...ZAP,
      ...Object.fromEntries([...calls('one'), ...calls('two')]),
    });
    expect(statement).toContain('`zap` stands on 99 lines in 23 files: ');
    const many = await ask('What calls zap?', { ...ZAP, ...Object.fromEntries([...calls('one'), ...calls('two')]) });
    expect(many.statement).toContain('`zap` is called in 93 places in 21 files: ');
  });

  it('[MOD-8] says "at least" where a search was cut or a helper did not come back', async () => {
    const cut = await ask('What calls zap?', { ...ZAP, 'app/many.js': '  zap(1);\n'.repeat(300) });
    expect(cut.statement).toContain('`zap` is called in at least ');
    const lost = await drive(folderOf(ZAP), 'What calls zap?', {
      intercept: (call) =>
        call.name === 'agent' && call.args.includes('SCOPE: web')
          ? {
              output:
                '<helper_answer title="x" model="offline/extract" state="failed">\n---\n### SUMMARY\nNothing.\n</helper_answer>',
              error: true,
            }
          : undefined,
    });
    expect(lost.answer).toContain('`zap` is called in at least 2 places');
    expect(lost.answer).toContain('ended as failed');
  });

  it('[MOD-8] says that nothing extends a name, rather than where it stands', async () => {
    const { statement } = await ask('What extends zap?');
    expect(statement).toBe('Nothing that extends or implements `zap` was seen. It is defined at lib/zap.js:2.');
  });

  it('[MOD-8] denies once for all of the workspace, and says what was not searched', async () => {
    const { answer, statement } = await ask('Where is nonsuchThing?');
    expect(statement).toBe('Nothing was found for `nonsuchThing`.');
    expect(answer.match(/Files that \.gitignore leaves out were not searched\./gu)).toHaveLength(1);
  });
});

describe('what the offline model does not search', () => {
  it('[MOD-8] is said wherever an answer counts, by the helper under RISKS and once by the root', async () => {
    const files = { ...ZAP, '.gitignore': 'dist/\n', 'dist/z.js': 'zap(7);\n' };
    const { answer, statement, helpers } = await ask('What calls zap? Which files mention `zap`?', files);
    expect(statement).toContain('What calls zap?');
    expect(answer).toContain('is called in 3 places');
    expect(answer.match(/Files that \.gitignore leaves out were not searched\./gu)).toHaveLength(1);
    for (const helper of helpers)
      expect(helper.answer.split('### RISKS')[1]).toContain('Files that .gitignore leaves out were not searched.');
  });

  it('[MOD-8] includes built files inside of node_modules, and that is said too', async () => {
    const folder = folderOf({
      '.git/HEAD': '',
      '.gitignore': 'node_modules/\ndist/\n',
      'node_modules/a/index.js': 'zap(1);\n',
      'node_modules/b/dist/index.js': 'zap(2);\n',
    });
    const run = await drive(`${folder}/node_modules`, 'What calls zap?');
    expect(run.answer).toContain('`zap` is called in one place: a/index.js:1.');
    expect(run.answer).toContain('This workspace lies inside `node_modules`');
  });
});

describe('what the offline model takes for the answer', () => {
  it('[MOD-8] ranks the source before tools, configuration and hidden files', async () => {
    const text = '// A helper exceeds its wall time.\n';
    const { answer } = await ask('What happens when a helper exceeds its wall time?', {
      '.cruiser.cjs': text,
      'tools/check.mjs': text,
      'scripts/run.js': text,
      'src/limits.ts': text,
      'src/other.ts': 'export const other = 1;\n',
    });
    expect(answer).toMatch(/^The closest match is src\/limits\.ts:1/u);
  });

  it('[MOD-8] takes a member of a type for the definition, not a property that is set', async () => {
    const { statement } = await ask('Where is max_per_turn defined?', {
      'src/a.ts': 'launch({\n  max_per_turn: turn.max,\n});\n',
      'src/limits.ts': 'export interface Limits {\n  readonly max_per_turn: number;\n}\n',
    });
    expect(statement).toContain('`max_per_turn` is defined at src/limits.ts:2.');
  });

  it('[MOD-8] wants the words of a question about files close to each other, not in the name of a folder', async () => {
    const { statement } = await ask('Which files parse the configuration?', {
      'src/config/url.ts': 'export const isLocal = URL.parse(text);\n',
      'src/config/load.ts': 'export function parseConfiguration(text) {\n  return parse(text);\n}\n',
      'src/app/other.ts': 'export const other = 1;\n',
    });
    expect(statement).toContain('src/config/load.ts:1');
    expect(statement).not.toContain('url.ts');
  });

  it.each([
    'Wo wird die Konfiguration gelesen?',
    'Où est définie la limite des appels ?',
    '¿Dónde se define el límite de las llamadas?',
    'Dove si trova il limite delle chiamate?',
    '设置在哪里读取？',
    'Где определён предел?',
  ])('[MOD-8] says of another language that it reads English and names of code only: %s', async (question) => {
    const { answer, calls } = await ask(question, {
      'a.md': 'die Konfiguration, la limite, el límite, 设置, предел\n',
    });
    expect(answer).toContain('It reads English and names of code only.');
    expect(answer).not.toContain('a.md');
    expect(calls).toEqual([]);
  });

  it('[MOD-8] answers for a name of code in a task of another language, and says once what it passed over', async () => {
    const { answer } = await ask('Wo ist die Funktion `zap` definiert?');
    expect(answer).toContain('`zap` is defined at lib/zap.js:2.');
    expect(answer.match(/It reads English and names of code only\./gu)).toHaveLength(1);
    const none = await ask('Wo ist die Funktion `zipZap` definiert?');
    expect(none.statement).toBe('Nothing was found for `zipZap`.');
  });
});
