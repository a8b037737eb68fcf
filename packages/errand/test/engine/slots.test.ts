import { describe, expect, it } from 'vitest';
import { type SharedSlots, Slots } from '../../src/engine/admission/slots.ts';

/** A store with this many slots, which can be made to fail. */
function createStore(size: number) {
  const store = { free: size, ill: false, listeners: new Set<() => void>() };
  const ask = async (): Promise<void> => {
    await turn();
    if (store.ill) throw new Error('the store is ill');
  };
  const shared: SharedSlots = {
    async take(count) {
      await ask();
      const got = Math.min(count, store.free);
      store.free -= got;
      return got;
    },
    async give(count) {
      await ask();
      store.free += count;
    },
    onFreed(listener) {
      store.listeners.add(listener);
      return () => store.listeners.delete(listener);
    },
  };
  return { store, shared };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const settled = async () => {
  for (let turns = 0; turns < 8; turns++) await turn();
};
const NEVER = new AbortController().signal;

describe('slots', () => {
  it('[LIM-2] whoever leaves the line while the store is asked leaves no slot behind', async () => {
    const { store, shared } = createStore(1);
    const slots = new Slots({ all: 4, forHelpers: 4 }, shared);
    const leaving = new AbortController();
    const waits = [1, 2, 3].map(() => slots.wait(true, leaving.signal));
    await turn();
    leaving.abort();
    expect(await Promise.all(waits)).toEqual([false, false, false]);
    await settled();
    expect(store.free).toBe(1);
    expect(store.listeners.size).toBe(0);
  });

  it('[LIM-2] [RUN-2] tells once who has to wait, whatever is full, and nobody else', async () => {
    const { store, shared } = createStore(2);
    const slots = new Slots({ all: 4, forHelpers: 1 }, shared);
    const told: string[] = [];
    const wait = (name: string, helper: boolean) => slots.wait(helper, NEVER, () => told.push(name));
    await Promise.all([wait('first helper', true), wait('first root', false)]);
    expect(told).toEqual([]);
    const held = [wait('behind the bound of helpers', true), wait('behind the store', false)];
    await settled();
    for (let again = 0; again < 3; again++) {
      slots.retry();
      await settled();
    }
    expect(told).toEqual(['behind the bound of helpers', 'behind the store']);
    slots.give(true);
    slots.give(false);
    await Promise.all(held);
    expect(told).toHaveLength(2);
    expect(store.free).toBe(0);
  });

  it('[LIM-2] whoever leaves while none is free leaves no listener behind', async () => {
    const { store, shared } = createStore(0);
    const slots = new Slots({ all: 4, forHelpers: 4 }, shared);
    const leaving = new AbortController();
    const wait = slots.wait(true, leaving.signal);
    await settled();
    expect(store.listeners.size).toBe(1);
    leaving.abort();
    expect(await wait).toBe(false);
    await settled();
    expect(store.listeners.size).toBe(0);
    expect(slots.queued).toBe(0);
  });

  it('[LIM-2] [DUR-7] what the store did not take back is given back later, once', async () => {
    const { store, shared } = createStore(2);
    const slots = new Slots({ all: 2, forHelpers: 2 }, shared);
    expect(await Promise.all([slots.wait(false, NEVER), slots.wait(true, NEVER)])).toEqual([true, true]);
    store.ill = true;
    slots.give(false);
    slots.give(true);
    await settled();
    expect(store.free).toBe(0);
    store.ill = false;
    for (const listener of store.listeners) listener();
    await settled();
    expect(store.free).toBe(2);
    expect(store.listeners.size).toBe(0);
  });

  it('[LIM-2] [DUR-7] what the store did not take back serves whoever waits next', async () => {
    const { store, shared } = createStore(1);
    const slots = new Slots({ all: 1, forHelpers: 1 }, shared);
    expect(await slots.wait(false, NEVER)).toBe(true);
    store.ill = true;
    slots.give(false);
    await settled();
    expect(await slots.wait(false, NEVER)).toBe(true);
  });

  it('[DUR-7] whoever waits is told when the store cannot be asked', async () => {
    const { store, shared } = createStore(1);
    store.ill = true;
    const slots = new Slots({ all: 1, forHelpers: 1 }, shared);
    await expect(slots.wait(false, NEVER)).rejects.toThrow('the store is ill');
    expect(slots.queued).toBe(0);
    store.ill = false;
    expect(await slots.wait(false, NEVER)).toBe(true);
  });

  it('[LIM-2] a root does not stand behind helpers that only their own bound holds back', async () => {
    const { shared } = createStore(4);
    const slots = new Slots({ all: 4, forHelpers: 1 }, shared);
    expect(await slots.wait(true, NEVER)).toBe(true);
    const second = slots.wait(true, NEVER);
    expect(await slots.wait(false, NEVER)).toBe(true);
    slots.give(true);
    expect(await second).toBe(true);
  });
});
