import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SCHEDULED_POSTS_MAX, type Connection } from '@switchboard/domain/connections';
import type { DeliveryStatus } from '@switchboard/domain/deliveries';
import type { Clock, PostFilter } from '@switchboard/domain/ports';
import { postStatus, postStatuses, type PostStatus } from '@switchboard/domain/posts';
import type { Profile } from '@switchboard/domain/profiles';
import { builders, countedIds, repetitions } from '@switchboard/domain/testing';
import { copyRow, withoutTriggers } from './copy-rows.js';
import { Prisma } from './generated/client.js';
import type { QueryRunner } from './query-runner.js';
import { openDatabase, prismaRepositories, prismaTransactions, type Database } from './index.js';
import { queryConnectionViews } from './query-connection-views.js';
import { selectPostIds } from './post-sql.js';
import { visited, type PlanNode } from './query-plans.js';
import { testDatabase } from './testing.js';

const clock: Clock = {
  now: () => new Date(),
  after: (ms) => new Date(Date.now() + ms),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};
const ids = countedIds(clock);
const build = builders({ clock, ids });

type Explained = readonly [
  { readonly 'QUERY PLAN': readonly [{ readonly Plan: PlanNode; readonly 'Execution Time': number }] },
];

async function seed(
  name: string,
): Promise<{ database: Database; profile: Profile; connections: Connection[] }> {
  const database = openDatabase(await testDatabase(name), { max: 8 });
  const tables = prismaRepositories(database.prisma);
  const workspace = build.workspace();
  const profile = build.profile(workspace);
  const connections = Array.from({ length: 20 }, () => build.connection(profile));
  await tables.workspaces.insert(workspace);
  await tables.profiles.insert(profile);
  for (const connection of connections) await tables.connections.insert(connection);
  return { database, profile, connections };
}

describe('lists of a workspace with many posts', () => {
  let world: Awaited<ReturnType<typeof seed>>;
  let series = 0;

  /**
   * Creates posts with deliveries of these statuses; later calls create newer posts. Pending deliveries are
   * due in a day, the others were due.
   */
  async function many(count: number, ...mix: readonly DeliveryStatus[]): Promise<void> {
    const { database, profile, connections } = world;
    const [first] = connections as [Connection];
    const days = mix.includes('pending') ? 1 : -1;
    const template = build.post(
      profile,
      mix.map(() => first),
      { scheduledAt: clock.after(days * 86_400_000) },
    );
    const deliveries = template.deliveries.map((each, at) => ({ ...each, status: mix[at] ?? each.status }));
    await prismaRepositories(database.prisma).posts.insert({ ...template, deliveries });
    series += 1;
    const number = Prisma.sql`(${series * 1_000_000}::int + n)::text`;
    const postId = Prisma.sql`'pst_' || lpad(${number}, 26, '0')`;
    const scheduledAt = Prisma.sql`r.scheduled_at + make_interval(secs => n)`;
    await withoutTriggers(database.prisma, async (client) => {
      await copyRow(client, 'posts', {
        id: template.id,
        count,
        changes: { id: postId, scheduled_at: scheduledAt },
      });
      for (const [position, { id }] of deliveries.entries()) {
        await copyRow(client, 'deliveries', {
          id,
          count,
          changes: {
            id: Prisma.sql`'dlv_' || lpad(${number}, 24, '0') || ${String(position)}::text`,
            post_id: postId,
            connection_id: Prisma.sql`(${connections.map((each) => each.id)}::text[])[n % 20 + 1]`,
            scheduled_at: scheduledAt,
          },
        });
      }
    });
    await database.prisma.$executeRaw`DELETE FROM posts WHERE id = ${template.id}`;
  }

  /** Commits here are asynchronous: a row that is not yet in the WAL on disk would not be marked as visible to all. */
  async function tidy(): Promise<void> {
    const { prisma } = world.database;
    await prisma.$transaction(async (client) => {
      await client.$executeRaw`SET LOCAL synchronous_commit = on`;
      await client.$queryRaw`SELECT pg_logical_emit_message(true, 'flush', '')::text`;
    });
    await prisma.$executeRawUnsafe('VACUUM (ANALYZE) posts, deliveries, connections');
  }

  beforeAll(async () => {
    world = await seed('listed_posts');
    await many(5_000, 'published');
    await many(2_000, 'published', 'failed');
    await many(21_000, 'pending');
    await tidy();
  });
  afterAll(() => world?.database.close());

  const look = (wanted: readonly PostStatus[], sort: PostFilter['sort'], after?: string) =>
    explain({ reach: null, statuses: wanted }, sort, after);

  async function explain(filter: Omit<PostFilter, 'sort'>, sort: PostFilter['sort'], after?: string) {
    const asked = selectPostIds(world.profile.workspaceId, filter, { sort, after, limit: 21 });
    const [explained] = await world.database.prisma.$queryRaw<Explained>`
      EXPLAIN (ANALYZE, TIMING OFF, BUFFERS, FORMAT JSON) ${asked}`;
    const found = await world.database.prisma.$queryRaw<{ id: string }[]>(asked);
    const { Plan: plan } = explained['QUERY PLAN'][0];
    return {
      visited: visited(plan),
      blocks: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
      found: found.map(({ id }) => id),
    };
  }
  const sorts = ['-created_at', 'scheduled_at'] as const;
  const here: readonly PostStatus[] = ['published', 'partially_published', 'scheduled'];

  test.each(postStatuses.flatMap((status) => sorts.map((sort) => [status, sort] as const)))(
    'a page of posts that are %s, by %s, visits only the posts that it shows of 28,000 (finding 80)',
    async (status, sort) => {
      const { visited: rows, found } = await look([status], sort);
      expect(found).toHaveLength(here.includes(status) ? 21 : 0);
      expect(rows).toBeLessThanOrEqual(3 * 21);
    },
  );

  test.each([undefined, ['scheduled'] as const])(
    'a page of posts from a time on, of status %s, visits only the posts that it shows (finding 41)',
    async (wanted) => {
      const from = { reach: null, statuses: wanted, scheduledAfter: clock.now() };
      const { visited: rows, found } = await explain(from, 'scheduled_at');
      expect(found).toHaveLength(21);
      expect(rows).toBeLessThanOrEqual(3 * 21);
    },
  );

  test('the newest posts before a time are found below any number of later ones', async () => {
    const [row] = await world.database.query<{ at: Date; all: number }>(
      `SELECT min(scheduled_at) + (max(scheduled_at) - min(scheduled_at)) / 3 AS at, count(*)::int AS all FROM posts`,
      [],
    );
    const at = row?.at ?? new Date(0);
    const expected = await world.database.query<{ id: string }>(
      `SELECT id FROM posts WHERE scheduled_at < $1 ORDER BY id DESC`,
      [at],
    );
    const pages: string[] = [];
    const firstPage = await explain({ reach: null, scheduledBefore: at }, '-created_at');
    for (let after: string | undefined; pages.length < 3 * 20; after = pages.at(-1)) {
      const { found } = await explain({ reach: null, scheduledBefore: at }, '-created_at', after);
      pages.push(...found.slice(0, 20));
    }
    expect(pages).toEqual(expected.slice(0, pages.length).map(({ id }) => id));
    const last = expected.at(-5)?.id;
    const { found: rest } = await explain({ reach: null, scheduledBefore: at }, '-created_at', last);
    expect(rest).toEqual(expected.slice(-4).map(({ id }) => id));
    expect(expected.length).toBeLessThan((row?.all ?? 0) / 2);
    // The newest thousand, and of the others those that match.
    expect(firstPage.visited).toBeLessThanOrEqual(expected.length + 3 * 1000);
    const everything = { reach: null, scheduledBefore: new Date(at.getTime() + 1e13) };
    const { found, visited: rows } = await explain(everything, '-created_at');
    expect(found).toHaveLength(21);
    expect(rows).toBeLessThanOrEqual(1000 + 5 * 21);
  });

  test.each(here.flatMap((status) => sorts.map((sort) => [status, sort] as const)))(
    'the last page of posts that are %s, by %s, reads no more disk pages than the first',
    async (status, sort) => {
      const [id, at] = sort === 'scheduled_at' ? ['max', 'max(scheduled_at)'] : ['min', 'min(scheduled_at)'];
      const wanted = status === 'scheduled' ? 'IS NULL' : `= '${status}'`;
      const [end] = await world.database.query<{ id: string; at: Date }>(
        `SELECT ${id}(id) AS id, ${at} AS at FROM posts WHERE settled_status ${wanted}`,
        [],
      );
      const after = sort === 'scheduled_at' ? `${end?.at.toISOString()} ${end?.id}` : `${end?.id}`;
      const { found, blocks } = await look([status], sort, after);
      expect(found).toEqual([]);
      expect(blocks).toBeLessThanOrEqual(20);
    },
  );

  test.each(sorts)('several statuses together, by %s, visit no more rows than each alone', async (sort) => {
    const { visited: rows, found } = await look(postStatuses, sort);
    expect(found).toHaveLength(21);
    expect(rows).toBeLessThanOrEqual(here.length * 3 * 21);
  });

  test('the few posts of a rare status are found below all the others', async () => {
    for (const status of ['failed', 'missed', 'cancelled', 'deleted', 'needs_review', 'sending'] as const) {
      await many(3, status);
    }
    await many(4_000, 'pending');
    await tidy();
    for (const status of [
      'failed',
      'missed',
      'cancelled',
      'deleted',
      'needs_review',
      'publishing',
    ] as const) {
      for (const sort of sorts) {
        const { visited: rows, found } = await look([status], sort);
        expect({ status, found: found.length }).toEqual({ status, found: 3 });
        expect(rows).toBeLessThanOrEqual(3 * 21);
      }
    }
  });

  test('a page of connections counts at most a thousand waiting deliveries each, and visits no more when more wait (finding 81)', async () => {
    const { workspaceId } = world.profile;
    const page = { limit: 20, after: undefined };
    const explaining: QueryRunner = async (text, values) => {
      const [explained] = await world.database.query<Explained[number]>(
        `EXPLAIN (ANALYZE, TIMING OFF, BUFFERS, FORMAT JSON) ${text}`,
        values,
      );
      rows = visited(explained?.['QUERY PLAN'][0].Plan as PlanNode);
      return [];
    };
    let rows = 0;
    await queryConnectionViews(explaining, workspaceId, { reach: null }, page);
    expect(rows).toBeLessThanOrEqual(20 * (SCHEDULED_POSTS_MAX + 3));
    const views = await queryConnectionViews(world.database.query, workspaceId, { reach: null }, page);
    const [soonest] = await world.database.query<{ at: Date }>(
      `SELECT min(scheduled_at) AS at FROM deliveries WHERE connection_id = $1 AND status = 'pending'`,
      [views[0]?.connection.id],
    );
    expect(views.map(({ scheduledPosts }) => scheduledPosts)).toEqual(views.map(() => SCHEDULED_POSTS_MAX));
    expect(views[0]?.nextPostAt).toEqual(soonest?.at);
  });
});

describe('the settled status of a post', () => {
  const unsettled: readonly DeliveryStatus[] = ['pending', 'sending', 'retrying', 'blocked', 'unknown'];
  let world: Awaited<ReturnType<typeof seed>>;
  beforeAll(async () => {
    world = await seed('settled_status');
  });
  afterAll(() => world?.database.close());

  /** Computed by the domain's rule: null while a delivery is open, unless a person has to decide. */
  async function drifted() {
    const { database, profile } = world;
    const stored = await database.query<{ id: string; settled_status: string | null }>(
      'SELECT id, settled_status FROM posts WHERE workspace_id = $1',
      [profile.workspaceId],
    );
    const known = new Map(stored.map((row) => [row.id, row.settled_status]));
    const posts = await prismaRepositories(database.prisma).posts.listByIds([...known.keys()] as never);
    return posts.flatMap(({ id, deliveries }) => {
      const toCome =
        deliveries.some(({ status }) => unsettled.includes(status)) &&
        deliveries.every(({ status }) => status !== 'needs_review');
      const derived = toCome ? null : postStatus(deliveries, clock.now());
      return known.get(id) === derived ? [] : [{ id, stored: known.get(id), derived }];
    });
  }

  test('never drifts from its deliveries under concurrent changes', async () => {
    const { database, profile, connections } = world;
    const transactions = prismaTransactions(database.prisma, {
      ids,
      clock,
      jobsIn: () => ({ enqueue: () => Promise.resolve() }),
    });
    const { posts, deliveries } = prismaRepositories(database.prisma);
    const { workspaceId } = profile;
    const made = Array.from({ length: 12 }, () => build.post(profile, connections.slice(0, 4)));
    for (const post of made) await posts.find(workspaceId, post.id);
    await transactions.run(async (tx) => {
      for (const post of made) await tx.posts.insert(post);
      return { ok: true, value: undefined };
    });
    const endings = [
      'published',
      'failed',
      'missed',
      'needs_review',
      'deleted',
      'retrying',
      'unknown',
    ] as const;
    const change = (work: Parameters<typeof transactions.run>[0]) => transactions.run(work);
    let seed = 7;
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const one = <Item>(of: readonly Item[]) => of[random(of.length)] as Item;

    /**
     * As an operator would, in no particular order: PostgreSQL rolls back one of two deadlocked statements.
     */
    const raw = (text: string, ...values: readonly string[]) =>
      database.query(text, [workspaceId, one(made).id, ...values]).catch((error: { code?: string }) => {
        if (error.code !== '40P01') throw error;
      });
    /** The changes that a worker, a caller and a person make, without their rules. */
    const steps: readonly (() => Promise<unknown>)[] = [
      () =>
        change(async (tx) => {
          const { deliveries } = one(made);
          const chosen = deliveries.filter(() => random(2) === 0);
          const now = await Promise.all(chosen.map(({ id }) => tx.deliveries.find(workspaceId, id)));
          await tx.deliveries.settle(
            now.flatMap((each) => {
              const status = one(endings);
              const publishedAt = random(2) === 0 ? clock.now() : null;
              return each ? [{ id: each.id, epoch: each.epoch, changes: { status, publishedAt } }] : [];
            }),
          );
          return { ok: true, value: undefined };
        }),
      () => deliveries.claim('deliver', { id: one(one(made).deliveries).id }, 60),
      () => deliveries.claim('read_back', { id: one(one(made).deliveries).id }, 60),
      () =>
        change(async (tx) => ({
          ok: true,
          value: await tx.deliveries.cancelUnsent(
            workspaceId,
            one(made).id,
            one(made).deliveries.map(({ id }) => id),
          ),
        })),
      () =>
        change(async (tx) => ({
          ok: true,
          value: await tx.deliveries.unblock(workspaceId, one(connections).id),
        })),
      () =>
        change(async (tx) => {
          const post = await tx.posts.lock(workspaceId, one(made).id);
          if (post) await tx.posts.rewrite({ ...post, deliveries: post.deliveries.slice(random(2)) });
          return { ok: true, value: undefined };
        }),
      () =>
        change(async (tx) => {
          const post = await tx.posts.lock(workspaceId, one(made).id);
          if (!post || post.deliveries.length > 5) return { ok: true, value: undefined };
          const status = one([...endings, 'pending'] as const);
          const more = build.delivery(one(connections), { postId: post.id, workspaceId, status });
          await tx.posts.rewrite({ ...post, deliveries: [...post.deliveries, more] });
          return { ok: true, value: undefined };
        }),
      () => raw('UPDATE deliveries SET status = $3 WHERE workspace_id = $1 AND post_id = $2', one(endings)),
      () => raw('DELETE FROM deliveries WHERE workspace_id = $1 AND post_id = $2 AND position > 2'),
    ];
    for (let round = 0; round < repetitions({ few: 2, many: 6 }); round += 1) {
      await Promise.all(
        Array.from({ length: 8 }, async () => {
          for (let count = 0; count < 12; count += 1) await one(steps)();
        }),
      );
      expect(await drifted()).toEqual([]);
    }
  }, 120_000);

  test('is what the migration writes for existing posts', async () => {
    const { database, profile } = world;
    const migrations = path.resolve(import.meta.dirname, '../../../prisma/migrations');
    const name = (await readdir(migrations)).find((each) => each.endsWith('_post_settled_status')) ?? '';
    const script = await readFile(path.join(migrations, name, 'migration.sql'), 'utf8');
    const updates = script.match(/^UPDATE posts p SET[^;]*;/gm) ?? [];
    expect(updates).toHaveLength(2);
    const drafts = build.post(profile, [], { draft: true, deliveries: [] });
    await prismaRepositories(database.prisma).posts.insert(drafts);
    await database.query('UPDATE posts SET settled_status = NULL', []);
    expect((await drifted()).length).toBeGreaterThan(0);
    for (const update of updates) await database.query(update, []);
    expect(await drifted()).toEqual([]);
  });
});
