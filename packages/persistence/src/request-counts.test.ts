import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { builders, countedIds } from '@switchboard/domain/testing';
import type { ApiKey, Clock } from '@switchboard/domain';
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
  counts = requestCounts(database.ask);
  const workspace = build.workspace();
  await prismaRepositories(database.prisma).workspaces.insert(workspace);
  key = build.apiKey(workspace);
});
afterAll(() => database.close());

test('adds up what many take at once in one window, and begins anew when it is over', async () => {
  const taken = await Promise.all(Array.from({ length: 20 }, () => counts.add(key, 5, 2000)));
  expect(taken.map((one) => one.taken).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 20 }, (_, index) => 5 * (index + 1)),
  );
  // Ends are kept in whole milliseconds.
  for (const { leftMs } of taken) expect(leftMs).toBeLessThanOrEqual(2001);
  await clock.sleep(Math.max(...taken.map(({ leftMs }) => leftMs)) + 20);
  expect(await counts.add(key, 7, 2000)).toMatchObject({ taken: 7 });
});

test('begins anew after the clock was set back, instead of waiting for the hour at which the window was to end', async () => {
  await counts.add(key, 5, 60_000);
  await database.prisma
    .$executeRaw`UPDATE rate_limits SET ends_at = now() + interval '1 hour' WHERE lineage = ${key.lineage}`;
  const { taken, leftMs } = await counts.add(key, 1, 60_000);
  expect(taken).toBe(1);
  expect(leftMs).toBeLessThanOrEqual(60_001);
});

test('forgets with the workspace', async () => {
  await counts.add(key, 1, 60_000);
  await database.prisma.workspace.delete({ where: { id: key.workspaceId } });
  expect(await database.prisma.rateLimit.count({ where: { lineage: key.lineage } })).toBe(0);
});
