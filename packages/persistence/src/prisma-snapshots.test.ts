import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Snapshot } from '@switchboard/domain/ports';
import { noMetrics } from '@switchboard/domain/analytics';
import { builders, countedIds } from '@switchboard/domain/testing';
import type { Clock } from '@switchboard/domain/ports';
import { copyRow, withoutTriggers } from './copy-rows.js';
import { rowsRead } from './query-plans.js';
import { Prisma } from './generated/client.js';
import { openDatabase, prismaRepositories, thinSnapshots, type Database } from './index.js';
import { testDatabase } from './testing.js';

const clock: Clock = {
  now: () => new Date(),
  after: (ms) => new Date(Date.now() + ms),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};
const build = builders({ clock, ids: countedIds(clock) });
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let database: Database;
beforeAll(async () => {
  database = openDatabase(await testDatabase('snapshots'), { max: 2 });
});
afterAll(() => database.close());

async function connect() {
  const tables = prismaRepositories(database.prisma);
  const workspace = build.workspace();
  const profile = build.profile(workspace);
  const connection = build.connection(profile);
  await tables.workspaces.insert(workspace);
  await tables.profiles.insert(profile);
  await tables.connections.insert(connection);
  const taken = (followers: number, takenAt: Date): Snapshot => ({
    workspaceId: workspace.id,
    connectionId: connection.id,
    deliveryId: null,
    metrics: { ...noMetrics, followers },
    takenAt,
  });
  return { tables, connection, taken };
}

test('keeps all snapshots for ninety days, and then the last one of each day', async () => {
  const { tables, connection, taken } = await connect();
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const at = (daysAgo: number, hour: number) => new Date(today - daysAgo * DAY_MS + hour * HOUR_MS);
  const times = [120, 91, 90, 1].flatMap((daysAgo) => [0, 7, 23].map((hour) => at(daysAgo, hour)));
  await tables.snapshots.insert(times.map((time, n) => taken(n, time)));
  const thin = async () => {
    for (;;) if ((await thinSnapshots(database.prisma)) === 0) break;
    const rows = await database.prisma.snapshot.findMany({
      where: { connectionId: connection.id },
      orderBy: { takenAt: 'asc' },
    });
    return rows.map(({ takenAt }) => takenAt);
  };
  const kept = [at(120, 23), at(91, 23), ...times.slice(6)];
  expect(await thin()).toEqual(kept);
  expect(await thin()).toEqual(kept);
});

test('chooses what to read by an index, whatever the number of connections', async () => {
  const { tables, connection } = await connect();
  await tables.posts.insert(
    build.post(
      { id: connection.profileId, workspaceId: connection.workspaceId },
      [connection],
      {},
      {
        status: 'published',
        publishedAt: new Date(),
      },
    ),
  );
  await withoutTriggers(database.prisma, async (client) => {
    await copyRow(client, 'connections', {
      id: connection.id,
      count: 20_000,
      changes: { id: Prisma.sql`'con_' || n`, account_id: Prisma.sql`'account ' || n` },
    });
    await client.$executeRaw`
      INSERT INTO latest_metrics (subject, workspace_id, connection_id, next_read_at)
      SELECT id, workspace_id, id, now() + interval '1 hour' FROM connections WHERE account_id LIKE 'account %'`;
  });
  await database.prisma.$executeRaw`
    UPDATE latest_metrics SET next_read_at = now() + interval '1 hour' WHERE connection_id <> ${connection.id}`;
  await database.prisma.$executeRaw`ANALYZE latest_metrics`;
  await database.prisma.$executeRaw`ANALYZE connections`;
  const read = await rowsRead(database.prisma, async (client) => {
    expect(await prismaRepositories(client).snapshots.claimDue(20)).toHaveLength(1);
  });
  expect(read).toBeLessThan(200);
});
