import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/domain/run/message.ts';
import { createOfflineModel } from '../../src/models/offline/index.ts';
import type { Model, ModelRequest, ToolDeclaration } from '../../src/ports/model.ts';
import { drive } from './drive.ts';
import { folderOf, SHOP } from './folder.ts';

const model = createOfflineModel('extract') as Model;
const SILENT = { text: () => {}, alive: () => {} };
const HELPER = 'You are a helper.\nEnd with a report.';
const SEARCH: ToolDeclaration = { name: 'search', description: 'Searches.', parameters: { type: 'object' } };

function request(messages: readonly Message[], changes: Partial<ModelRequest> = {}): ModelRequest {
  return { system: HELPER, messages, tools: [SEARCH], effort: null, ...changes };
}

function call(asked: ModelRequest, signal = new AbortController().signal) {
  return model.call(asked, SILENT, signal);
}

describe('the offline model behind its port', () => {
  it('[MOD-8] is there under its id, and nothing else is', () => {
    expect(model.name).toBe('offline/extract');
    expect(createOfflineModel('offline/extract')?.name).toBe('offline/extract');
    for (const name of ['', 'offline', 'offline/', 'other/extract', 'gpt-5', 'extract2'])
      expect(createOfflineModel(name)).toBeNull();
  });

  it('[MOD-8] [MOD-9] streams its text in a few pieces that add up to it', async () => {
    const pieces: string[] = [];
    const observer = { text: (piece: string) => pieces.push(piece), alive: () => {} };
    const outcome = await model.call(
      request([{ role: 'user', text: 'hello' }], { system: '' }),
      observer,
      new AbortController().signal,
    );
    if (outcome.kind !== 'answer') throw new Error(outcome.fault.message);
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.length).toBeLessThan(10);
    expect(pieces.join('')).toBe(outcome.text);
    expect(outcome).toMatchObject({ finish: 'stop', calls: [], modelUsed: 'offline/extract' });
  });

  it('[MOD-8] [RES-7] estimates its usage from the characters, so that it is never unknown', async () => {
    const outcome = await call(
      request([{ role: 'user', text: 'x'.repeat(4_000) }], { system: 'y'.repeat(400), tools: [] }),
    );
    expect(outcome.usage?.input).toBe(1_100);
    expect(outcome.usage).toMatchObject({ cached: 0, reasoning: 0, unknown_calls: 0 });
    expect(outcome.usage?.output).toBeGreaterThan(0);
  });

  it('[MOD-8] returns at once when it is stopped', async () => {
    const stop = new AbortController();
    stop.abort();
    expect(await call(request([{ role: 'user', text: 'Where is x_y?' }]), stop.signal)).toMatchObject({
      kind: 'fault',
    });
  });

  it('[MOD-8] asks for nothing that is not on offer, in arguments that the tool knows', async () => {
    const narrow = { ...SEARCH, parameters: { type: 'object', properties: { pattern: { type: 'string' } } } };
    const outcome = await call(
      request([{ role: 'user', text: 'QUESTION\nWhere is x_y defined?\n\nALREADY_KNOWN\nz_w' }], { tools: [narrow] }),
    );
    if (outcome.kind !== 'answer') throw new Error(outcome.fault.message);
    expect(outcome.finish).toBe('tool_calls');
    for (const made of outcome.calls) {
      expect(made.name).toBe('search');
      expect(Object.keys(JSON.parse(made.args) as object)).toEqual(['pattern']);
      expect(made.args).not.toContain('z_w');
    }
  });

  it('[MOD-8] [LIM-6] reports what it has when the limit is near, without a call', async () => {
    const folder = folderOf(SHOP);
    const run = await drive(folder, 'Where is settleOrder defined?', { kind: 'helper' });
    const [opening, searching, found] = run.messages;
    if (!opening || !searching || !found) throw new Error('the run was too short');
    const urge: Message = {
      role: 'user',
      text: 'Your limit of steps is nearly used up, so no tools are left to you. Write your last message now.',
    };
    const outcome = await call(request([opening, searching, found, urge], { tools: [] }));
    if (outcome.kind !== 'answer') throw new Error(outcome.fault.message);
    expect(outcome.calls).toEqual([]);
    expect(outcome.text).toContain('`settleOrder` is defined at src/orders/settle.ts:4.');
    const early = await call(request([opening, urge], { tools: [] }));
    expect(early.kind === 'answer' && early.text).toContain('Nothing could be looked up for `settleOrder`.');
  });

  it('[MOD-8] ends with a report when every tool fails, and says so', async () => {
    const broken = { output: 'The disk is gone.', error: true };
    const run = await drive(folderOf(SHOP), 'Where is settleOrder defined?', {
      kind: 'helper',
      intercept: () => broken,
    });
    expect(run.steps).toBe(2);
    expect(run.answer).toContain('Nothing could be looked up for `settleOrder`.');
    expect(run.answer).toContain('A call failed: search: The disk is gone.');
    const root = await drive(folderOf(SHOP), 'Where is settleOrder defined?', { intercept: () => broken });
    expect(root.answer).toContain('The disk is gone.');
  });

  it('[MOD-8] goes on where it was after an interruption, and makes again what was not carried out', async () => {
    const opening: Message = { role: 'user', text: 'QUESTION\nWhere is `settleOrder` defined?' };
    const first = await call(request([opening]));
    if (first.kind !== 'answer') throw new Error(first.fault.message);
    const refused = first.calls.map(({ call_id, name }) => ({
      call_id,
      name,
      text: 'Not carried out: no tools were on offer for this message.',
      error: true,
    }));
    const urge: Message = { role: 'user', text: 'Your limit of time is nearly used up, so no tools are left to you.' };
    const resumed: Message = {
      role: 'user',
      text: 'You were interrupted at a limit and may go on now. Carry on with the task.',
    };
    const transcript: Message[] = [
      opening,
      { role: 'assistant', text: '', calls: first.calls },
      { role: 'tool', results: refused },
    ];
    const second = await call(
      request([...transcript, urge, { role: 'assistant', text: 'so far', calls: [] }, resumed]),
    );
    if (second.kind !== 'answer') throw new Error(second.fault.message);
    expect(second.calls.map((made) => made.args)).toEqual(first.calls.map((made) => made.args));
    expect(second.calls.map((made) => made.call_id)).not.toEqual(first.calls.map((made) => made.call_id));
  });

  it('[MOD-8] ends after a few steps, even when every search brings something new', async () => {
    let count = 0;
    const endless = () => ({ output: `src/file-${++count}.ts:${count}: settleOrder(${count});`, error: false });
    const run = await drive(folderOf(SHOP), 'What calls settleOrder? How do zebras retry?', {
      kind: 'helper',
      intercept: endless,
    });
    expect(run.steps).toBeLessThanOrEqual(4);
  });

  it('[MOD-8] understands results that were cut in the middle or are no text of a tool', async () => {
    const outputs = [
      '',
      '…',
      'a:b:c',
      'x.ts:1',
      ':12: no path',
      '{"json": true}',
      'x.ts:3: settleOrder(\n\n[… 12,000 characters left out …]\n\ny.ts:4: settl',
    ];
    for (const output of outputs) {
      const run = await drive(folderOf(SHOP), 'What calls settleOrder?', {
        kind: 'helper',
        intercept: () => ({ output, error: false }),
      });
      expect(run.answer).toContain('### BLOCKERS');
    }
  });

  it('[MOD-8] says so when no tool that searches is on offer', async () => {
    const run = await drive(folderOf(SHOP), 'Where is settleOrder?', { kind: 'helper', tools: ['read'] });
    expect(run.answer).toContain('No tool that searches is on offer');
    expect(run.steps).toBe(1);
  });
});
