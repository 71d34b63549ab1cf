/** For tests: a year of published posts, whose metrics are summed. */
import type { ConnectionId, WorkspaceId } from '@switchboard/domain';
import type { Clock } from '@switchboard/domain/ports';
import { builders, countedIds } from '@switchboard/domain/testing';
import { copyRow, withoutTriggers } from './copy-rows.js';
import { Prisma } from './generated/client.js';
import { prismaRepositories, sumInvalidatedDays, type Database } from './index.js';

export const YEAR_POSTS = 12_000;
const DAYS = 300;
const DAY_MS = 86_400_000;
const END = Date.parse('2026-11-01T12:00:00Z');
const clock: Clock = {
  now: () => new Date(END),
  after: (ms) => new Date(END + ms),
  sleep: async () => undefined,
};

/** Which includes all posts. */
export const yearRange = { from: new Date('2025-12-01T00:00:00Z'), to: new Date('2026-11-30T00:00:00Z') };

export interface SeededYear {
  readonly workspaceId: WorkspaceId;
  readonly connectionIds: readonly ConnectionId[];
}

/** Ten posts a day on each of four accounts, and one before. Views are known of none, and saves are zero. */
export async function seedYear({ prisma }: Database): Promise<SeededYear> {
  const build = builders({ clock, ids: countedIds(clock) });
  const tables = prismaRepositories(prisma);
  const workspace = build.workspace();
  const profile = build.profile(workspace);
  const connections = Array.from({ length: 4 }, () => build.connection(profile));
  const [connection] = connections;
  if (!connection) throw new Error('no connection');
  const connectionIds = connections.map(({ id }) => id);
  await tables.workspaces.insert(workspace);
  await tables.profiles.insert(profile);
  for (const each of connections) await tables.connections.insert(each);
  const publishedAt = clock.after(-(DAYS + 1) * DAY_MS);
  const post = build.post(profile, [connection], {}, { status: 'published', publishedAt });
  const id = post.deliveries[0]?.id ?? '';
  await tables.posts.insert(post);
  const numbered = (kind: string) => Prisma.sql`${kind}::text || lpad(n::text, 26, '0')`;
  const later = Prisma.sql`r.published_at + make_interval(secs => n * ${(DAYS * 86_400) / YEAR_POSTS}::int)`;
  await withoutTriggers(prisma, async (client) => {
    await copyRow(client, 'posts', { id: post.id, count: YEAR_POSTS, changes: { id: numbered('pst_') } });
    await copyRow(client, 'deliveries', {
      id,
      count: YEAR_POSTS,
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
      FROM deliveries WHERE id <> ${id}`;
  });
  await prisma.$executeRaw`
    INSERT INTO invalidated_metric_days (workspace_id, connection_id, day)
    SELECT DISTINCT workspace_id, connection_id, (published_at AT TIME ZONE 'UTC')::date
    FROM latest_metrics WHERE published_at IS NOT NULL`;
  while ((await sumInvalidatedDays(prisma)) > 0);
  await prisma.$executeRawUnsafe('VACUUM (ANALYZE)');
  return { workspaceId: workspace.id, connectionIds };
}
