import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { disconnect, type Connection } from '@switchboard/domain/connections';
import { pauseInstallation, resumeInstallation } from '@switchboard/domain/pauses';
import type { Clock, Jobs, Transactions, Tx } from '@switchboard/domain/ports';
import { createPost, updatePost, type Post } from '@switchboard/domain/posts';
import { createTestEnvironment, type TestEnvironment } from '@switchboard/domain/testing';
import { openDatabase, prismaRepositories, prismaTransactions, type Database } from './index.js';
import { testDatabase } from './testing.js';

const clock: Clock = {
  now: () => new Date(),
  after: (ms) => new Date(Date.now() + ms),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};
const noJobs = (): Jobs => ({ enqueue: () => Promise.resolve() });
const everything = { limit: 1000, perConnection: 1000, remaining: new Map() };
const by = 'system:operator';

let s: TestEnvironment;
/** Two pools, as two processes. */
let processes: readonly { readonly database: Database; readonly transactions: Transactions }[];
let one: Transactions;
let other: Transactions;
beforeAll(async () => {
  s = await createTestEnvironment();
  const url = await testDatabase('pauses');
  processes = [1, 2].map(() => {
    const database = openDatabase(url, { max: 6 });
    const transactions = prismaTransactions(database.prisma, { ids: s.ids, clock, jobsIn: noJobs });
    return { database, transactions };
  });
  [one, other] = processes.map(({ transactions }) => transactions) as [Transactions, Transactions];
  await commit(one, async (tx) => {
    await tx.workspaces.insert(s.workspace);
    await tx.profiles.insert(s.profile);
  });
});
afterAll(() => Promise.all((processes ?? []).map(({ database }) => database.close())));

async function commit<Value>(transactions: Transactions, work: (tx: Tx) => Promise<Value>): Promise<Value> {
  const result = await transactions.run<Value, never>(async (tx) => ({ ok: true, value: await work(tx) }));
  if (!result.ok) throw new Error('not committed');
  return result.value;
}

/** A transaction that stays open until it is ended. */
function opened(transactions: Transactions, work: (tx: Tx) => Promise<unknown>) {
  const [done, end] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const committed = commit(transactions, async (tx) => {
    await work(tx);
    done.resolve(undefined);
    await end.promise;
  });
  return {
    done: done.promise,
    commit: () => {
      end.resolve(undefined);
      return committed;
    },
  };
}

/** Whether it is still pending after long enough for a statement that waits for nothing. */
async function isWaiting(work: Promise<unknown>): Promise<boolean> {
  return Promise.race([work.then(() => false), clock.sleep(500).then(() => true)]);
}

async function anotherConnection(): Promise<Connection> {
  const connection = s.build.connection(s.profile);
  await commit(one, (tx) => tx.connections.insert(connection));
  return connection;
}
async function duePost(connection: Connection): Promise<Post> {
  const over = { scheduledAt: clock.after(-1000) };
  const post = s.build.post(s.profile, [connection], over, { notAfter: clock.after(3_600_000) });
  await commit(one, (tx) => tx.posts.insert(post));
  return post;
}
const pauseAll = (tx: Tx) => pauseInstallation({ ...s.ports, ...tx, clock }, { cause: 'requested', by });
const resumeAll = () => commit(one, (tx) => resumeInstallation({ ...s.ports, ...tx, clock }, { by }));
const claim = (tx: Tx) => tx.deliveries.claim('deliver', everything, 30);

test('a pause waits for a claim that has begun, and no claim begins after it', async () => {
  await duePost(await anotherConnection());
  const claiming = opened(one, claim);
  await claiming.done;
  const paused = commit(other, pauseAll);
  expect(await isWaiting(paused)).toBe(true);
  await claiming.commit();
  await paused;
  await duePost(await anotherConnection());
  expect(await commit(one, claim)).toEqual([]);
  await resumeAll();
  expect(await commit(one, claim)).toHaveLength(1);
});

test('a claim waits for a pause that has begun, and sees it', async () => {
  await duePost(await anotherConnection());
  const pausing = opened(one, pauseAll);
  await pausing.done;
  const claimed = commit(other, claim);
  expect(await isWaiting(claimed)).toBe(true);
  await pausing.commit();
  expect(await claimed).toEqual([]);
  await resumeAll();
  expect(await commit(other, claim)).toHaveLength(1);
});

test('a refund is marked as sent before a pause commits, or not at all', async () => {
  const connection = await anotherConnection();
  const unsent = async (orderExternalId: string) => {
    const refund = s.build.refund(connection, { status: 'pending', sentAt: null, orderExternalId });
    await commit(one, (tx) => tx.refunds.insert(refund));
    const claimed = await commit(one, (tx) => tx.refunds.claim(refund.id, 30));
    return (tx: Tx) => tx.refunds.markSent(refund.id, claimed?.epoch ?? 0);
  };
  const [first, second] = [await unsent('one'), await unsent('two')];
  const marking = opened(one, async (tx) => expect(await first(tx)).toBe('sent'));
  await marking.done;
  const paused = commit(other, pauseAll);
  expect(await isWaiting(paused)).toBe(true);
  await marking.commit();
  await paused;
  expect(await commit(one, second)).toBe('held');
  await resumeAll();
  expect(await commit(one, second)).toBe('sent');
});

test('while four claimers work, nothing is claimed after a pause has committed', async () => {
  const connections = await Promise.all(Array.from({ length: 4 }, anotherConnection));
  for (let round = 0; round < 5; round++) {
    for (const connection of connections) for (let n = 0; n < 5; n++) await duePost(connection);
    const few = { limit: 2, perConnection: 16, remaining: new Map() };
    let isPaused = false;
    const late: string[] = [];
    const claimer = async (transactions: Transactions) => {
      for (let turn = 0; turn < 8; turn++) {
        const beganPaused = isPaused;
        const claimed = await commit(transactions, (tx) => tx.deliveries.claim('deliver', few, 30));
        if (beganPaused) late.push(...claimed.map(({ delivery }) => delivery.id));
      }
    };
    const claimers = [one, other, one, other].map(claimer);
    await clock.sleep(5 * round);
    await commit(other, pauseAll);
    isPaused = true;
    await Promise.all(claimers);
    expect(late).toEqual([]);
    await resumeAll();
    await commit(one, claim);
  }
});

test('a post that is edited while its account is disconnected is cancelled, and waits for no decision', async () => {
  for (let round = 0; round < 12; round++) {
    const connection = await anotherConnection();
    const approval = { posts: 'always', refundsOver: [], expiresInHours: 72 } as const;
    const key = s.key({ scopes: ['posts:write'] }, round % 2 === 0 ? {} : { approval });
    await commit(one, (tx) => tx.apiKeys.insert(key, new Uint8Array([1])));
    const call = s.call({ actor: { kind: 'key', key } });
    const created = await one.run((tx) =>
      createPost({ ...s.ports, ...tx, clock }, call, {
        text: `Round ${round}`,
        targets: [{ connectionId: connection.id }],
        scheduledAt: clock.after(3_600_000).toISOString(),
      }),
    );
    if (!created.ok) throw new Error(created.failure.message);
    const { id } = created.value;
    const edit = () =>
      one.run((tx) => updatePost({ ...s.ports, ...tx, clock }, call, { id, text: `Edited ${round}` }));
    const remove = () =>
      other.run((tx) => disconnect({ ...s.ports, ...tx, clock }, s.call(), { id: connection.id }));
    const [edited, removed] = await Promise.all(
      round % 3 === 0 ? [edit(), remove()] : [clock.sleep(round).then(edit), remove()],
    );
    expect(removed.ok).toBe(true);
    if (!edited.ok)
      expect(['connection.not_found', 'post.cancelled', 'post.no_targets']).toContain(edited.failure.code);
    const { posts, approvals } = prismaRepositories(
      (processes[0] as (typeof processes)[number]).database.prisma,
    );
    const post = await posts.find(s.workspace.id, id);
    expect(post?.deliveries.map(({ status }) => status)).toEqual(['cancelled']);
    const pending = await approvals.list(
      s.workspace.id,
      { reach: null, statuses: ['pending'], postId: id },
      { limit: 9 },
    );
    expect(pending.items).toEqual([]);
  }
}, 120_000);
