import { beforeEach, expect, test } from '@jest/globals';
import { ok, refuse, type Result } from '@switchboard/domain';
import { memoryWaitingSlots } from '@switchboard/domain/testing';
import type { Operation } from './define.js';
import { setupDispatch, makeThing, type DispatchFixture } from './testing/setup-dispatch.js';

let it: DispatchFixture;
beforeEach(async () => {
  it = await setupDispatch();
});
interface Thing {
  readonly id: string;
  readonly name: string;
}

/** An operation whose value is settled when it is called so; `later` says what a look at it finds. */
const settling = (later: (look: number) => Promise<Result<Thing>>, over: Partial<Operation> = {}) => {
  let looks = 0;
  return makeThing({
    settling: {
      isSettled: (value) => (value as Thing).name === 'settled',
      readAgain: async () => later(++looks),
      progress: (value) => ({ done: looks, total: null, message: (value as Thing).name }),
      mcpWaitSeconds: 0,
    },
    ...over,
  });
};
const after = (looks: number) =>
  settling(async (look) => ok({ id: 'thing', name: look < looks ? `look ${look}` : 'settled' }));
const wait = { waitSeconds: 2 };

test('nobody waits who did not ask to', async () => {
  expect(await it.call(after(1), { name: 'new' })).toMatchObject({ value: { name: 'new' } });
});

test('a caller who waits is told how it settled', async () => {
  expect(await it.call(after(5), { name: 'new' }, wait)).toMatchObject({
    status: 201,
    value: { name: 'settled' },
  });
});

test('what is settled at once is not looked at again', async () => {
  const operation = settling(() => Promise.reject(new Error('looked')));
  expect(await it.call(operation, { name: 'settled' }, wait)).toMatchObject({ value: { name: 'settled' } });
  expect(it.thrown).toEqual([]);
});

test('waiting ends in time, with what is known by then', async () => {
  const before = it.clock.now().getTime();
  const response = await it.call(after(1000), { name: 'new' }, wait);
  expect(response).toMatchObject({ status: 201, value: { name: expect.stringMatching(/^look /) } });
  const tookMs = it.clock.now().getTime() - before;
  expect(tookMs).toBeGreaterThanOrEqual(2000);
  expect(tookMs).toBeLessThan(2500);
});

test('waiting ends when nobody listens any more', async () => {
  const gone = AbortSignal.abort();
  const operation = settling(() => Promise.reject(new Error('looked')));
  expect(await it.call(operation, { name: 'new' }, { ...wait, signal: gone })).toMatchObject({ status: 201 });
});

test('whoever wants to hear of it is told how far it is, from the first look to the last', async () => {
  const progressReports: unknown[] = [];
  await it.call(after(3), { name: 'new' }, { ...wait, onProgress: (progress) => progressReports.push(progress) });
  expect(progressReports).toEqual(
    ['new', 'look 1', 'look 2', 'settled'].map((message, done) => ({ done, total: null, message })),
  );
});

test('a caller who finds every slot taken is answered at once, and told that nobody waited (finding 6)', async () => {
  it.ports.waitingSlots = memoryWaitingSlots(0);
  const operation = settling(() => Promise.reject(new Error('looked')));
  expect(await it.call(operation, { name: 'new' }, wait)).toMatchObject({
    status: 201,
    value: { name: 'new' },
    waited: false,
  });
  expect(it.thrown).toEqual([]);
});

test('what is settled already takes no slot, and what waited gives its slot back', async () => {
  it.ports.waitingSlots = memoryWaitingSlots(0);
  expect(await it.call(after(1), { name: 'settled' }, wait)).not.toHaveProperty('waited');
  it.ports.waitingSlots = memoryWaitingSlots(1);
  for (const name of ['first', 'second'])
    expect(await it.call(after(2), { name }, wait)).toMatchObject({ value: { name: 'settled' } });
  const failing = settling(() => Promise.reject(new Error('the database went away')));
  await it.call(failing, { name: 'third' }, wait);
  expect(await it.call(after(2), { name: 'fourth' }, wait)).not.toHaveProperty('waited');
});

test('an operation that waits within itself runs without waiting where every slot is taken', async () => {
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

test('nobody is told of what is not waited for', async () => {
  const progressReports: unknown[] = [];
  const onProgress = (progress: unknown) => progressReports.push(progress);
  await it.call(after(3), { name: 'new' }, { onProgress });
  await it.call(after(3), { name: 'settled' }, { ...wait, onProgress });
  expect(progressReports).toEqual([]);
});

test('a replay says what the caller who waited was told', async () => {
  const operation = after(3);
  const same = { ...wait, idempotencyKey: 'the same' };
  const first = await it.call(operation, { name: 'new' }, same);
  const again = await it.call(operation, { name: 'new' }, same);
  expect(again).toMatchObject({ replayed: true, value: { name: 'settled' } });
  expect(again.body).toBe(first.body);
});

test.each<[string, () => Promise<Result<Thing>>]>([
  ['is refused', async () => refuse('profile.not_found', 'Gone.')],
  ['throws', () => Promise.reject(new Error('the database went away'))],
])('what was done stays a success when a look at it %s', async (_how, later) => {
  const response = await it.call(settling(later), { name: 'new' }, wait);
  expect(response).toMatchObject({ status: 201, value: { name: 'new' } });
  expect(await it.names()).toEqual(['new']);
});

test('a look that threw is reported', async () => {
  const error = new Error('the database went away');
  await it.call(
    settling(() => Promise.reject(error)),
    { name: 'new' },
    wait,
  );
  expect(it.thrown).toEqual([error]);
  expect(it.records).toHaveLength(1);
});
