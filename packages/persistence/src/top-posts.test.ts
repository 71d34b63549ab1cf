import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ConnectionId, WorkspaceId } from '@switchboard/domain';
import type { GroupSort } from '@switchboard/domain/analytics';
import type { Clock, PostSums } from '@switchboard/domain/ports';
import { builders, countedIds } from '@switchboard/domain/testing';
import type { DatabaseClient } from './columns.js';
import { copyRow, withoutTriggers } from './copy-rows.js';
import { Prisma } from './generated/client.js';
import { openDatabase, prismaRepositories, sumInvalidatedDays, type Database } from './index.js';
import { plansOf, rowsRead } from './query-plans.js';
import { testDatabase } from './testing.js';

const POSTS = 12_000;
const DAYS = 300;
const DAY_MS = 86_400_000;
const clock: Clock = {
  now: () => new Date('2026-11-01T12:00:00Z'),
  after: (ms) => new Date(clock.now().getTime() + ms),
  sleep: async () => undefined,
};
const build = builders({ clock, ids: countedIds(clock) });

let url: string;
let database: Database;
let workspaceId: WorkspaceId;
let connectionIds: readonly ConnectionId[];

/** Ten posts a day on each of four accounts. Views are known of none, and saves are zero. */
beforeAll(async () => {
  url = await testDatabase('top_posts');
  database = openDatabase(url, { max: 4 });
  const tables = prismaRepositories(database.prisma);
  const workspace = build.workspace();
  const profile = build.profile(workspace);
  const connections = Array.from({ length: 4 }, () => build.connection(profile));
  const [connection] = connections;
  if (!connection) throw new Error('no connection');
  workspaceId = workspace.id;
  connectionIds = connections.map(({ id }) => id);
  await tables.workspaces.insert(workspace);
  await tables.profiles.insert(profile);
  for (const each of connections) await tables.connections.insert(each);
  const publishedAt = clock.after(-(DAYS + 1) * DAY_MS);
  const post = build.post(profile, [connection], {}, { status: 'published', publishedAt });
  await tables.posts.insert(post);
  const numbered = (kind: string) => Prisma.sql`${kind}::text || lpad(n::text, 26, '0')`;
  const later = Prisma.sql`r.published_at + make_interval(secs => n * ${(DAYS * 86_400) / POSTS}::int)`;
  await withoutTriggers(database.prisma, async (client) => {
    await copyRow(client, 'posts', { id: post.id, count: POSTS, changes: { id: numbered('pst_') } });
    await copyRow(client, 'deliveries', {
      id: post.deliveries[0]?.id ?? '',
      count: POSTS,
      changes: {
        id: numbered('dlv_'),
        post_id: numbered('pst_'),
        content_digest: Prisma.sql`n::text`,
        connection_id: Prisma.sql`(${[...connectionIds]}::text[])[n % 4 + 1]`,
        published_at: later,
      },
    });
    await client.$executeRaw`
      INSERT INTO latest_metrics (subject, workspace_id, connection_id, delivery_id, post_id, published_at, taken_at, likes, impressions, saves)
      SELECT id, workspace_id, connection_id, id, post_id, published_at, now(), abs(hashtext(id)) % 1000, 1 + abs(hashtext(id || 'i')) % 1000, 0
      FROM deliveries WHERE id <> ${post.deliveries[0]?.id ?? ''}`;
  });
  await database.prisma.$executeRaw`
    INSERT INTO invalidated_metric_days (workspace_id, connection_id, day)
    SELECT DISTINCT workspace_id, connection_id, (published_at AT TIME ZONE 'UTC')::date
    FROM latest_metrics WHERE published_at IS NOT NULL`;
  while ((await sumInvalidatedDays(database.prisma)) > 0);
  await database.prisma.$executeRawUnsafe('VACUUM (ANALYZE)');
}, 600_000);
afterAll(() => database?.close());

const readPage = (
  sort: GroupSort,
  after?: string,
  client: DatabaseClient = database.prisma,
): Promise<PostSums> =>
  prismaRepositories(client).snapshots.sumPosts(workspaceId, {
    connectionIds,
    from: new Date('2025-12-01T00:00:00Z'),
    to: new Date('2026-11-30T00:00:00Z'),
    source: 'switchboard',
    basis: 'published',
    intervals: [],
    grouping: { by: 'post', sort, page: { limit: 20, after } },
  });

const keysOf = ({ groups }: PostSums) => groups.items.map(({ key }) => key);

test.each(['-likes', '-engagements', '-engagement_rate', '-views', '-saves', '-followers'] as const)(
  'the first pages of a year by a metric are found by index, without reading most posts: %s',
  async (sort) => {
    let last: string | undefined;
    for (const after of [undefined, (await readPage(sort)).groups.next]) {
      const plans = await plansOf(url, async () => {
        last = (await readPage(sort, after)).groups.next;
      });
      expect(plans).toHaveLength(1);
      expect([...new Set(plans.flatMap(({ indexes }) => indexes))].sort()).toEqual(
        expect.arrayContaining([
          'latest_metrics_post_idx',
          'latest_metrics_workspace_id_connection_id_published_at_idx',
          'metric_sums_pkey',
        ]),
      );
      expect(plans.flatMap(({ scannedTables }) => scannedTables)).not.toContain('latest_metrics');
      expect(last).toBeDefined();
    }
    const read = await rowsRead(database.prisma, (client) => readPage(sort, undefined, client), [
      'latest_metrics',
    ]);
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(POSTS / 8);
  },
);

test('pages by a metric are those of all posts in this order, to the last one', async () => {
  const sorted = await database.prisma.$queryRaw<{ key: string }[]>`
    SELECT post_id AS key FROM latest_metrics WHERE workspace_id = ${workspaceId} AND published_at IS NOT NULL
    ORDER BY likes DESC NULLS LAST, post_id COLLATE "C"`;
  const all = sorted.map(({ key }) => key);
  let after: string | undefined;
  for (let start = 0; start < 200; start += 20) {
    const page = await readPage('-likes', after);
    expect(keysOf(page)).toEqual(all.slice(start, start + 20));
    after = page.groups.next;
  }
  for (const end of [all.length - 30, all.length - 20]) {
    const [{ likes } = { likes: 0 }] = await database.prisma.$queryRaw<{ likes: number }[]>`
      SELECT likes::int AS likes FROM latest_metrics WHERE post_id = ${all[end - 1] ?? ''}`;
    const page = await readPage('-likes', JSON.stringify({ value: likes, key: all[end - 1] }));
    expect(keysOf(page)).toEqual(all.slice(end, end + 20));
    expect(page.groups.next === undefined).toBe(end + 20 >= all.length);
  }
});

test('days that were summed without these columns are read', async () => {
  const [top] = keysOf(await readPage('-likes'));
  await database.prisma.$transaction(async (client) => {
    await client.$executeRaw`UPDATE metric_sums SET first_post_id = NULL, max_likes = NULL`;
    const page = await readPage('-likes', undefined, client);
    expect(keysOf(page)[0]).toBe(top);
  });
});
