import { beforeEach, describe, expect, test } from '@jest/globals';
import { ok, refuse, type Result } from '@switchboard/domain';
import { memoryWaitingSlots } from '@switchboard/domain/testing';
import type { Operation } from '../define.js';
import { setupDispatch, makeThing, type DispatchFixture } from '../testing/setup-dispatch.js';

let it: DispatchFixture;
beforeEach(async () => {
  it = await setupDispatch();
});
interface SampleRecord {
  readonly id: string;
  readonly name: string;
}

/** An operation whose value is settled when it has that name; `later` returns the result of each poll. */
const settling = (later: (look: number) => Promise<Result<SampleRecord>>, over: Partial<Operation> = {}) => {
  let looks = 0;
  return makeThing({
    settling: {
      isSettled: (value) => (value as SampleRecord).name === 'settled',
      readAgain: async () => later(++looks),
      progress: (value) => ({ done: looks, total: null, message: (value as SampleRecord).name }),
      mcpWaitSeconds: 0,
    },
    ...over,
  });
};
const after = (looks: number) =>
  settling(async (look) => ok({ id: 'thing', name: look < looks ? `poll ${look}` : 'settled' }));
const wait = { waitSeconds: 2 };

test('a caller that did not request a wait does not wait', async () => {
  expect(await it.call(after(1), { name: 'new' })).toMatchObject({ value: { name: 'new' } });
});

test('a caller that waits receives the settled state', async () => {
  expect(await it.call(after(5), { name: 'new' }, wait)).toMatchObject({
    status: 201,
    value: { name: 'settled' },
  });
});

test('a value that is already settled is not polled again', async () => {
  const operation = settling(() => Promise.reject(new Error('looked')));
  expect(await it.call(operation, { name: 'settled' }, wait)).toMatchObject({ value: { name: 'settled' } });
  expect(it.thrown).toEqual([]);
});

test('waiting ends after the requested time and returns the latest state', async () => {
  const before = it.clock.now().getTime();
  const response = await it.call(after(1000), { name: 'new' }, wait);
  expect(response).toMatchObject({ status: 201, value: { name: expect.stringMatching(/^poll /) } });
  const tookMs = it.clock.now().getTime() - before;
  expect(tookMs).toBeGreaterThanOrEqual(2000);
  expect(tookMs).toBeLessThan(2500);
});

test('waiting ends when the caller disconnects', async () => {
  const gone = AbortSignal.abort();
  const operation = settling(() => Promise.reject(new Error('looked')));
  expect(await it.call(operation, { name: 'new' }, { ...wait, signal: gone })).toMatchObject({ status: 201 });
});

test('a caller that subscribed receives progress from the first poll to the last', async () => {
  const progressReports: unknown[] = [];
  await it.call(
    after(3),
    { name: 'new' },
    { ...wait, onProgress: (progress) => progressReports.push(progress) },
  );
  expect(progressReports).toEqual(
    ['new', 'poll 1', 'poll 2', 'settled'].map((message, done) => ({ done, total: null, message })),
  );
});

test('a caller that finds every slot in use is answered immediately, and the response says that no wait was applied (finding 6)', async () => {
  it.ports.waitingSlots = memoryWaitingSlots(0);
  const operation = settling(() => Promise.reject(new Error('looked')));
  expect(await it.call(operation, { name: 'new' }, wait)).toMatchObject({
    status: 201,
    value: { name: 'new' },
    waited: false,
  });
  expect(it.thrown).toEqual([]);
});

test('a settled value takes no slot, and a finished wait releases its slot', async () => {
  it.ports.waitingSlots = memoryWaitingSlots(0);
  expect(await it.call(after(1), { name: 'settled' }, wait)).not.toHaveProperty('waited');
  it.ports.waitingSlots = memoryWaitingSlots(1);
  for (const name of ['first', 'second'])
    expect(await it.call(after(2), { name }, wait)).toMatchObject({ value: { name: 'settled' } });
  const failing = settling(() => Promise.reject(new Error('the database became unreachable')));
  await it.call(failing, { name: 'third' }, wait);
  expect(await it.call(after(2), { name: 'fourth' }, wait)).not.toHaveProperty('waited');
});

test('an operation that waits within its use case runs without waiting when every slot is in use', async () => {
  const seconds: number[] = [];
  const operation = makeThing({
    waitSeconds: 20,
    useCase: async (_ports, call) => {
      seconds.push(call.waitSeconds);
      return ok({ id: 'thing', name: 'done' });
    },
  });
  await it.call(operation, { name: 'one' });
  it.ports.waitingSlots = memoryWaitingSlots(0);
  expect(await it.call(operation, { name: 'two' })).toMatchObject({ status: 201, waited: false });
  expect(seconds).toEqual([20, 0]);
});

test('no progress is reported without a wait', async () => {
  const progressReports: unknown[] = [];
  const onProgress = (progress: unknown) => progressReports.push(progress);
  await it.call(after(3), { name: 'new' }, { onProgress });
  await it.call(after(3), { name: 'settled' }, { ...wait, onProgress });
  expect(progressReports).toEqual([]);
});

test('a replay returns the final response of the caller that waited', async () => {
  const operation = after(3);
  const same = { ...wait, idempotencyKey: 'the same' };
  const first = await it.call(operation, { name: 'new' }, same);
  const again = await it.call(operation, { name: 'new' }, same);
  expect(again).toMatchObject({ replayed: true, value: { name: 'settled' } });
  expect(again.body()).toBe(first.body());
});

test('a replay that waits returns the current state, and one that does not wait the first bytes and entity tag', async () => {
  const etag = (value: unknown) => `"${(value as SampleRecord).name}"`;
  const operation = settling(async (look) => ok({ id: 'thing', name: look < 3 ? 'new' : 'settled' }), {
    etag,
  });
  const same = { idempotencyKey: 'the same' };
  const first = await it.call(operation, { name: 'new' }, same);
  expect(first).toMatchObject({ etag: '"new"', replayed: false });
  expect(await it.call(operation, { name: 'new' }, { ...same, ...wait })).toMatchObject({
    status: 201,
    replayed: true,
    value: { name: 'settled' },
    etag: '"settled"',
  });
  const again = await it.call(operation, { name: 'new' }, same);
  expect(again).toMatchObject({ status: 201, replayed: true, etag: '"new"' });
  expect(again.body()).toBe(first.body());
});

test('a replay of work that its use case waits for does not claim to have waited', async () => {
  const operation = makeThing({ waitSeconds: 20 });
  const same = { ...wait, idempotencyKey: 'the same' };
  expect(await it.call(operation, { name: 'one' }, same)).not.toHaveProperty('waited');
  expect(await it.call(operation, { name: 'one' }, same)).toMatchObject({ replayed: true, waited: false });
});

describe('the replay of work that its use case waits for', () => {
  let looks = 0;
  const operation = (over: Partial<Operation> = {}) =>
    makeThing({
      waitSeconds: 20,
      replaySettling: {
        isSettled: (value) => (value as SampleRecord).name === 'settled',
        readAgain: async () => ok({ id: 'thing', name: ++looks < 3 ? `look ${looks}` : 'settled' }),
        progress: () => ({ done: 0, total: null, message: '' }),
        mcpWaitSeconds: 0,
      },
      ...over,
    });
  const same = { idempotencyKey: 'the same' };
  beforeEach(() => {
    looks = 0;
  });

  test('waits if its caller sets a wait, and returns the current state', async () => {
    const first = await it.call(operation(), { name: 'new' }, same);
    const again = await it.call(operation(), { name: 'new' }, { ...same, ...wait });
    expect(again).toMatchObject({ status: 201, replayed: true, value: { name: 'settled' } });
    expect(again).not.toHaveProperty('waited');
    const later = await it.call(operation(), { name: 'new' }, same);
    expect(later).toMatchObject({ replayed: true, waited: false });
    expect(later.body()).toBe(first.body());
  });

  test('applies the wait to a result that is settled already', async () => {
    await it.call(operation(), { name: 'new' }, same);
    looks = 3;
    const again = await it.call(operation(), { name: 'new' }, { ...same, ...wait });
    expect(again).toMatchObject({ replayed: true, value: { name: 'settled' } });
    expect(again).not.toHaveProperty('waited');
    expect(looks).toBe(4);
  });

  test('waits also for a result that the use case found itself', async () => {
    const found = operation({ replayed: () => true });
    expect(await it.call(found, { name: 'new' }, wait)).toMatchObject({
      replayed: true,
      value: { name: 'settled' },
    });
    looks = 0;
    expect(await it.call(found, { name: 'new' })).toMatchObject({ value: { name: 'new' } });
  });

  test('uses one slot, and says that no wait was applied without one', async () => {
    await it.call(operation(), { name: 'new' }, same);
    it.ports.waitingSlots = memoryWaitingSlots(1);
    const again = await it.call(operation(), { name: 'new' }, { ...same, ...wait });
    expect(again).toMatchObject({ value: { name: 'settled' } });
    it.ports.waitingSlots = memoryWaitingSlots(0);
    expect(await it.call(operation(), { name: 'new' }, { ...same, ...wait })).toMatchObject({
      value: { name: 'new' },
      waited: false,
    });
  });

  test.each<[string, () => Promise<Result<SampleRecord>>]>([
    ['is rejected', async () => refuse('profile.not_found', 'Gone.')],
    ['throws', () => Promise.reject(new Error('the database became unreachable'))],
  ])('returns the first response when reading the current state %s', async (_how, readAgain) => {
    const { replaySettling } = operation();
    const failing = operation({ replaySettling: replaySettling && { ...replaySettling, readAgain } });
    const first = await it.call(failing, { name: 'new' }, same);
    const again = await it.call(failing, { name: 'new' }, { ...same, ...wait });
    expect(again).toMatchObject({ replayed: true, waited: false });
    expect(again.body()).toBe(first.body());
  });
});

test.each<[string, () => Promise<Result<SampleRecord>>]>([
  ['is rejected', async () => refuse('profile.not_found', 'Gone.')],
  ['throws', () => Promise.reject(new Error('the database became unreachable'))],
])('a completed change stays a success when polling it %s', async (_how, later) => {
  const response = await it.call(settling(later), { name: 'new' }, wait);
  expect(response).toMatchObject({ status: 201, value: { name: 'new' } });
  expect(await it.names()).toEqual(['new']);
});

test('an exception while polling is reported', async () => {
  const error = new Error('the database became unreachable');
  await it.call(
    settling(() => Promise.reject(error)),
    { name: 'new' },
    wait,
  );
  expect(it.thrown).toEqual([error]);
  expect(it.records).toHaveLength(1);
});
