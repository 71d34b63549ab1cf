import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { builders, countedIds } from '@switchboard/domain/testing';
import type { ConnectSession } from '@switchboard/domain/connections';
import type { Delivery } from '@switchboard/domain/deliveries';
import type { Clock } from '@switchboard/domain/ports';
import type { Post } from '@switchboard/domain/posts';
import type { Refund } from '@switchboard/domain/refunds';
import type { Workspace } from '@switchboard/domain/workspaces';
import {
  CHANGES_CHANNEL,
  openDatabase,
  openNotificationListener,
  prismaRepositories,
  waitingCounts,
  type Database,
  type NotificationListener,
  type WaitingCounts,
} from './index.js';
import { testDatabase } from './testing.js';

const clock: Clock = {
  now: () => new Date(),
  after: (ms) => new Date(Date.now() + ms),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};
const build = builders({ clock, ids: countedIds(clock) });
const limit = { most: 100, leaseMs: 60_000 };

let database: Database;
let notices: NotificationListener;
let counts: WaitingCounts;
let workspace: Workspace;
const announced: (string | null)[] = [];
beforeAll(async () => {
  const url = await testDatabase('waiting_counts');
  database = openDatabase(url, { max: 6 });
  counts = waitingCounts(database.query);
  notices = openNotificationListener(url, { onError: () => undefined });
  notices.on(CHANGES_CHANNEL, (id) => announced.push(id));
  while (notices.state() !== 'listening') await clock.sleep(10);
});
afterAll(async () => {
  await notices?.close();
  await database?.close();
});
beforeEach(async () => {
  workspace = build.workspace();
  await prismaRepositories(database.prisma).workspaces.insert(workspace);
  announced.length = 0;
});

test('concurrent processes are granted a hundred slots together, and a released slot is granted again', async () => {
  const processes = Array.from({ length: 12 }, (_, n) => `process ${n}`);
  const granted = await Promise.all(processes.map((holder) => counts.set(workspace.id, holder, 30, limit)));
  expect(granted.reduce((sum, one) => sum + one)).toBe(100);
  const [first = ''] = processes.filter((_, n) => granted[n] === 30);
  expect(await counts.set(workspace.id, 'late', 5, limit)).toBe(0);
  expect(await counts.set(workspace.id, first, 27, limit)).toBe(27);
  expect(await counts.set(workspace.id, 'late', 5, limit)).toBe(3);
  expect(await counts.set(workspace.id, first, 0, limit)).toBe(0);
  expect(await counts.set(workspace.id, 'late', 40, limit)).toBe(30);
});

test('each workspace has its own slots', async () => {
  const other = build.workspace();
  await prismaRepositories(database.prisma).workspaces.insert(other);
  expect(await counts.set(workspace.id, 'process', 100, limit)).toBe(100);
  expect(await counts.set(other.id, 'process', 100, limit)).toBe(100);
});

test('the slots of a crashed process are free when its lease has expired', async () => {
  expect(await counts.set(workspace.id, 'dead', 100, limit)).toBe(100);
  expect(await counts.set(workspace.id, 'alive', 7, limit)).toBe(0);
  await database.query(
    `UPDATE waiting_slots SET lease_until = now() WHERE workspace_id = $1 AND holder = 'dead'`,
    [workspace.id],
  );
  expect(await counts.set(workspace.id, 'alive', 7, limit)).toBe(7);
});

/** PostgreSQL delivers notifications in the order of their commits: all earlier ones precede this one. */
async function untilAllAnnounced(): Promise<void> {
  await database.query('SELECT pg_notify($1, $2)::text', [CHANGES_CHANNEL, 'last']);
  while (!announced.includes('last')) await clock.sleep(10);
  announced.splice(announced.indexOf('last'), 1);
}

/** One of each resource that a request can wait for. */
async function things() {
  const profile = build.profile(workspace);
  const connection = build.connection(profile);
  const refund: Refund = build.refund(connection);
  const session: ConnectSession = build.connectSession(profile);
  const post: Post = build.post(profile, [connection]);
  const tables = prismaRepositories(database.prisma);
  await tables.profiles.insert(profile);
  await tables.connections.insert(connection);
  await tables.refunds.insert(refund);
  await tables.connectSessions.insert(session);
  await tables.posts.insert(post);
  return { refund, session, post, delivery: post.deliveries[0] as Delivery };
}
async function change({ refund, session, delivery }: Awaited<ReturnType<typeof things>>) {
  const { prisma } = database;
  await prisma.refund.update({ where: { id: refund.id }, data: { status: 'unknown' } });
  await prisma.connectSession.update({ where: { id: session.id }, data: { status: 'cancelled' } });
  await prisma.delivery.update({ where: { id: delivery.id }, data: { status: 'published' } });
}

test('a change of a post, a refund or a connect session is announced while a request of its workspace waits', async () => {
  const all = await things();
  await counts.set(workspace.id, 'process', 1, limit);
  await change(all);
  await untilAllAnnounced();
  expect([...announced].sort()).toEqual([all.refund.id, all.session.id, all.post.id].sort());
  announced.length = 0;
  // Lease and attempt columns do not affect the outcome.
  await database.prisma.delivery.update({ where: { id: all.delivery.id }, data: { leaseUntil: new Date() } });
  await untilAllAnnounced();
  expect(announced).toEqual([]);
});

test('no change is announced without a waiting request of the workspace, nor after a rollback', async () => {
  const all = await things();
  const other = build.workspace();
  await prismaRepositories(database.prisma).workspaces.insert(other);
  await counts.set(other.id, 'process', 1, limit);
  await change(all);
  await counts.set(workspace.id, 'process', 1, limit);
  await database.prisma
    .$transaction(async (client) => {
      await client.refund.update({ where: { id: all.refund.id }, data: { status: 'succeeded' } });
      throw new Error('rolled back');
    })
    .catch(() => undefined);
  await untilAllAnnounced();
  expect(announced).toEqual([]);
});

test('a request that starts to wait while the transaction of the change is open is notified', async () => {
  const all = await things();
  await database.prisma.$transaction(async (client) => {
    await client.refund.update({ where: { id: all.refund.id }, data: { status: 'unknown' } });
    await counts.set(workspace.id, 'process', 1, limit);
  });
  await untilAllAnnounced();
  expect(announced).toEqual([all.refund.id]);
});
