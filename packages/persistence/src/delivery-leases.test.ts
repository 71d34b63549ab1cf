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
  const sweepUntil = async (settled: (status: string) => boolean) => {
    for (;;) {
      for (const due of await two.ports.deliveries.listDue(10)) {
        await readBackDelivery(two.ports, { workspaceId: due.workspaceId, deliveryId: due.id }, never);
      }
      const found = await two.ports.deliveries.find(work.workspaceId, work.deliveryId);
      if (found && settled(found.status)) return found;
      await clock.sleep(1000);
    }
  };
  return { ...s, social, one, two, work, post, asleep, aborted, sent: sent.promise, sweepUntil };
}

// Each waits for a lease to expire: run concurrently.
test.concurrent(
  'a delivery in flight during a worker crash is taken over within 15 s and settled by the state at the platform',
  async () => {
    const t = await setting('lease_died');
    void deliver(t.one.ports, t.work, never).catch(() => undefined);
    const sentMs = await t.sent;
    // Its heartbeat never arrives.
    t.asleep.until = new Promise(() => undefined);
    const settled = await t.sweepUntil((status) => status !== 'sending');
    expect(Date.now() - sentMs).toBeLessThan(15_000);
    expect(Date.now() - sentMs).toBeGreaterThan(10_000);
    expect(settled).toMatchObject({ status: 'published', attempts: 1, epoch: 2 });
  },
  60_000,
);

test.concurrent(
  'a worker that slept past its lease aborts its work, and writes nothing when it resumes',
  async () => {
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
  },
  60_000,
);

test.concurrent(
  'no other worker takes a delivery that takes longer than a lease',
  async () => {
    const t = await setting('lease_held');
    const delivering = deliver(t.one.ports, t.work, never);
    await t.sent;
    let looked = 0;
    for (const until = Date.now() + 15_000; Date.now() < until; looked += 1) {
      expect(await t.two.ports.deliveries.listDue(10)).toEqual([]);
      await clock.sleep(500);
    }
    await delivering;
    expect(looked).toBeGreaterThan(10);
    expect(await t.two.ports.deliveries.find(t.work.workspaceId, t.work.deliveryId)).toMatchObject({
      status: 'published',
      epoch: 1,
    });
    expect(t.aborted).toEqual([]);
  },
  60_000,
);
