import { expect, test } from '@jest/globals';
import { fairQueue } from './fair-queue.js';

/** A queue whose items the test completes in the order in which they started. */
function scene(over: Partial<Parameters<typeof fairQueue>[0]> = {}) {
  const queue = fairQueue({ slots: 1, slotsPerKey: 1, waitingMaxPerKey: 50, ...over });
  const begun: { readonly name: string; readonly end: () => void }[] = [];
  const order: string[] = [];
  const add = (name: string, more: { bypassesLimit?: boolean; signal?: AbortSignal } = {}) =>
    queue.run({ key: name.slice(0, 1), ...more }, async (release) => {
      order.push(name);
      await new Promise<void>((resolve) => begun.push({ name, end: resolve }));
      release();
      return name;
    });
  const endOne = async (name?: string) => {
    const at = name === undefined ? 0 : begun.findIndex((item) => item.name === name);
    begun.splice(at, 1)[0]?.end();
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  };
  const endAll = async () => {
    while (begun.length > 0) await endOne();
  };
  return { queue, add, order, endOne, endAll };
}

test('finding 8: keys take turns, regardless of how many items one of them has', async () => {
  const it = scene();
  const all = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'c1'].map((name) => it.add(name));
  await it.endAll();
  expect(it.order).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4', 'a5']);
  expect((await Promise.all(all)).map(({ kind }) => kind)).toEqual(all.map(() => 'ran'));
});

test('an item of another key waits behind one item of each earlier key, not behind all of them', async () => {
  const it = scene();
  for (let nth = 0; nth < 40; nth++) for (const key of ['a', 'b', 'c']) void it.add(`${key}${nth}`);
  await it.endOne();
  void it.add('d0');
  const before = it.order.length;
  while (!it.order.includes('d0')) await it.endOne();
  expect(it.order.length - before).toBeLessThanOrEqual(4);
  expect(it.order.slice(before).sort()).toEqual([...new Set(it.order.slice(before))].sort());
});

test('a key never has all slots, so that another key does not wait for its items', async () => {
  const it = scene({ slots: 2 });
  for (let nth = 0; nth < 12; nth++) void it.add(`a${nth}`);
  expect(it.order).toEqual(['a0']);
  void it.add('b0');
  expect(it.order).toEqual(['a0', 'b0']);
  await it.endOne('b0');
  expect(it.order).toEqual(['a0', 'b0']);
  await it.endAll();
  expect(it.order).toHaveLength(13);
});

test('each key has a waiting limit, which only requests with bypassesLimit exceed', async () => {
  const it = scene({ waitingMaxPerKey: 3 });
  for (const name of ['a0', 'a1', 'a2']) void it.add(name);
  expect(it.queue.isFull('a')).toBe(false);
  void it.add('a3');
  expect(it.queue.isFull('a')).toBe(true);
  expect(it.queue.isFull('b')).toBe(false);
  expect(await it.add('a4')).toEqual({ kind: 'full' });
  void it.add('a5', { bypassesLimit: true });
  void it.add('b0');
  expect(it.queue.depth()).toEqual({ waiting: 5, running: 1 });
  for (let nth = 0; nth < 3; nth++) await it.endOne();
  expect(await Promise.race([it.add('a6'), Promise.resolve('waits')])).toBe('waits');
  await it.endAll();
  expect(it.order).toEqual(['a0', 'a1', 'b0', 'a2', 'a3', 'a5', 'a6']);
  expect(it.queue.depth()).toEqual({ waiting: 0, running: 0 });
});

test('an aborted item leaves the queue, or keeps its slot until its work completes', async () => {
  const it = scene();
  const [first, second] = [new AbortController(), new AbortController()];
  const running = it.add('a0', { signal: first.signal });
  const waiting = it.add('a1', { signal: second.signal });
  void it.add('a2');
  second.abort();
  expect(await waiting).toEqual({ kind: 'interrupted' });
  first.abort();
  expect(await running).toEqual({ kind: 'interrupted' });
  expect(it.order).toEqual(['a0']);
  await it.endAll();
  expect(it.order).toEqual(['a0', 'a2']);
  expect(await it.add('a3', { signal: first.signal })).toEqual({ kind: 'interrupted' });
});

test('a closing queue interrupts all waiting and later items', async () => {
  const it = scene();
  const running = it.add('a0');
  const waiting = [it.add('a1'), it.add('b0')];
  it.queue.close();
  expect(await Promise.all(waiting)).toEqual([{ kind: 'interrupted' }, { kind: 'interrupted' }]);
  expect(await it.add('c0')).toEqual({ kind: 'interrupted' });
  await it.endAll();
  expect(await running).toEqual({ kind: 'ran', value: 'a0' });
});

test('failing work rejects, and its slot is free after it is released', async () => {
  const { queue } = scene();
  const broken = queue.run({ key: 'a' }, async (release) => {
    release();
    release();
    throw new Error('broken');
  });
  await expect(broken).rejects.toThrow('broken');
  expect(await queue.run({ key: 'a' }, async () => 'next')).toEqual({ kind: 'ran', value: 'next' });
  expect(queue.depth()).toEqual({ waiting: 0, running: 1 });
});
