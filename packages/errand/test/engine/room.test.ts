import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { apply, fold } from '../../src/domain/run/apply.ts';
import type { RunResult } from '../../src/domain/run/result.ts';
import { trimResults } from '../../src/domain/run/room.ts';
import { answer, type Reply, type ScriptedRequest, status } from '../../src/testing/index.ts';
import { createInstance, resultsOf } from './instance.ts';

const overflow = () =>
  status(400, {
    error: { message: "This model's maximum context length is 32768 tokens", code: 'context_length_exceeded' },
  });
const line = `${'word '.repeat(40)}\n`;

describe("a model's own window", () => {
  it('[CTX-8] [PAIN-23] tool output of earlier steps is trimmed first, the latest is left to be read, and the run goes on', async () => {
    const instance = await createInstance((request) => {
      if (request.text.length > 35_000) return overflow();
      return resultsOf(request).length < 2
        ? answer({ calls: [{ name: 'read', args: { path: 'big.txt' } }] })
        : answer({ text: 'read it all' });
    });
    writeFileSync(join(instance.folder, 'big.txt'), line.repeat(100));
    const result = await instance.run('go');
    expect(result).toMatchObject({ state: 'completed', answer: 'read it all' });
    expect(instance.events.filter((event) => event.type.startsWith('transcript.')).map((event) => event.type)).toEqual([
      'transcript.trimmed',
    ]);
    const [earlier, latest] = resultsOf(instance.server.requests.at(-1) ?? expect.fail('no request'));
    expect(earlier?.length).toBeLessThanOrEqual(2_000);
    expect(latest?.length).toBeGreaterThan(20_000);
    expect(await instance.runtime.replay(result.run_id)).toMatchObject({ differences: [] });
  });

  it('[CTX-8] where the latest tool output alone is too long, it is trimmed as well', async () => {
    const instance = await createInstance((request) => {
      if (request.text.length > 25_000) return overflow();
      return resultsOf(request).length < 2
        ? answer({ calls: [{ name: 'read', args: { path: 'big.txt' } }] })
        : answer({ text: 'read what there was' });
    });
    writeFileSync(join(instance.folder, 'big.txt'), line.repeat(100));
    const result = await instance.run('go');
    expect(result).toMatchObject({ state: 'completed', answer: 'read what there was' });
    expect(instance.events.some((event) => event.type === 'transcript.summarised')).toBe(false);
  });

  it('[CTX-8] a window that is known is not overrun in the first place', async () => {
    const instance = await createInstance(
      (request) =>
        resultsOf(request).length < 6
          ? answer({ calls: [{ name: 'read', args: { path: 'big.txt' } }], usage: null })
          : answer({ text: 'done', usage: null }),
      { contextWindow: 12_000 },
    );
    writeFileSync(join(instance.folder, 'big.txt'), line.repeat(60));
    const result = await instance.run('go');
    expect(result.state).toBe('completed');
    expect(Math.max(...instance.server.requests.map((request) => request.text.length))).toBeLessThan(
      12_000 * 3.5 * 1.3,
    );
    expect(instance.events.some((event) => event.type === 'transcript.trimmed')).toBe(true);
  });

  it('[CTX-8] then the transcript is summarised by the same model, on record', async () => {
    const instance = await createInstance((request) => {
      const asked = request.messages.at(-1)?.['content'];
      if (typeof asked === 'string' && asked.startsWith('The conversation so far'))
        return answer({ text: 'notes.txt:1 says first', usage: { input: 5, output: 3 } });
      if (request.messages.length > 12) return overflow();
      return request.text.includes('notes.txt:1 says first')
        ? answer({ text: 'from the summary' })
        : answer({ text: 'more', calls: [{ name: 'list', args: {} }] });
    });
    const result = await instance.run('go');
    expect(result).toMatchObject({ state: 'completed', answer: 'from the summary' });
    const last = instance.server.requests.at(-1);
    // The task, the summary of the earlier half, and the later half as it was.
    expect(last?.messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'user',
      ...Array(3).fill(['assistant', 'tool']).flat(),
    ]);
    expect(last?.text).toContain('notes.txt:1 says first');
    expect(await instance.runtime.replay(result.run_id)).toMatchObject({ differences: [] });
  });

  it('[CTX-8] what was summed up before is part of what is summed up next', async () => {
    const asked: string[] = [];
    const instance = await createInstance((request) => {
      if (String(request.messages.at(-1)?.['content']).startsWith('The conversation so far')) {
        asked.push(request.text);
        return answer({ text: `finding ${asked.length}` });
      }
      if (request.messages.length > 12) return overflow();
      return asked.length < 3
        ? answer({ text: 'more', calls: [{ name: 'list', args: {} }] })
        : answer({ text: 'from the last summary' });
    });
    expect(await instance.run('the task')).toMatchObject({ state: 'completed', answer: 'from the last summary' });
    expect(asked).toHaveLength(3);
    for (const [index, text] of asked.entries()) {
      expect(text).toContain('the task');
      if (index > 0) expect(text).toContain(`finding ${index}`);
    }
  });

  it('[CTX-8] a run that began with the transcript of another keeps its own task in every summary', async () => {
    const instance = await createInstance((request) => {
      const asked = String(request.messages.at(-1)?.['content']);
      if (asked.startsWith('The conversation so far')) return answer({ text: 'the summary' });
      if (request.text.includes('the summary')) return answer({ text: 'from the summary' });
      if (!request.text.includes('the new task')) return answer({ text: 'the first answer' });
      return request.messages.length > 12 ? overflow() : answer({ text: 'more', calls: [{ name: 'list', args: {} }] });
    });
    const first = await instance.run('the old task');
    const resumed = await instance.runtime.resume({ runId: first.run_id, message: 'the new task' });
    if (!resumed.ok) throw new Error(resumed.error.message);
    expect(await resumed.value.result).toMatchObject({ state: 'completed', answer: 'from the summary' });
    for (const request of instance.server.requests.slice(-2)) {
      const texts = request.messages.slice(1).map((message) => message['content']);
      expect(texts).toEqual(expect.arrayContaining(['the old task', 'the new task']));
    }
  });

  it('[CTX-8] [MOD-6] a fault that passes while it is summed up is waited out, on record, and counted', async () => {
    let faults = 0;
    const instance = await createInstance(
      (request) => {
        const asked = String(request.messages.at(-1)?.['content']);
        if (asked.startsWith('The conversation so far'))
          return ++faults < 3 ? status(429, { error: { message: 'slow down' } }) : answer({ text: 'the summary' });
        if (request.text.includes('the summary')) return answer({ text: 'from the summary' });
        return request.messages.length > 8 ? overflow() : answer({ text: 'more', calls: [{ name: 'list', args: {} }] });
      },
      { realTime: true, limits: { retry_first_ms: 1, retry_longest_ms: 2 } },
    );
    const result = await instance.run('go');
    expect(result).toMatchObject({ state: 'completed', answer: 'from the summary' });
    // The one that did not fit, and the two that failed.
    expect(result.usage.own.unknown_calls).toBe(3);
    expect(await instance.runtime.replay(result.run_id)).toMatchObject({ differences: [] });
  });

  it('[CTX-8] [MOD-6] what a summary took of the retries is not missing afterwards', async () => {
    const faults = { summary: 2, after: 2 };
    const instance = await createInstance(
      (request) => {
        if (String(request.messages.at(-1)?.['content']).startsWith('The conversation so far'))
          return faults.summary-- > 0
            ? status(429, { error: { message: 'slow down' } })
            : answer({ text: 'the summary' });
        if (request.text.includes('the summary')) return faults.after-- > 0 ? status(503) : answer({ text: 'done' });
        return request.messages.length > 8 ? overflow() : answer({ text: 'more', calls: [{ name: 'list', args: {} }] });
      },
      { limits: { retries: 2, retry_first_ms: 1, retry_longest_ms: 1 }, realTime: true },
    );
    expect(await instance.run('go')).toMatchObject({ state: 'completed', answer: 'done' });
    expect(faults).toEqual({ summary: -1, after: -1 });
  });

  it('[CTX-8] [RES-7] a summary whose process dies is a call of which nobody knows what it used', async () => {
    const instance = await createInstance((request) => {
      if (String(request.messages.at(-1)?.['content']).startsWith('The conversation so far'))
        return instance.server.hold('summary', answer({ text: 'the summary' }));
      return request.messages.length > 8 ? overflow() : answer({ text: 'more', calls: [{ name: 'list', args: {} }] });
    });
    const handle = await instance.start('go');
    await instance.server.whenHeld('summary');
    const left = fold(await instance.journal.read(handle.run_id));
    const before = left.usage.unknown_calls;
    const died = {
      state: 'interrupted',
      reason: 'restart',
      ending: 1,
      answer: '',
      partial: false,
      message: '',
    } as const;
    const { run_id, parent_id, at, seq } = left;
    apply(left, { type: 'run.settled', run_id, parent_id, at, seq: seq + 1, active_ms: 1, ...died });
    expect(left.usage.unknown_calls).toBe(before + 1);
    handle.cancel('user');
    expect((await handle.result).usage.own.unknown_calls).toBe(before + 1);
  });

  it('[CTX-8] [MOD-6] a provider that stays away while it is summed up interrupts the run for that reason', async () => {
    const instance = await createInstance(
      (request) => {
        const asked = String(request.messages.at(-1)?.['content']);
        if (asked.startsWith('The conversation so far')) return status(503);
        return request.messages.length > 8 ? overflow() : answer({ text: 'more', calls: [{ name: 'list', args: {} }] });
      },
      { limits: { retries: 0 } },
    );
    expect(await instance.run('go')).toMatchObject({ state: 'interrupted', reason: 'provider', partial: true });
  });

  it('[CTX-8] [MOD-6] a key that is refused while it is summed up is that, and a summary that was paid for stays on record', async () => {
    const refused = status(401, { error: { message: 'no such key' } });
    const isSummary = (request: ScriptedRequest) =>
      String(request.messages.at(-1)?.['content']).startsWith('The conversation so far');
    let script: (request: ScriptedRequest) => Reply = (request) =>
      resultsOf(request).length < 6
        ? answer({ text: 'more', calls: [{ name: 'list', args: {} }] })
        : answer({ text: 'the first answer' });
    const instance = await createInstance((request) => script(request));
    const { run_id } = await instance.run('go');
    const goOn = async () => {
      const resumed = await instance.runtime.resume({ runId: run_id });
      return (resumed.ok ? resumed.value.result : Promise.reject(resumed.error)) as Promise<RunResult>;
    };
    script = (request) => (isSummary(request) ? refused : overflow());
    await expect(goOn()).rejects.toMatchObject({ code: 'refused_key' });
    expect(await instance.runtime.records()).toHaveLength(1);
    const usage = { input: 500, output: 50 };
    script = (request) =>
      isSummary(request)
        ? answer({ text: 'the summary', usage })
        : request.text.includes('the summary')
          ? refused
          : overflow();
    expect(await goOn()).toMatchObject({ state: 'failed', reason: 'provider_refused', usage: { own: usage } });
    expect(await instance.runtime.records()).toHaveLength(2);
  });

  it('[CTX-8] it is the larger half that is summed up, however many messages that takes', async () => {
    const asked: number[] = [];
    const instance = await createInstance((request) => {
      if (String(request.messages.at(-1)?.['content']).startsWith('The conversation so far')) {
        asked.push(request.text.length);
        return answer({ text: 'the summary' });
      }
      const steps = request.messages.filter((message) => message['role'] === 'assistant').length;
      if (request.text.includes('the summary')) return answer({ text: 'done' });
      if (steps > 20) return overflow();
      const text = steps < 16 ? 'small' : 'large '.repeat(500);
      return answer({ text, calls: [{ name: 'list', args: {} }] });
    });
    expect(await instance.run('go')).toMatchObject({ state: 'completed' });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toBeGreaterThan(6_000);
  });

  it('[CTX-8] where nothing helps, it is interrupted with what it has', async () => {
    const instance = await createInstance((request) =>
      resultsOf(request).length === 0 && request.messages.length < 3
        ? answer({ text: 'begun', calls: [{ name: 'list', args: {} }] })
        : overflow(),
    );
    const result = await instance.run('go');
    expect(result).toMatchObject({ state: 'interrupted', reason: 'context', partial: true, answer: 'begun' });
  });

  it('[CTX-8] trimming is bounded, and trimming again changes nothing', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 200 })), fc.integer({ min: 10, max: 100 }), (texts, characters) => {
        const messages = [
          {
            role: 'tool' as const,
            results: texts.map((text, index) => ({ call_id: `c${index}`, name: 'x', text, error: false })),
          },
        ];
        const once = trimResults(messages, characters, '[…]');
        expect(trimResults(once, characters, '[…]')).toEqual(once);
        for (const message of once)
          if (message.role === 'tool')
            for (const result of message.results) expect(result.text.length).toBeLessThanOrEqual(characters);
      }),
    );
  });
});
