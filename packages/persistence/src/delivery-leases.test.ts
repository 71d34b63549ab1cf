import { afterAll, expect, test } from '@jest/globals';
import { deliver, readBackDelivery } from '@switchboard/domain/deliveries';
import type { Clock, Jobs, Ports } from '@switchboard/domain/ports';
import { memorySocial, createTestEnvironment } from '@switchboard/domain/testing';
import { openDatabase, prismaRepositories, prismaTransactions, type Database } from './index.js';
import { testDatabase } from './testing.js';

const clock: Clock = {
  now: () => new Date(),
  after: (ms) => new Date(Date.now() + ms),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};
const noJobs = (): Jobs => ({ enqueue: () => Promise.resolve() });
const never = new AbortController().signal;

/** Called around each sweep; `found` is the number of deliveries that it may claim. */
interface Sweep {
  readonly before: () => Promise<void>;
  readonly after: (found: number) => Promise<void>;
}

const opened: Database[] = [];
afterAll(() => Promise.all(opened.map((database) => database.close())));

/**
 * A due post in PostgreSQL, accessed over two pools as by two processes; publishing takes effect and then
 * hangs.
 */
async function setting(name: string) {
  const social = memorySocial();
  const s = await createTestEnvironment([social]);
  const connection = s.build.connection(s.profile);
  const post = s.build.post(
    s.profile,
    [connection],
    { scheduledAt: clock.after(-1000) },
    { notAfter: clock.after(3_600_000) },
  );
  const url = await testDatabase(name);
  const asleep: { until: Promise<void> | null } = { until: null };
  const process = (pauses: boolean) => {
    const database = openDatabase(url, { max: 4 });
    const { posts, deliveries, connections } = prismaRepositories(database.prisma);
    const real = prismaTransactions(database.prisma, { ids: s.ids, clock, jobsIn: noJobs });
    const transactions: Ports['transactions'] = {
      run: async (work) => {
        if (pauses) await asleep.until;
        return real.run(work);
      },
    };
    return { database, ports: { ...s.ports, clock, posts, deliveries, connections, transactions } };
  };
  const [one, two] = [process(true), process(false)];
  opened.push(one.database, two.database);
  await two.ports.transactions.run(async (tx) => {
    await tx.workspaces.insert(s.workspace);
    await tx.profiles.insert(s.profile);
    await tx.connections.insert(connection);
    await tx.posts.insert(post);
    return { ok: true, value: undefined };
  });
  const work = { workspaceId: s.workspace.id, deliveryId: post.deliveries[0]?.id ?? s.ids.next('dlv') };

  const aborted: number[] = [];
  const sent = Promise.withResolvers<number>();
  const { open } = s.ports.sessions;
  one.ports.sessions = {
    ...s.ports.sessions,
    open: async (of, use, signal) => {
      signal.addEventListener('abort', () => aborted.push(Date.now()));
      return open(of, use, signal);
    },
  };
  social.publishOutcomes.push({
    takesEffect: false,
    response: 'ok',
    duringRequest: async () => {
      // The effect exists already, and its response arrives too late.
      social.published.push(`${work.deliveryId}.0`);
      sent.resolve(Date.now());
      await clock.sleep(20_000);
    },
  });
  /** The end of the lease, and whether the clock of the database has passed such an end. */
  const readLeaseEnd = async () => {
    const rows = await two.database.query<{ end: string }>(
      'SELECT lease_until::text AS end FROM deliveries WHERE id = $1',
      [work.deliveryId],
    );
    return String(rows[0]?.end);
  };
  const hasPassed = async (end: string) => {
    const sql = 'SELECT clock_timestamp() >= $1::timestamptz AS passed';
    return (await two.database.query<{ passed: boolean }>(sql, [end]))[0]?.passed === true;
  };
  const sweepUntil = async (settled: (status: string) => boolean, onSweep?: Sweep) => {
    for (;;) {
      await onSweep?.before();
      const all = await two.ports.deliveries.listDue(10);
      await onSweep?.after(all.length);
      for (const due of all) {
        await readBackDelivery(two.ports, { workspaceId: due.workspaceId, deliveryId: due.id }, never);
      }
      const found = await two.ports.deliveries.find(work.workspaceId, work.deliveryId);
      if (found && settled(found.status)) return found;
      await clock.sleep(1000);
    }
  };
  return {
    ...s,
    social,
    one,
    two,
    work,
    post,
    asleep,
    aborted,
    readLeaseEnd,
    hasPassed,
    sweepUntil,
    sent: sent.promise,
  };
}

// Each waits for a lease to expire: run concurrently.
test.concurrent('a delivery in flight during a worker crash is taken over within 15 s and settled by the state at the platform', async () => {
  const t = await setting('lease_died');
  void deliver(t.one.ports, t.work, never).catch(() => undefined);
  await t.sent;
  // Its heartbeat never arrives.
  t.asleep.until = new Promise(() => undefined);
  const leaseEnd = await t.readLeaseEnd();
  const [begun] = await t.two.ports.deliveries.listHistory(t.post.workspaceId, t.post.id);
  const leaseMs = Date.parse(leaseEnd) - (begun?.at.getTime() ?? NaN);
  expect([leaseMs > 10_000, leaseMs < 15_000]).toEqual([true, true]);
  const sweeps: {
    readonly begunAfterLease: boolean;
    readonly found: number;
    readonly endedAfter: boolean;
  }[] = [];
  let begunAfterLease = false;
  const settled = await t.sweepUntil((status) => status !== 'sending', {
    before: async () => void (begunAfterLease = await t.hasPassed(leaseEnd)),
    after: async (found) =>
      void sweeps.push({ begunAfterLease, found, endedAfter: await t.hasPassed(leaseEnd) }),
  });
  // Not before the lease has ended, and by the first sweep that begins afterwards.
  const takeover = sweeps.find(({ found }) => found > 0);
  expect(takeover?.endedAfter).toBe(true);
  expect(sweeps.filter((sweep) => sweep.begunAfterLease && sweep !== takeover)).toEqual([]);
  expect(settled).toMatchObject({ status: 'published', attempts: 1, epoch: 2 });
}, 60_000);

test.concurrent('a worker that slept past its lease aborts its work, and writes nothing when it resumes', async () => {
  const t = await setting('lease_slept');
  const delivering = deliver(t.one.ports, t.work, never);
  await t.sent;
  const wake = Promise.withResolvers<void>();
  t.asleep.until = wake.promise;
  await t.sweepUntil((status) => status === 'published');
  expect(t.aborted).toHaveLength(1);
  const before = await t.two.ports.posts.find(t.post.workspaceId, t.post.id);
  wake.resolve();
  await delivering;
  expect(await t.two.ports.posts.find(t.post.workspaceId, t.post.id)).toEqual(before);
  const history = await t.two.ports.deliveries.listHistory(t.post.workspaceId, t.post.id);
  expect(history.map(({ kind, outcome }) => `${kind} ${outcome}`)).toEqual([
    'attempt begun',
    'read_back published',
  ]);
}, 60_000);

test.concurrent('no other worker takes a delivery that takes longer than a lease', async () => {
  const t = await setting('lease_held');
  const delivering = deliver(t.one.ports, t.work, never);
  await t.sent;
  const leaseEnd = await t.readLeaseEnd();
  let hasPassed = false;
  while (!hasPassed) {
    await clock.sleep(500);
    // The last sweep begins after the lease would have ended without a heartbeat.
    hasPassed = await t.hasPassed(leaseEnd);
    expect(await t.two.ports.deliveries.listDue(10)).toEqual([]);
  }
  await delivering;
  expect(await t.two.ports.deliveries.find(t.work.workspaceId, t.work.deliveryId)).toMatchObject({
    status: 'published',
    epoch: 1,
  });
  expect(t.aborted).toEqual([]);
}, 60_000);
