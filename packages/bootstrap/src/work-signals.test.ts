import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { createTestEnvironment } from '@switchboard/domain/testing';
import { ok, refuse } from '@switchboard/domain';
import { openDatabase, openNotificationListener, type Database } from '@switchboard/persistence';
import { testDatabase } from '@switchboard/persistence/testing';
import { announceWork, WORK_CHANNEL, workSignals, type WorkSignals } from './work-signals.js';

let url: string;
let database: Database;
const closing: (() => Promise<unknown>)[] = [];
const errors: unknown[] = [];
const onError = (error: unknown) => void errors.push(error);
beforeAll(async () => {
  url = await testDatabase('work_signals');
  database = openDatabase(url, { max: 2 });
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  expect(errors).toEqual([]);
});
afterAll(() => database?.close());

/** Signals of one process on the real database. */
function process(): WorkSignals {
  const notices = openNotificationListener(url, { onError });
  const signals = workSignals({
    notices,
    notify: (payload) => database.query('SELECT pg_notify($1, $2)', [WORK_CHANNEL, payload]),
    onError,
  });
  closing.push(
    () => signals.close(),
    () => notices.close(),
  );
  return signals;
}

async function until(what: () => boolean): Promise<void> {
  while (!what()) await new Promise((resolve) => setTimeout(resolve, 20));
}

test('work of a process without a worker reaches the worker of another process', async () => {
  const [api, worker] = [process(), process()];
  const found: string[] = [];
  worker.onWork((kind) => found.push(kind));
  // A listener that begins to listen may have missed something, and looks for everything.
  await until(() => found.length >= 6);
  found.length = 0;
  api.announce(new Set(['deliver', 'send_events']));
  await until(() => found.length === 2);
  expect(found).toEqual(['deliver', 'send_events']);
});

test('a listener that may have missed announcements looks for every kind of work', async () => {
  const worker = process();
  const found: string[] = [];
  worker.onWork((kind) => found.push(kind));
  await until(() => found.length >= 5);
  expect(found.toSorted()).toEqual([
    'deliver',
    'fetch_media',
    'read_order',
    'revoke_grant',
    'send_events',
    'settle_refund',
  ]);
});

test('a thousand announcements become few notifications, the last of which is not lost', async () => {
  const sent: string[] = [];
  const signals = workSignals({
    notices: { on: () => undefined },
    notify: async (payload) => sent.push(payload),
    onError,
  });
  for (let count = 0; count < 999; count += 1) signals.announce(new Set(['deliver']));
  signals.announce(new Set(['fetch_media']));
  await signals.close();
  expect(sent).toEqual(['deliver', 'deliver fetch_media']);
});

test('a transaction announces its jobs and events when it has committed, and nothing when it is refused', async () => {
  const it = await createTestEnvironment([]);
  const announced: string[][] = [];
  const transactions = announceWork(it.ports.transactions, {
    announce: (kinds) => void announced.push([...kinds]),
  });
  const workspaceId = it.workspace.id;
  const later = it.clock.after(60_000);
  await transactions.run(async (tx) => {
    await tx.jobs.enqueue({ name: 'deliver', workspaceId });
    expect(announced).toEqual([]);
    return ok(null);
  });
  await transactions.run(async (tx) => {
    await tx.jobs.enqueue({ name: 'deliver', workspaceId });
    return refuse('post.not_found', 'refused');
  });
  await transactions.run(async (tx) => {
    await tx.jobs.enqueue({ name: 'deliver', workspaceId }, { startAfter: later });
    return ok(null);
  });
  expect(announced).toEqual([['deliver']]);
});
