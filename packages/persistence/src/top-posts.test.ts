import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { GroupSort } from '@switchboard/domain/analytics';
import type { PostSums } from '@switchboard/domain/ports';
import type { DatabaseClient } from './columns.js';
import { openDatabase, prismaRepositories, sumInvalidatedDays, type Database } from './index.js';
import { plansOf, rowsRead } from './query-plans.js';
import { seedYear, YEAR_POSTS, yearRange, type SeededYear } from './seed-year.js';
import { testDatabase } from './testing.js';

let url: string;
let database: Database;
let year: SeededYear;

beforeAll(async () => {
  url = await testDatabase('top_posts');
  database = openDatabase(url, { max: 4 });
  year = await seedYear(database);
}, 600_000);
afterAll(() => database?.close());

const readPage = (
  sort: GroupSort,
  after?: string,
  client: DatabaseClient = database.prisma,
): Promise<PostSums> =>
  prismaRepositories(client).snapshots.sumPosts(year.workspaceId, {
    connectionIds: year.connectionIds,
    ...yearRange,
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
    expect(read).toBeLessThan(YEAR_POSTS / 8);
  },
);

test('pages by a metric are those of all posts in this order, to the last one', async () => {
  const sorted = await database.prisma.$queryRaw<{ key: string }[]>`
    SELECT post_id AS key FROM latest_metrics WHERE workspace_id = ${year.workspaceId} AND published_at IS NOT NULL
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

test('a post comes first whose deliveries together have the most, on days without any other good post', async () => {
  const [first, second] = await database.prisma.$queryRaw<{ subject: string; post: string }[]>`
    SELECT m.subject, m.post_id AS post
    FROM (
      SELECT DISTINCT ON (connection_id) connection_id, starts_on FROM metric_sums
      WHERE workspace_id = ${year.workspaceId} AND NOT is_month AND post_count > 5 ORDER BY connection_id, max_likes
    ) AS d
    CROSS JOIN LATERAL (
      SELECT subject, post_id FROM latest_metrics
      WHERE connection_id = d.connection_id AND (published_at AT TIME ZONE 'UTC')::date = d.starts_on LIMIT 1
    ) AS m
    LIMIT 2`;
  if (!first || !second) throw new Error('no days');
  await database.prisma.$executeRaw`
    UPDATE latest_metrics SET likes = 600, post_id = ${first.post} WHERE subject IN (${first.subject}, ${second.subject})`;
  while ((await sumInvalidatedDays(database.prisma)) > 0);
  const [best] = (await readPage('-likes')).groups.items;
  expect({ key: best?.key, likes: best?.sums.likes }).toEqual({ key: first.post, likes: 1200 });
});

test('days that were summed without these columns are read', async () => {
  const expected = keysOf(await readPage('-likes'));
  await database.prisma.$executeRaw`
    UPDATE metric_sums SET first_post_id = NULL, max_likes = NULL WHERE extract(day FROM starts_on)::int % 3 = 1`;
  expect(keysOf(await readPage('-likes'))).toEqual(expected);
});
