import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { builders, countedIds } from '@switchboard/domain/testing';
import type { ApiKey } from '@switchboard/domain/access';
import type { Clock } from '@switchboard/domain/ports';
import {
  openDatabase,
  prismaRepositories,
  requestCounts,
  type Database,
  type RequestCounts,
} from './index.js';
import { testDatabase } from './testing.js';

const clock: Clock = {
  now: () => new Date(),
  after: (ms) => new Date(Date.now() + ms),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};
const build = builders({ clock, ids: countedIds(clock) });
let database: Database;
let counts: RequestCounts;
let key: ApiKey;
beforeAll(async () => {
  database = openDatabase(await testDatabase('counts'), { max: 5 });
  counts = requestCounts(database.query);
  const workspace = build.workspace();
  await prismaRepositories(database.prisma).workspaces.insert(workspace);
  key = build.apiKey(workspace);
});
afterAll(() => database.close());

/** Takes requests from the bucket of the key. */
async function add(count: number, windowMs: number) {
  const [taken] = await counts.add([{ id: key.id, workspaceId: key.workspaceId, count }], windowMs);
  if (!taken) throw new Error('each slice is answered');
  return taken;
}

test('sums concurrent takes in one window, and starts anew when the window ends', async () => {
  const taken = await Promise.all(Array.from({ length: 20 }, () => add(5, 60_000)));
  expect(taken.map((one) => one.taken).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 20 }, (_, index) => 5 * (index + 1)),
  );
  // Window ends are stored in whole milliseconds.
  for (const { leftMs } of taken) expect(leftMs).toBeLessThanOrEqual(60_001);
  await database.prisma.$executeRaw`UPDATE rate_limits SET ends_at = now() WHERE bucket = ${key.id}`;
  expect(await add(7, 60_000)).toMatchObject({ taken: 7 });
});

test('starts anew after the clock was set back, instead of waiting for the original end of the window', async () => {
  await add(5, 60_000);
  await database.prisma
    .$executeRaw`UPDATE rate_limits SET ends_at = now() + interval '1 hour' WHERE bucket = ${key.id}`;
  const { taken, leftMs } = await add(1, 60_000);
  expect(taken).toBe(1);
  expect(leftMs).toBeLessThanOrEqual(60_001);
});

test('removes counts with the workspace, whose keys then do not block the counts of others', async () => {
  await add(1, 60_000);
  await database.prisma.workspace.delete({ where: { id: key.workspaceId } });
  const other = build.workspace();
  await prismaRepositories(database.prisma).workspaces.insert(other);
  const slices = [
    { id: key.id, workspaceId: key.workspaceId, count: 1 },
    { id: other.id, workspaceId: other.id, count: 3 },
  ];
  expect(await counts.add(slices, 60_000)).toEqual([null, expect.objectContaining({ taken: 3 })]);
  expect(await database.prisma.rateLimit.count({ where: { bucket: key.id } })).toBe(0);
});

test('takes from many buckets at once, in any order, without deadlocks', async () => {
  const workspace = build.workspace();
  await prismaRepositories(database.prisma).workspaces.insert(workspace);
  const slices = Array.from({ length: 20 }, (_, n) => ({
    id: `bucket_${n}`,
    workspaceId: workspace.id,
    count: 1,
  }));
  const orders = Array.from({ length: 12 }, (_, n) => (n % 2 ? slices : [...slices].reverse()));
  const taken = await Promise.all(orders.map((order) => counts.add(order, 60_000)));
  expect(taken.map((each) => each.map((one) => one?.id))).toEqual(
    orders.map((each) => each.map(({ id }) => id)),
  );
  for (const { id } of slices) {
    const counted = taken.flatMap((each) => each.flatMap((one) => (one?.id === id ? [one.taken] : [])));
    expect(counted.sort((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, n) => n + 1));
  }
});
