import { afterEach, expect, test } from '@jest/globals';
import type { MediaBytes } from '@switchboard/domain/ports';
import { decoderPool, type DecoderPool, type DecoderPoolOptions } from './decoder-pool.js';
import type { DecodeTask } from './protocol.js';

const task = { kind: 'inspect', type: 'image/png', media: 'image', videoIndexMaxBytes: 1 } as DecodeTask;
const file: MediaBytes = {
  bytes: 3,
  async *read() {
    yield Buffer.from('abc');
  },
};

/** A thread program that runs `work` with every task. */
const programThat = (work: string) =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { parentPort as port } from 'node:worker_threads';
      const broken = { kind: 'done', result: { kind: 'unusable', reason: 'broken' } };
      port.on('message', ({ kind, bytes }) => { ${work} });
      port.postMessage({ kind: 'ready' });`)}`,
  );

let open: DecoderPool[] = [];
afterEach(async () => {
  await Promise.all(open.map((one) => one.close()));
  open = [];
});
function scene(work: string, over: Partial<DecoderPoolOptions> = {}) {
  const errors: unknown[] = [];
  const threads = decoderPool({
    program: programThat(work),
    onError: (error) => errors.push(error),
    ...over,
  });
  open.push(threads);
  let released = 0;
  const decode = (of = file) => threads.decode(task, of, () => (released += 1));
  return { threads, decode, errors, released: () => released };
}
const until = async (what: () => boolean) => {
  while (!what()) await new Promise((resolve) => setTimeout(resolve, 10));
};

test('a thread is reused while there is work, and ends when there is none', async () => {
  const it = scene('port.postMessage(broken)', { idleMs: 300 });
  expect(it.threads.count()).toBe(0);
  for (let nth = 0; nth < 3; nth++) expect(await it.decode()).toMatchObject({ kind: 'decoded' });
  expect([it.threads.count(), it.released()]).toEqual([1, 3]);
  await Promise.all([it.decode(), it.decode()]);
  expect(it.threads.count()).toBe(2);
  await until(() => it.threads.count() === 0);
  expect(await it.decode()).toMatchObject({ kind: 'decoded' });
});

test('a file that exhausts the memory of its thread is too costly, and the next one is decoded', async () => {
  const bomb = { ...file, bytes: 99 };
  const it = scene(`
    if (bytes !== 99) return port.postMessage(broken);
    const all = [];
    for (;;) all.push({ one: [1], two: 'two' + all.length });`);
  expect(await it.decode(bomb)).toEqual({ kind: 'failed', reason: 'too_costly' });
  expect(await it.decode()).toMatchObject({ kind: 'decoded' });
  await until(() => it.released() === 2);
  expect(it.errors).toEqual([]);
}, 60_000);

test('a file that crashes its thread is defective, a thread that does not start does not concern the file', async () => {
  const dying = scene('setImmediate(() => { throw new Error("unexpected") })');
  expect(await dying.decode()).toEqual({ kind: 'failed', reason: 'crashed' });
  expect(dying.errors).toMatchObject([{ message: 'unexpected' }]);
  await until(() => dying.released() === 1);
  const missing = scene('', { program: new URL('data:text/javascript,throw new Error("no modules")') });
  expect(await missing.decode()).toEqual({ kind: 'failed', reason: 'out_of_time' });
  expect(missing.errors).toMatchObject([{ message: 'no modules' }]);
  await until(() => missing.released() === 1);
});

test('a slow task is stopped: too costly where the thread was computing all the time, else out of time', async () => {
  const looping = scene('for (;;);', { deadlineMs: 700, cpuMaxMs: 1 });
  expect(await looping.decode()).toEqual({ kind: 'failed', reason: 'too_costly' });
  const starved = scene('for (;;);', { deadlineMs: 300, cpuMaxMs: 60_000 });
  expect(await starved.decode()).toEqual({ kind: 'failed', reason: 'out_of_time' });
  const waiting = scene('', { deadlineMs: 300, cpuMaxMs: 250 });
  expect(await waiting.decode()).toEqual({ kind: 'failed', reason: 'out_of_time' });
  for (const it of [looping, starved, waiting]) await until(() => it.released() === 1);
  for (const it of [looping, starved, waiting]) expect(it.threads.count()).toBe(0);
});

test('a file that cannot be read rejects, and its thread is replaced', async () => {
  const it = scene(`
    if (kind === 'task') port.postMessage({ kind: 'read', id: 0, range: { start: 0, end: bytes - 1 } });
    else port.postMessage(broken);`);
  const gone: MediaBytes = {
    bytes: 3,
    // oxlint-disable-next-line require-yield -- it fails before it has anything
    async *read() {
      throw new Error('the disk is gone');
    },
  };
  await expect(it.decode(gone)).rejects.toMatchObject({ cause: { message: 'the disk is gone' } });
  expect(await it.decode()).toMatchObject({ kind: 'decoded' });
  await until(() => it.released() === 2);
});

test('the number of reads of a file is limited', async () => {
  const it = scene(`
    if (kind === 'no_piece') return port.postMessage(broken);
    port.postMessage({ kind: 'read', id: 0, range: { start: 0, end: 4 * 1024 * 1024 - 1 } });`);
  let read = 0;
  const large: MediaBytes = {
    bytes: 1024 ** 3,
    async *read({ start, end }) {
      read += end + 1 - start;
      yield Buffer.alloc(end + 1 - start);
    },
  };
  expect(await it.decode(large)).toEqual({
    kind: 'decoded',
    result: { kind: 'unusable', reason: 'too_costly' },
  });
  expect(read).toBeLessThanOrEqual(128 * 1024 * 1024);
});

test('closing the pool stops running tasks and leaves no thread', async () => {
  const it = scene('');
  const running = [it.decode(), it.decode()];
  await new Promise((resolve) => setTimeout(resolve, 100));
  await it.threads.close();
  expect(await Promise.all(running)).toEqual([
    { kind: 'failed', reason: 'out_of_time' },
    { kind: 'failed', reason: 'out_of_time' },
  ]);
  expect([it.threads.count(), it.released()]).toEqual([0, 2]);
});

test('a thread has no access to the environment, and its output stays out of the process output', async () => {
  const it = scene(
    'console.log("from a thread"); port.postMessage({ kind: "done", result: { kind: "env", ...process.env } });',
  );
  const written: unknown[] = [];
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = (text: unknown) => written.push(text) > 0;
  try {
    expect(await it.decode()).toEqual({ kind: 'decoded', result: { kind: 'env' } });
    await new Promise((resolve) => setTimeout(resolve, 100));
  } finally {
    process.stdout.write = write;
  }
  expect(written.join('')).not.toContain('from a thread');
});
