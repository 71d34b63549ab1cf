import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { builders, countedIds } from '@switchboard/domain/testing';
import type { Connection } from '@switchboard/domain/connections';
import type { Clock } from '@switchboard/domain/ports';
import type { Profile } from '@switchboard/domain/profiles';
import { copyRow, withoutTriggers } from './copy-rows.js';
import { rowsRead } from './query-plans.js';
import { Prisma } from './generated/client.js';
import { openDatabase, prismaRepositories, type Database } from './index.js';
import { testDatabase } from './testing.js';

const clock: Clock = {
  now: () => new Date(),
  after: (ms) => new Date(Date.now() + ms),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};
const build = builders({ clock, ids: countedIds(clock) });

describe('the database itself', () => {
  let database: Database;
  let ours: Profile;
  let theirs: Profile;
  let theirConnection: Connection;
  beforeAll(async () => {
    database = openDatabase(await testDatabase('schema'), { max: 2 });
    const tables = prismaRepositories(database.prisma);
    const workspaces = [build.workspace(), build.workspace()] as const;
    [ours, theirs] = [build.profile(workspaces[0]), build.profile(workspaces[1])];
    theirConnection = build.connection(theirs);
    for (const workspace of workspaces) await tables.workspaces.insert(workspace);
    for (const profile of [ours, theirs]) await tables.profiles.insert(profile);
    await tables.connections.insert(theirConnection);
  });
  afterAll(() => database.close());

  const violated = (constraint: RegExp) => ({ message: expect.stringMatching(constraint) as unknown });

  test('rejects a row that references another workspace', async () => {
    const tables = prismaRepositories(database.prisma);
    const foreign = { workspaceId: ours.workspaceId };
    const key = violated(/foreign key constraint/i);
    await expect(
      tables.connections.insert({ ...build.connection(theirs), ...foreign }),
    ).rejects.toMatchObject(key);
    await expect(tables.posts.insert({ ...build.post(theirs, []), ...foreign })).rejects.toMatchObject(key);
    await expect(
      tables.refunds.insert({ ...build.refund(theirConnection), ...foreign }),
    ).rejects.toMatchObject(key);
    await expect(
      tables.refunds.insertQuote({ ...build.quote(theirConnection), ...foreign }),
    ).rejects.toMatchObject(key);
    const session = { ...build.connectSession(theirs), ...foreign };
    await expect(tables.connectSessions.insert(session)).rejects.toMatchObject(key);
    const post = build.post(ours, []);
    const delivery = { ...build.delivery(theirConnection), ...foreign, postId: post.id };
    await expect(tables.posts.insert({ ...post, deliveries: [delivery] })).rejects.toMatchObject(key);
  });

  test('rejects an unknown status', async () => {
    const tables = prismaRepositories(database.prisma);
    const connection = build.connection(ours, { status: 'asleep' as 'active' });
    await expect(tables.connections.insert(connection)).rejects.toMatchObject(
      violated(/connections_status_check/),
    );
  });

  test('has a workspace_id in every table except the few without a tenant', async () => {
    const rows = await database.prisma.$queryRaw<{ name: string }[]>`
      SELECT c.relname::text AS name FROM pg_class c
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname NOT LIKE '\\_prisma%'
        AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'workspace_id')
      ORDER BY 1`;
    expect(rows.map(({ name }) => name)).toEqual([
      'canaries',
      'installation',
      'key_holders',
      'media_stores',
      'workspaces',
    ]);
  });

  test('has an index for every reference, so that deleting a million rows does not scan each table a million times', async () => {
    const rows = await database.prisma.$queryRaw<{ name: string }[]>`
      SELECT c.conname::text AS name FROM pg_constraint c
      WHERE c.contype = 'f' AND c.connamespace = 'public'::regnamespace AND NOT EXISTS (
        SELECT FROM pg_index i
        JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[cardinality(c.conkey)]
        WHERE i.indrelid = c.conrelid AND (i.indkey::int2[])[0:cardinality(c.conkey) - 1] @> c.conkey
          -- Rows that reference nothing need not be found.
          AND (i.indpred IS NULL OR pg_get_expr(i.indpred, i.indrelid) = format('(%I IS NOT NULL)', a.attname)))
      ORDER BY 1`;
    expect(rows.map(({ name }) => name)).toEqual([]);
  });

  test('stores times unchanged when its own zone differs', async () => {
    const url = await testDatabase('zoned');
    const first = openDatabase(url, { max: 1 });
    await first.prisma.$executeRawUnsafe(
      `ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET timezone = 'Asia/Kolkata'`,
    );
    await first.close();
    const zoned = openDatabase(url, { max: 1 });
    const { workspaces } = prismaRepositories(zoned.prisma);
    const workspace = build.workspace();
    await workspaces.insert(workspace);
    const [row] = await zoned.prisma.$queryRaw<{ same: boolean }[]>`
      SELECT created_at = to_timestamp(${workspace.createdAt.getTime()}::float8 / 1000) AS same FROM workspaces`;
    expect(row?.same).toBe(true);
    expect(await workspaces.find(workspace.id)).toEqual(workspace);
    await zoned.close();
  });

  test('finds due rows without reading the others', async () => {
    const tables = prismaRepositories(database.prisma);
    const connection = build.connection(ours);
    await tables.connections.insert(connection);
    const post = build.post(ours, [connection], {}, { status: 'published' });
    await tables.posts.insert(post);
    await withoutTriggers(database.prisma, (client) =>
      copyRow(client, 'deliveries', {
        id: post.deliveries[0]?.id ?? '',
        count: 20_000,
        changes: {
          id: Prisma.sql`'dlv_' || n`,
          position: Prisma.sql`n`,
          status: Prisma.sql`'pending'`,
          scheduled_at: Prisma.sql`now() + interval '1 day'`,
        },
      }),
    );
    await database.prisma.$executeRaw`ANALYZE deliveries`;
    const read = await rowsRead(
      database.prisma,
      (client) => prismaRepositories(client).deliveries.listDue(50),
      ['deliveries'],
    );
    expect(read).toBeLessThan(100);
    const readForNext = await rowsRead(
      database.prisma,
      async (client) => {
        const { deliveries } = prismaRepositories(client);
        const dayMs = 86_400_000;
        expect(await deliveries.findNextDueInMs(1000)).toBeNull();
        expect(await deliveries.findNextDueInMs(2 * dayMs)).toBeGreaterThan(dayMs / 2);
      },
      ['deliveries'],
    );
    expect(readForNext).toBeLessThan(5);
  });

  test('finds credentials to renew without reading those that wait, back off or cannot be renewed (finding 83)', async () => {
    const tables = prismaRepositories(database.prisma);
    const connection = build.connection(ours, { platform: 'renewed' });
    await tables.connections.insert(connection);
    await tables.credentials.insert({
      connectionId: connection.id,
      workspaceId: connection.workspaceId,
      generation: 1,
      sealed: new Uint8Array([1]),
      accessExpiresAt: clock.after(20),
    });
    await withoutTriggers(database.prisma, (client) =>
      copyRow(client, 'connections', {
        id: connection.id,
        count: 12_000,
        changes: {
          id: Prisma.sql`'con_' || n`,
          account_id: Prisma.sql`n::text`,
          status: Prisma.sql`CASE n % 3 WHEN 0 THEN 'needs_reauth' ELSE 'active' END`,
        },
      }),
    );
    // A trigger decides when they are due.
    await database.prisma.$executeRaw`
      INSERT INTO credentials (connection_id, workspace_id, generation, sealed, renewed_at, access_expires_at, next_attempt_at)
      SELECT 'con_' || n, c.workspace_id, c.generation, c.sealed, now() - interval '1 day',
        now() + CASE n % 3 WHEN 1 THEN interval '8 days' ELSE interval '-1 day' END,
        CASE n % 3 WHEN 2 THEN now() + interval '10 minutes' END
      FROM credentials c, generate_series(1, 12000) AS n WHERE c.connection_id = ${connection.id}`;
    await database.prisma.$executeRaw`ANALYZE credentials, connections`;
    const read = await rowsRead(
      database.prisma,
      async (client) => {
        const due = await prismaRepositories(client).credentials.listDue(['renewed'], 100);
        expect(due.map(({ connectionId }) => connectionId)).toEqual([connection.id]);
      },
      ['credentials', 'connections'],
    );
    expect(read).toBeLessThan(20);
  });

  test('responds to a ping, and rejects it when it is unavailable', async () => {
    await database.ping();
    const nowhere = openDatabase('postgresql://nobody:x@127.0.0.1:9/none', { max: 1 });
    await expect(nowhere.ping()).rejects.toThrow();
    await nowhere.close();
  });
});
