import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { builders, countedIds } from '@switchboard/domain/testing';
import type { ProfileId } from '@switchboard/domain';
import type { Clock } from '@switchboard/domain/ports';
import type { Post } from '@switchboard/domain/posts';
import type { Profile } from '@switchboard/domain/profiles';
import type { DatabaseClient } from './columns.js';
import { copyRow, withoutTriggers } from './copy-rows.js';
import { Prisma } from './generated/client.js';
import { openDatabase, prismaRepositories, type Database } from './index.js';
import { testDatabase } from './testing.js';
import { selectInReview, selectUnpublished } from './waiting-posts.js';

const clock: Clock = {
  now: () => new Date(),
  after: (ms) => new Date(Date.now() + ms),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};
const build = builders({ clock, ids: countedIds(clock) });
const POSTS = 50_000;

let database: Database;
let profile: Profile;
beforeAll(async () => {
  database = openDatabase(await testDatabase('waiting'), { max: 2 });
  const tables = prismaRepositories(database.prisma);
  const workspace = build.workspace();
  profile = build.profile(workspace);
  const connection = build.connection(profile);
  await tables.workspaces.insert(workspace);
  await tables.profiles.insert(profile);
  await tables.connections.insert(connection);
  const post = build.post(profile, [connection], {}, { status: 'published' });
  await tables.posts.insert(post);
  await multiply(post);
});
afterAll(() => database?.close());

/** Copies the post: one in a thousand waits, half of the others are in review, half are missed. */
async function multiply(post: Post): Promise<void> {
  const status = Prisma.sql`CASE n % 2000 WHEN 0 THEN 'needs_review' WHEN 1000 THEN 'missed' WHEN 500 THEN 'failed' ELSE 'published' END`;
  const postId = Prisma.sql`'pst_' || lpad(n::text, 26, '0')`;
  const [delivery] = post.deliveries;
  await withoutTriggers(database.prisma, async (client) => {
    await copyRow(client, 'posts', {
      id: post.id,
      count: POSTS,
      changes: { id: postId, settled_status: status },
    });
    await copyRow(client, 'deliveries', {
      id: delivery?.id ?? '',
      count: POSTS,
      changes: { id: Prisma.sql`'dlv_' || lpad(n::text, 26, '0')`, post_id: postId, status },
    });
  });
  await database.prisma.$executeRaw`ANALYZE posts, deliveries, connections`;
}

/** Returns the query plan instead of the result. */
const planning = (): DatabaseClient =>
  ({
    $queryRaw: (text: TemplateStringsArray, ...values: unknown[]) =>
      database.prisma.$queryRaw`EXPLAIN (FORMAT JSON) ${Prisma.sql(text, ...values)}`,
  }) as unknown as DatabaseClient;

test.each([
  ['all of it', null],
  ['what a key reaches', 'its profile'],
])('%s among 50,000 posts is found by indexes, without reading the others', async (_of, which) => {
  const reach: ProfileId[] | null = which === null ? null : [profile.id];
  const page = { limit: 20, after: undefined };
  const { workspaceId } = profile;
  const plans = JSON.stringify([
    await selectInReview(planning(), workspaceId, reach, page),
    await selectUnpublished(planning(), workspaceId, 'missed', reach, new Date(0), page),
    await selectUnpublished(planning(), workspaceId, 'failed', reach, new Date(0), page),
    await selectUnpublished(planning(), workspaceId, 'media_failed', reach, new Date(0), page),
  ]);
  expect(plans).toContain('deliveries_in_review_idx');
  expect(plans).toContain('deliveries_missed_idx');
  expect(plans).toContain('deliveries_failed_idx');
  expect(plans).toContain('deliveries_media_failed_idx');
  const scanned = [...plans.matchAll(/"Node Type":"Seq Scan"[^{}]*?"Relation Name":"(\w+)"/g)].map(
    ([, name]) => name,
  );
  // The single connection fits into one disk page.
  expect(scanned.filter((name) => name !== 'connections')).toEqual([]);
  expect(await selectInReview(database.prisma, workspaceId, reach, page)).toHaveLength(21);
  expect(
    await selectUnpublished(database.prisma, workspaceId, 'missed', reach, new Date(0), page),
  ).toHaveLength(21);
});
