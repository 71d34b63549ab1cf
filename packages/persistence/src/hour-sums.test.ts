import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ConnectionId } from '@switchboard/domain';
import { listOffsets } from '@switchboard/domain/posts';
import { offsetOf, requestHourSums } from './hour-sums.js';
import {
  openDatabase,
  prismaRepositories,
  sumInvalidatedDays,
  sumRequestedHours,
  type Database,
} from './index.js';
import { plansOf } from './query-plans.js';
import { seedYear, YEAR_POSTS, yearRange, type SeededYear } from './seed-year.js';
import { testDatabase } from './testing.js';

let url: string;
let database: Database;
let year: SeededYear;

beforeAll(async () => {
  url = await testDatabase('hour_sums');
  database = openDatabase(url, { max: 4 });
  year = await seedYear(database);
}, 600_000);
afterAll(() => database?.close());

const readHours = (
  connectionIds: readonly ConnectionId[] = year.connectionIds,
  range: { readonly from: Date; readonly to: Date } = yearRange,
) =>
  prismaRepositories(database.prisma).snapshots.sumPostsByHour(year.workspaceId, {
    connectionIds,
    ...range,
    offsets: listOffsets(range.from, range.to, 'Europe/Madrid'),
  });

const countSets = () => database.prisma.hourSumSet.count({ where: { workspaceId: year.workspaceId } });

async function sumAll() {
  while ((await sumInvalidatedDays(database.prisma)) > 0);
  while ((await sumRequestedHours(database.prisma)) > 0);
}

test('a report that reads few posts has no hours summed', async () => {
  await readHours([], yearRange);
  await readHours(year.connectionIds, {
    from: new Date('2026-10-01T00:00:00Z'),
    to: new Date('2026-10-11T00:00:00Z'),
  });
  expect(await countSets()).toBe(0);
});

test('the hours of a year are read by index instead of their posts, once they are summed', async () => {
  const expected = await readHours();
  expect(await countSets()).toBe(1);
  await readHours([...year.connectionIds].reverse());
  expect(await countSets()).toBe(1);
  await sumAll();
  await database.prisma.$executeRaw`ANALYZE hour_sums, hour_sum_sets`;
  const plans = await plansOf(url, async () => expect(await readHours()).toEqual(expected));
  expect(plans).toHaveLength(1);
  expect(plans.flatMap(({ indexes }) => indexes)).toEqual(
    expect.arrayContaining(['hour_sums_pkey', 'latest_metrics_workspace_id_connection_id_published_at_idx']),
  );
  expect(plans.flatMap(({ scannedTables }) => scannedTables)).not.toContain('latest_metrics');
  expect(plans[0]?.visited).toBeLessThan(301 * 24 + 10);
});

test('a day that changed is read by its posts until it is summed again', async () => {
  await sumAll();
  await database.prisma.$executeRaw`
    UPDATE latest_metrics SET likes = likes + 100000
    WHERE subject = (SELECT subject FROM latest_metrics WHERE likes > 0 ORDER BY published_at LIMIT 1)`;
  const total = (hours: Awaited<ReturnType<typeof readHours>>) =>
    hours.reduce((sum, { sums }) => sum + (sums.engagements ?? 0), 0);
  const changed = await readHours();
  expect(total(changed)).toBeGreaterThan(100_000);
  const plans = await plansOf(url, () => readHours());
  expect(plans[0]?.visited).toBeGreaterThan(0);
  expect(plans[0]?.visited).toBeLessThan(301 * 24 + 200);
  await sumAll();
  expect(await readHours()).toEqual(changed);
});

test('hours are summed again after a worker of an earlier version has summed one of their days', async () => {
  await sumAll();
  await database.prisma.$executeRaw`
    UPDATE latest_metrics SET likes = likes + 1000
    WHERE subject = (SELECT subject FROM latest_metrics WHERE likes > 0 ORDER BY published_at DESC LIMIT 1)`;
  const changed = await readHours();
  await database.prisma.$executeRaw`DELETE FROM invalidated_metric_days`;
  expect(await countSets()).toBe(0);
  expect(await readHours()).toEqual(changed);
  await sumAll();
  expect(await readHours()).toEqual(changed);
});

test('each workspace has the hours of 20 selections of connections', async () => {
  const others = Array.from({ length: 30 }, (_, index) => [`con_${index}` as ConnectionId]);
  for (const ids of others) await requestHourSums(database.prisma, year.workspaceId, ids, 0);
  expect(await countSets()).toBe(20);
  await sumAll();
});

test('hours that no report has requested for 30 days are deleted', async () => {
  await readHours();
  await database.prisma.$executeRaw`UPDATE hour_sum_sets SET requested_at = now() - interval '29 days'`;
  await readHours();
  await database.prisma.$executeRaw`
    UPDATE hour_sum_sets SET requested_at = requested_at - interval '2 days'`;
  const expected = await readHours();
  await sumAll();
  expect(await countSets()).toBe(1);
  await database.prisma.$executeRaw`UPDATE hour_sum_sets SET requested_at = now() - interval '31 days'`;
  await sumAll();
  expect(await countSets()).toBe(0);
  expect(await database.prisma.hourSums.count()).toBe(0);
  expect(await readHours()).toEqual(expected);
});

test('a deleted workspace has no summed hours', async () => {
  await readHours();
  await sumAll();
  expect(await database.prisma.hourSums.count()).toBeGreaterThan(YEAR_POSTS / 4);
  await database.prisma.$transaction(
    (client) => prismaRepositories(client).workspaces.delete(year.workspaceId),
    { timeout: 120_000 },
  );
  expect(await database.prisma.hourSums.count()).toBe(0);
  expect(await database.prisma.hourSumSet.count()).toBe(0);
});

test.each([
  ['UTC', 0],
  ['Europe/Madrid', 0],
  ['Asia/Kolkata', 1800],
  ['Asia/Kathmandu', 900],
  ['America/St_Johns', 1800],
  ['Australia/Lord_Howe', null],
])('hours of %s begin %p seconds after those of UTC', (timezone, offset) => {
  const atMidnight = (at: Date) =>
    new Date(at.getTime() - (listOffsets(at, at, timezone)[0]?.seconds ?? 0) * 1000);
  const [from, to] = [atMidnight(yearRange.from), atMidnight(yearRange.to)];
  expect(offsetOf({ connectionIds: [], from, to, offsets: listOffsets(from, to, timezone) })).toBe(offset);
  const oneMinuteLater = { from: new Date(from.getTime() + 60_000), to };
  expect(
    offsetOf({ connectionIds: [], ...oneMinuteLater, offsets: listOffsets(from, to, timezone) }),
  ).toBeNull();
});
