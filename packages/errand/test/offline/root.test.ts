import { describe, expect, it } from 'vitest';
import type { ToolCall } from '../../src/domain/run/message.ts';
import { drive } from './drive.ts';
import { folderOf, SHOP } from './folder.ts';

interface Asked {
  readonly task: string;
  readonly title: string;
  readonly role: string;
}

const askedOf = (calls: readonly { readonly name: string; readonly args: string }[]) =>
  calls.filter((call) => call.name === 'agent').map((call) => JSON.parse(call.args) as Asked);
const firstLines = (asked: readonly Asked[]) => asked.map(({ task }) => task.split('\n')[0]);

/** What the root asks of its helpers for a text. */
async function split(text: string): Promise<Asked[]> {
  const answer = { output: 'refused in this test', error: true };
  const run = await drive(folderOf(SHOP), text, { intercept: (call) => (call.name === 'agent' ? answer : undefined) });
  return askedOf(run.calls);
}

describe('the offline model as a root', () => {
  it('[MOD-8] [DEL-1] sends one scout for each question, all in one step, and answers in the order of the questions', async () => {
    const run = await drive(
      folderOf(SHOP),
      'Where is settleOrder defined? What calls retryDelay? Which files mention ServeOrder?',
    );
    expect(run.steps).toBe(2);
    expect(askedOf(run.calls)).toMatchObject([{ role: 'scout' }, { role: 'scout' }, { role: 'scout' }]);
    const heads = [...run.answer.matchAll(/^\*\*\d\. (.*)\*\*$/gmu)].map((match) => match[1]);
    expect(heads).toEqual([
      'Where is settleOrder defined?',
      'What calls retryDelay?',
      'Which files mention ServeOrder?',
    ]);
    expect(run.answer).toContain('`settleOrder` is defined at src/orders/settle.ts:4.');
    expect(run.answer).toContain('- server/main.go:3 — `func (s *Server) ServeOrder(id string) error {`');
    expect(run.answer).toContain('(helper “Where is settleOrder defined?”, completed)');
    expect(run.answer.split('\n\n').at(-1)).toMatch(/no language model.*--model <connection>\/<id>/u);
  });

  it.each<[string, (string | undefined)[]]>([
    ['Where is A_one? Where is B_two?', ['Where is A_one?', 'Where is B_two?']],
    ['- where is a_one\n- what calls b_two\n', ['where is a_one', 'what calls b_two']],
    [
      '1) where is a_one\n2) what calls b_two, with\n   its callers',
      ['where is a_one', 'what calls b_two, with its callers'],
    ],
    ['Where is a_one; and what calls b_two?', ['Where is a_one', 'what calls b_two?']],
    ['Where is a_one defined and what calls b_two', ['Where is a_one defined', 'what calls b_two']],
    ['Where is a_one? Also, which files use b_two?', ['Where is a_one?', 'which files use b_two?']],
    [
      'Please find where a_one is set. Then tell me what calls b_two.',
      ['find where a_one is set.', 'what calls b_two.'],
    ],
    [
      'What calls a.b.ts in v1.2.3, e.g. the "Is it? Yes." text? Where is `x? y`?',
      ['What calls a.b.ts in v1.2.3, e.g. the "Is it? Yes." text?', 'Where is `x? y`?'],
    ],
    ['What calls foo.ts. Where is bar_two', ['What calls foo.ts.', 'Where is bar_two']],
  ])('[MOD-8] splits where questions end, and nowhere else: %j', async (text, questions) => {
    expect(firstLines(await split(text))).toEqual(questions);
  });

  it('[MOD-8] [DEL-1] gives every task what it needs to stand alone', async () => {
    const [first, second] = await split(
      'The checkout hangs since yesterday. Where is settleOrder defined? What calls it?',
    );
    expect(first?.task).toContain('Background: The checkout hangs since yesterday.');
    expect(second?.task).toContain('`settleOrder`');
    expect(second?.task).toContain('Background: The checkout hangs since yesterday.');
  });

  it('[MOD-8] never sends more than eight, and loses no question', async () => {
    const names = Array.from({ length: 19 }, (_, index) => `thing_${index}`);
    const asked = await split(names.map((name) => `Where is ${name}?`).join(' '));
    expect(asked).toHaveLength(8);
    for (const name of names) expect(asked.filter(({ task }) => task.includes(`Where is ${name}?`))).toHaveLength(1);
  });

  it('[MOD-8] says how many questions it leaves out when there are too many, and is not slowed down by a long text', async () => {
    const asked = await split(Array.from({ length: 70 }, (_, index) => `Where is thing_${index}?`).join(' '));
    expect(asked).toHaveLength(8);
    const many = await drive(
      folderOf({}),
      Array.from({ length: 70 }, (_, index) => `Where is thing_${index}?`).join(' '),
      { intercept: () => ({ output: 'No.', error: true }) },
    );
    expect(many.answer).toContain('6 more questions were not looked into');
    const before = process.cpuUsage().user;
    await drive(folderOf({}), `Where is this? ${'What what e.g. "which file" calls `x. y`? '.repeat(10_000)}`, {
      intercept: () => ({ output: 'No.', error: true }),
    });
    await drive(folderOf({}), 'what which files where '.repeat(20_000), {
      intercept: () => ({ output: 'No.', error: true }),
    });
    expect((process.cpuUsage().user - before) / 1_000).toBeLessThan(3_000);
  });

  it('[MOD-8] finds the parts of a grouped answer again', async () => {
    const names = [
      'settleOrder',
      'retryDelay',
      'ServeOrder',
      'JobRunner',
      'run_next',
      'start_up',
      'Cart',
      'checkout',
      'FIRST',
      'log',
    ];
    const run = await drive(folderOf(SHOP), names.map((name) => `Where is \`${name}\` defined?`).join('\n\n'));
    expect(run.helpers).toHaveLength(8);
    for (const [index, name] of names.entries()) {
      const part = run.answer.split(`**${index + 1}. `)[1]?.split('\n\n**')[0];
      expect(part).toContain(`\`${name}\` is defined at `);
      expect(part).toMatch(/^- \S+:\d+ — `/mu);
    }
  });

  it('[MOD-8] lists the workspace for a single question and sends one scout for each area', async () => {
    const run = await drive(folderOf(SHOP), 'Where is settleOrder defined?');
    expect(run.calls[0]).toMatchObject({ name: 'list', error: false });
    const scopes = askedOf(run.calls).map(({ task }) =>
      [...task.matchAll(/^SCOPE: (.*)$/gmu)].map((match) => match[1]),
    );
    expect(scopes.length).toBeGreaterThanOrEqual(2);
    expect(scopes.length).toBeLessThanOrEqual(6);
    expect(scopes.flat().toSorted()).toEqual([
      './*',
      'docs',
      'engine',
      'server',
      'src/*',
      'src/orders',
      'src/retry',
      'test',
      'worker',
    ]);
    expect(run.answer).toContain('`settleOrder` is defined at src/orders/settle.ts:4.');
    expect(run.answer).toContain('Nothing was found in `engine/`, `server/`, `src/retry/`, `worker/`.');
  });

  it('[MOD-8] sends a single scout into a workspace without folders', async () => {
    const run = await drive(folderOf({ 'a.ts': 'export const limit = 3;\n' }), 'Where is `limit`?');
    expect(askedOf(run.calls)).toHaveLength(1);
    expect(run.answer).toContain('`limit` is defined at a.ts:1.');
  });

  it('[MOD-8] says plainly which helpers failed, were cut short or could not be started, and searches for the last itself', async () => {
    const outcomes = (call: ToolCall) => {
      if (call.name !== 'agent') return undefined;
      const { task, title } = JSON.parse(call.args) as Asked;
      if (task.includes('settleOrder')) return { output: 'Too many helpers for this turn: 1 of 1.', error: true };
      const state = task.includes('retryDelay') ? 'failed' : 'interrupted';
      return {
        output: `<helper_answer title="${title}" model="offline/extract" state="${state}">\npartial\n---\nhalf an answer\n</helper_answer>`,
        error: true,
      };
    };
    const run = await drive(folderOf(SHOP), 'Where is settleOrder defined? What calls retryDelay? Where is `Cart`?', {
      intercept: outcomes,
    });
    expect(run.answer).toContain(
      '“Where is settleOrder defined?”: no helper was started: Too many helpers for this turn',
    );
    expect(run.answer).toContain('`settleOrder` is defined at src/orders/settle.ts:4.');
    expect(run.answer).toContain('(searched by this run itself, without a helper)');
    expect(run.answer).toContain('“What calls retryDelay?” ended as failed.');
    expect(run.answer).toContain('“Where is `Cart`?” ended as interrupted. What it wrote so far is used above.');
    expect(run.answer.match(/half an answer/gu)).toHaveLength(2);
  });

  it('[MOD-8] [DEL-8] takes over what another model reports, as it stands', async () => {
    const report =
      '### SUMMARY\nIt is settled in a queue.\n### EVIDENCE\n1. see src/log.ts:1, where it logs\n### CHANGES\nNone.\n### RISKS\nNone.\n### BLOCKERS\nNo rights.';
    const output = `<helper_answer title='x' model='work/large' state='completed'>\nnote\n---\n${report}\n</helper_answer>`;
    const run = await drive(folderOf(SHOP), 'Where is `Cart`? Where is log?', {
      intercept: (call) => (call.name === 'agent' ? { output, error: false } : undefined),
    });
    expect(run.answer).toContain('It is settled in a queue.\n\n1. see src/log.ts:1, where it logs');
    expect(run.answer).toContain('What could not be looked at:\n- “Where is `Cart`?”: No rights.');
  });

  it('[MOD-8] searches and answers by itself where it may not delegate', async () => {
    const run = await drive(folderOf(SHOP), 'Where is settleOrder defined? What calls retryDelay?', {
      tools: ['search', 'read', 'list', 'find'],
    });
    expect(run.answer).toContain(
      '**1. Where is settleOrder defined?**\n`settleOrder` is defined at src/orders/settle.ts:4.',
    );
    expect(run.answer).not.toContain('### ');
    expect(run.answer).toMatch(/no language model/u);
  });

  it.each([
    'hello!',
    'Write a poem about queues.',
    'What is 2 + 2?',
    'Should we use Redis?',
    'Translate "hi" to French',
    'Who are you?',
    'Summarise the code',
    'thanks',
    '?',
    '',
  ])('[MOD-8] asked for something else it says what it is and how to connect a model: %j', async (text) => {
    const run = await drive(folderOf(SHOP), text);
    expect(run.calls).toEqual([]);
    expect(run.answer).toMatch(
      /no language model[\s\S]*--model <connection>\/<id>[\s\S]*OPENAI_API_KEY[\s\S]*ANTHROPIC_API_KEY[\s\S]*GEMINI_API_KEY[\s\S]*OPENAI_BASE_URL[\s\S]*README/u,
    );
  });

  it('[MOD-8] answers the part of a mixed request that it can', async () => {
    const run = await drive(folderOf(SHOP), 'Fix the bug in `settleOrder` and tell me where it is defined.');
    expect(run.answer).toContain('`settleOrder` is defined at src/orders/settle.ts:4.');
    expect(run.answer).toContain('Not done, for it takes more than a search: “Fix the bug in `settleOrder`”.');
  });

  it('[MOD-8] understands a later question of the same session by the one before', async () => {
    const folder = folderOf(SHOP);
    const first = await drive(folder, 'Where is settleOrder defined?');
    const second = await drive(folder, 'And what calls it?', { before: first.messages });
    expect(second.answer).toContain('`settleOrder` is called in one place');
    const ids = second.messages.flatMap((message) =>
      message.role === 'assistant' ? message.calls.map((call) => call.call_id) : [],
    );
    expect(new Set(ids).size).toBe(ids.length);
  });
});
