import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import type { RunEvent, RunEventBody, RunEventType } from '../../src/domain/run/event.ts';
import { FAULT_CODES, TOOL_STATUSES } from '../../src/domain/run/event.ts';
import { FINISHES } from '../../src/domain/run/message.ts';
import { REASONS, STATES, WAITS } from '../../src/domain/run/status.ts';
import { NO_USAGE } from '../../src/domain/run/usage.ts';
import { Story } from '../terminal/story.ts';
import { sampleResult } from './fake-runtime.ts';

const docs = new URL('../../../../docs/', import.meta.url);
const schema = JSON.parse(readFileSync(new URL('schema/stream-json.schema.json', docs), 'utf8'));
const ajv = new Ajv2020({ allowUnionTypes: true });
const isLine = ajv.compile(schema);
const definition = (name: string) => schema.$defs[name];

const usage = NO_USAGE;
const child = { run_id: 'run_2', ending: 1, state: 'completed', reason: null, characters: 10 } as const;
const fault = { code: 'rate_limited', message: 'slow down', retryable: true, status: 429 } as const;

/** One of each kind, with everything that it may hold; a new kind of event does not compile until it is here. */
const bodies: { readonly [Type in Exclude<RunEventType, 'run.created'>]: Extract<RunEventBody, { type: Type }> } = {
  'run.started': { type: 'run.started' },
  'run.waiting': { type: 'run.waiting', on: 'children' },
  'run.running': { type: 'run.running' },
  'transcript.trimmed': { type: 'transcript.trimmed', characters: 2_000, mark: '[…]' },
  'transcript.summarised': { type: 'transcript.summarised', kept: 2, summary: 's', note: 'n', usage, active_ms: 1 },
  'model.started': { type: 'model.started', step: 1, attempt: 1, report: 'wall' },
  'model.text': { type: 'model.text', step: 1, text: 'more' },
  'model.finished': {
    type: 'model.finished',
    step: 1,
    text: 'text',
    calls: [{ call_id: 'c', name: 'read', args: '{broken' }],
    finish: 'tool_calls',
    usage,
    model_used: null,
    active_ms: 1,
    ms: 1,
    extras: { signature: ['x'] },
  },
  'model.failed': {
    type: 'model.failed',
    step: 1,
    attempt: 2,
    fault,
    text: '',
    usage,
    retry_in_ms: 1_000,
    active_ms: 0,
  },
  'tool.started': { type: 'tool.started', step: 1, call_id: 'c', name: 'read', args: '{}', risk: 'read' },
  'tool.finished': {
    type: 'tool.finished',
    step: 1,
    call_id: 'c',
    name: 'agent',
    status: 'ok',
    output: 'x',
    ms: 1,
    active_ms: 1,
    child,
    facts: { path: 'a' },
  },
  'todo.written': { type: 'todo.written', items: [{ text: 'a', status: 'in_progress' }] },
  'cancel.asked': { type: 'cancel.asked', reason: 'user' },
  'run.resumed': {
    type: 'run.resumed',
    boot_id: 'boot_2',
    limits: { steps: 1, tool_calls: 1, wall_ms: 1_000 },
    note: 'go on',
  },
  'run.settled': {
    type: 'run.settled',
    state: 'interrupted',
    reason: 'wall',
    ending: 1,
    answer: 'half',
    partial: true,
    message: 'time is up',
    active_ms: 5,
  },
};

function samples(): RunEvent[] {
  const story = new Story();
  story.create('run_1');
  for (const body of Object.values(bodies)) story.tell('run_1', body);
  const created = story.events[0];
  if (created?.type !== 'run.created') throw new Error('a story begins with run.created');
  const calls = [{ call_id: 'c', name: 'read', args: '{}' }];
  const prefix = [
    { role: 'user', text: 'a' },
    { role: 'assistant', text: 'b', calls },
    { role: 'tool', results: [{ call_id: 'c', name: 'read', text: 'd', error: false }] },
  ] as const;
  story.events.push({ ...created, window: 128_000, resumed_from: 'run_0', prefix });
  return story.events;
}

describe('the schema of stream-json', () => {
  test.each(samples().map((event) => [event.type, event] as const))('[SUR-2] takes %s', (_type, event) => {
    expect(isLine(event), JSON.stringify(isLine.errors)).toBe(true);
  });

  test('[SUR-2] takes the result, helpers included', () => {
    const helper = {
      run_id: 'run_2',
      parent_id: 'run_1',
      title: 'a title',
      role: 'scout',
      model: 'mock/m',
      state: 'interrupted',
      reason: 'wall',
      partial: true,
      steps: 3,
      tool_calls: ['read'],
      usage,
      duration_ms: 5,
    } as const;
    expect(isLine(sampleResult('run_1', { helpers: [helper] })), JSON.stringify(isLine.errors)).toBe(true);
  });

  test('[SUR-2] [DUR-4] takes the last line of errand resume --all', () => {
    const skipped = [{ run_id: 'run_2', title: 'a title', message: 'why' }];
    const results = { type: 'results', results: [sampleResult('run_1')], skipped };
    expect(isLine(results), JSON.stringify(isLine.errors)).toBe(true);
    expect(isLine({ ...results, results: [] })).toBe(true);
    expect(isLine({ ...results, results: [{}] })).toBe(false);
    expect(isLine({ ...results, more: 1 })).toBe(false);
  });

  test('[SUR-2] names exactly the kinds of events that there are', () => {
    const named = definition('event').oneOf.map(({ $ref }: { $ref: string }) => $ref.replace('#/$defs/', ''));
    expect(named.toSorted()).toEqual(['run.created', ...Object.keys(bodies)].toSorted());
    const last = [{ $ref: '#/$defs/result' }, { $ref: '#/$defs/results' }];
    expect(schema.oneOf).toEqual([...definition('event').oneOf, ...last]);
  });

  test('[SUR-2] refuses an unknown kind, an unknown field and a missing one', () => {
    for (const event of samples()) {
      expect(isLine({ ...event, type: 'run.vanished' })).toBe(false);
      expect(isLine({ ...event, surprise: 1 })).toBe(false);
      for (const key of ['run_id', 'parent_id', 'seq', 'at'] as const) {
        const { [key]: _left, ...rest } = event;
        expect(isLine(rest)).toBe(false);
      }
    }
    expect(isLine({})).toBe(false);
    expect(isLine([])).toBe(false);
    const { partial: _partial, ...rest } = sampleResult('run_1');
    expect(isLine(rest)).toBe(false);
  });

  test('[SUR-2] lists the words that the domain has, no more and no fewer', () => {
    expect(definition('state').enum).toEqual([...STATES]);
    expect(definition('reason').enum.toSorted()).toEqual([...Object.values(REASONS).flat(), null].toSorted());
    expect(definition('cancel_reason').enum).toEqual([...REASONS.cancelled]);
    expect(definition('interrupt_reason').enum).toEqual([...REASONS.interrupted]);
    expect(definition('fault').properties.code.enum).toEqual([...FAULT_CODES]);
    expect(definition('tool.finished').properties.status.enum).toEqual([...TOOL_STATUSES]);
    expect(definition('model.finished').properties.finish.enum).toEqual([...FINISHES]);
    expect(definition('run.waiting').properties.on.enum).toEqual([...WAITS]);
  });

  test('[SUR-2] the page names every kind of event', () => {
    const page = readFileSync(new URL('stream-json.md', docs), 'utf8');
    for (const { type } of samples()) expect(page).toContain(`| \`${type}\` |`);
  });
});
