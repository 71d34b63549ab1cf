import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { builders, countedIds } from '@switchboard/domain/testing';
import { SCHEDULED_POSTS_MAX, type Connection } from '@switchboard/domain/connections';
import { noMetrics } from '@switchboard/domain/analytics';
import type { Clock, PostFilter, PostSumsQuery, Repositories } from '@switchboard/domain/ports';
import type { Post } from '@switchboard/domain/posts';
import type { Profile } from '@switchboard/domain/profiles';
import type { ConnectionId, DeliveryId, WebhookId, WorkspaceId } from '@switchboard/domain';
import type { DatabaseClient } from './columns.js';
import { copyRow, withoutTriggers } from './copy-rows.js';
import { Prisma } from './generated/client.js';
import {
  openDatabase,
  prismaIdempotency,
  prismaRepositories,
  sumInvalidatedDays,
  type Database,
} from './index.js';
import { plansOf, planningOf, rowsRead } from './query-plans.js';
import { testDatabase } from './testing.js';

const clock: Clock = {
  now: () => new Date(),
  after: (ms) => new Date(Date.now() + ms),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};
const build = builders({ clock, ids: countedIds(clock) });
const DAY_MS = 86_400_000;
const page = { limit: 20, after: undefined };
/** Of a page of 20 and one more: each row with its deliveries, by two statements at most. */
const PAGE_ROWS = 6 * 21;

let url: string;
let database: Database;
let profile: Profile;
let connection: Connection;
let connectionIds: readonly ConnectionId[];
let post: Post;
let workspaceId: WorkspaceId;

/**
 * One workspace with 20,000 published and as many waiting posts over 20 connections, another with 6,000
 * published ones on a platform and with metadata that the first one does not have, and both with thousands of
 * rows of everything else.
 */
beforeAll(async () => {
  url = await testDatabase('statement_plans');
  database = openDatabase(url, { max: 4 });
  const tables = prismaRepositories(database.prisma);
  const [workspace, other] = [build.workspace(), build.workspace()];
  profile = build.profile(workspace);
  workspaceId = profile.workspaceId;
  const otherProfile = build.profile(other);
  const connections = Array.from({ length: 20 }, () => build.connection(profile));
  const foreign = build.connection(otherProfile, { platform: 'elsewhere', metadata: { tier: 'gold' } });
  connection = connections[0] as Connection;
  connectionIds = connections.map(({ id }) => id);
  for (const each of [workspace, other]) await tables.workspaces.insert(each);
  for (const each of [profile, otherProfile]) await tables.profiles.insert(each);
  for (const each of [...connections, foreign]) await tables.connections.insert(each);
  const published = { status: 'published', publishedAt: clock.after(-DAY_MS) } as const;
  const past = { scheduledAt: clock.after(-30 * DAY_MS), metadata: { env: 'prod' } };
  const template = build.post(profile, [connection], past, published);
  post = template;
  const waiting = build.post(profile, [connection], { scheduledAt: clock.after(DAY_MS) });
  const ofOthers = build.post(otherProfile, [foreign], { metadata: { campaign: 'spring' } }, published);
  for (const each of [template, waiting, ofOthers]) await tables.posts.insert(each);
  await withoutTriggers(database.prisma, async (client) => {
    await copy(client, template, 'a', 20_000, connectionIds);
    await copy(client, waiting, 'b', 20_000, connectionIds);
    await copy(client, ofOthers, 'c', 6_000, [foreign.id]);
    await fillOthers(client, connection, 'a', 6_000);
    await fillOthers(client, foreign, 'b', 6_000);
  });
  // A trigger decides when they are due.
  await database.prisma.$executeRaw`
    INSERT INTO credentials (connection_id, workspace_id, generation, sealed, access_expires_at, renewed_at)
    SELECT id, workspace_id, 1, '', now() + interval '8 days', now() FROM connections`;
  await database.prisma.$executeRaw`
    INSERT INTO invalidated_metric_days (workspace_id, connection_id, day)
    SELECT DISTINCT workspace_id, connection_id, (published_at AT TIME ZONE 'UTC')::date
    FROM latest_metrics WHERE published_at IS NOT NULL`;
  while ((await sumInvalidatedDays(database.prisma)) > 0);
  const [one] = await database.prisma.$queryRaw<{ id: DeliveryId }[]>`
    SELECT delivery_id AS id FROM latest_metrics WHERE connection_id = ${connection.id} AND delivery_id IS NOT NULL LIMIT 1`;
  const reading = {
    workspaceId,
    connectionId: connection.id,
    metrics: noMetrics,
    takenAt: clock.after(1000),
  };
  await tables.snapshots.insert([{ ...reading, deliveryId: one?.id as DeliveryId }]);
  await database.prisma.$executeRawUnsafe('VACUUM (ANALYZE)');
}, 600_000);
afterAll(() => database?.close());

/** Copies a post with its delivery and an attempt, a second apart, with an external id. */
async function copy(
  client: DatabaseClient,
  { id, deliveries }: Post,
  prefix: string,
  count: number,
  accounts: readonly string[],
) {
  const numbered = (kind: string) => Prisma.sql`${kind}::text || ${prefix}::text || lpad(n::text, 25, '0')`;
  await copyRow(client, 'posts', {
    id,
    count,
    changes: {
      id: numbered('pst_'),
      external_id: Prisma.sql`${prefix}::text || n`,
      scheduled_at: Prisma.sql`r.scheduled_at + make_interval(secs => n)`,
    },
  });
  const [delivery] = deliveries;
  await copyRow(client, 'deliveries', {
    id: delivery?.id ?? '',
    count,
    changes: {
      id: numbered('dlv_'),
      post_id: numbered('pst_'),
      content_digest: Prisma.sql`${prefix}::text || n`,
      connection_id: Prisma.sql`(${[...accounts]}::text[])[n % ${accounts.length}::int + 1]`,
      scheduled_at: Prisma.sql`r.scheduled_at + make_interval(secs => n)`,
      published_at: Prisma.sql`r.published_at + make_interval(secs => n)`,
    },
  });
  await client.$executeRaw`
    INSERT INTO delivery_attempts (id, workspace_id, delivery_id, epoch, kind, outcome, at)
    SELECT 'att_' || id, workspace_id, id, 1, 'attempt', 'published', now() FROM deliveries
    WHERE starts_with(id, 'dlv_' || ${prefix}::text)`;
  await client.$executeRaw`
    INSERT INTO latest_metrics (subject, workspace_id, connection_id, delivery_id, post_id, published_at, taken_at)
    SELECT id, workspace_id, connection_id, id, post_id, published_at, now() FROM deliveries
    WHERE starts_with(id, 'dlv_' || ${prefix}::text) AND status = 'published'`;
}

/** Rows of everything else in the workspace of a connection, whose ids have this prefix. */
async function fillOthers(client: DatabaseClient, own: Connection, prefix: string, count: number) {
  const workspace = own.workspaceId;
  const refund = build.refund(own, { status: 'succeeded' });
  await prismaRepositories(client).refunds.insert(refund);
  await copyRow(client, 'refunds', {
    id: refund.id,
    count,
    changes: {
      id: Prisma.sql`'rfd_' || ${prefix}::text || n`,
      order_external_id: Prisma.sql`n::text`,
      idempotency_key: Prisma.sql`n::text`,
    },
  });
  await client.$executeRaw`
    INSERT INTO audit_rows (id, workspace_id, actor, action, object, outcome, request_id, details, created_at)
    SELECT 'aud_' || ${prefix}::text || n, ${workspace}, 'key_' || n % 50, 'action_' || n % 30, 'pst_' || n, 'ok', '',
      '{}', now() - make_interval(secs => n) FROM generate_series(1, ${count}::int) AS n`;
  await client.$executeRaw`
    INSERT INTO events (id, workspace_id, type, data, created_at)
    SELECT 'evt_' || ${prefix}::text || n, ${workspace}, 'post.published', '{}',
      now() + make_interval(secs => n - ${count}::int) FROM generate_series(1, ${count}::int) AS n`;
  await client.$executeRaw`
    INSERT INTO webhooks (id, workspace_id, url, events, hide_personal_data, created_at, generation, sealed_secret, position)
    SELECT 'whk_' || ${prefix}::text, ${workspace}, '', '{post.*}', false, now(), 1, '', max(seq) FROM events`;
  await client.$executeRaw`
    INSERT INTO webhook_deliveries (id, workspace_id, webhook_id, event_id, event_type, status, settled_at)
    SELECT 'whd_' || ${prefix}::text || n, ${workspace}, 'whk_' || ${prefix}::text, 'evt_' || ${prefix}::text || n,
      'post.published', 'delivered', now() FROM generate_series(1, ${count}::int) AS n`;
  await client.$executeRaw`
    INSERT INTO idempotency_keys (workspace_id, operation, lineage, key, fingerprint, created_at)
    SELECT ${workspace}, 'createPost', 'l', n::text, '', now() FROM generate_series(1, ${count}::int) AS n`;
  await copyRow(client, 'connections', {
    id: own.id,
    count,
    changes: {
      id: Prisma.sql`'con_' || ${prefix}::text || n`,
      account_id: Prisma.sql`n::text`,
      external_id: Prisma.sql`n::text`,
      metadata: Prisma.sql`jsonb_build_object('customer', n::text)`,
    },
  });
  await client.$executeRaw`
    INSERT INTO order_watches (connection_id, workspace_id, since, position, next_poll_at)
    SELECT id, workspace_id, now(), now(), now() + interval '1 hour' FROM connections WHERE workspace_id = ${workspace}`;
  await client.$executeRaw`
    INSERT INTO store_webhooks (connection_id, workspace_id, address, external_ids, next_attempt_at)
    SELECT id, workspace_id, id, '{}', now() + interval '1 hour' FROM connections WHERE workspace_id = ${workspace}`;
  await client.$executeRaw`
    INSERT INTO store_webhook_deliveries (connection_id, delivery_id, workspace_id)
    SELECT ${own.id}, n::text, ${workspace} FROM generate_series(1, ${count}::int) AS n`;
  await client.$executeRaw`
    INSERT INTO watched_orders (connection_id, external_id, workspace_id, digests, reported)
    SELECT ${own.id}, n::text, ${workspace}, ARRAY[n::text], true FROM generate_series(1, ${count}::int) AS n`;
  await copyRow(client, 'profiles', {
    id: own.profileId,
    count,
    changes: {
      id: Prisma.sql`'prf_' || ${prefix}::text || n`,
      name: Prisma.sql`'n' || n`,
      external_id: Prisma.sql`n::text`,
    },
  });
  await client.$executeRaw`
    INSERT INTO api_keys (id, workspace_id, public_id, lineage, name, policy, hash, created_at)
    SELECT 'key_' || ${prefix}::text || n, ${workspace}, ${prefix}::text || n, 'l' || n, '', '{}', '', now()
    FROM generate_series(1, ${count}::int) AS n`;
  await client.$executeRaw`
    INSERT INTO media (id, workspace_id, status, source, lineage, file_name, type, attempts, created_at)
    SELECT 'med_' || ${prefix}::text || n, ${workspace}, 'ready', 'upload', 'l', ${prefix}::text || n, 'image/png', 0,
      now() FROM generate_series(1, ${count}::int) AS n`;
  await client.$executeRaw`
    INSERT INTO approvals (id, workspace_id, kind, status, summary, post_id, digests, requested_by, requesters,
      requested_at, expires_at, decided_at)
    SELECT 'apr_' || ${prefix}::text || n, ${workspace}, 'post', CASE WHEN n % 3 = 0 THEN 'pending' ELSE 'approved' END,
      '', 'pst_' || n, '{}', 'key_1', '{}', now(), now() + interval '1 day', CASE WHEN n % 3 > 0 THEN now() END
    FROM generate_series(1, ${count}::int) AS n`;
  await client.$executeRaw`
    INSERT INTO metric_sums (workspace_id, connection_id, is_month, starts_on, position, post_count, unread_count, first_published_at)
    SELECT ${workspace}, ${own.id}, false, current_date - 400 - n, 1, 1, 0, now() FROM generate_series(1, ${count}::int) AS n`;
}

interface HotStatement {
  readonly run: (tables: Repositories) => Promise<unknown>;
  readonly indexes: readonly string[];
  /** The most rows and index entries that its statements may visit; by default those of a page. */
  readonly visits?: number;
}

const listPosts = (filter: Partial<PostFilter>): HotStatement['run'] => {
  return ({ posts }) => posts.list(workspaceId, { reach: null, sort: '-created_at', ...filter }, page);
};
const listConnections =
  (filter: object): HotStatement['run'] =>
  ({ connections }) =>
    connections.list(workspaceId, { reach: null, ...filter }, page);
const readAnalytics =
  (
    grouping: PostSumsQuery['grouping'],
    source: PostSumsQuery['source'] = 'switchboard',
  ): HotStatement['run'] =>
  ({ snapshots }) =>
    snapshots.sumPosts(workspaceId, { ...lastDays(), source, intervals: [], basis: 'published', grouping });
const lastDays = () => ({
  connectionIds,
  source: 'switchboard' as const,
  from: clock.after(-9 * DAY_MS),
  to: clock.after(2 * DAY_MS),
});
const byPage = ['deliveries_workspace_id_post_id_position_key'];

/** What requests read and write. */
const ofRequests: Readonly<Record<string, HotStatement>> = {
  'a key by its public id': {
    run: ({ apiKeys }) => apiKeys.findAllByPublicId(['a7']),
    indexes: ['api_keys_public_id_key'],
  },
  'a post': {
    run: ({ posts }) => posts.find(workspaceId, post.id),
    indexes: ['posts_workspace_id_id_key', ...byPage],
  },
  'the history of a post': {
    run: ({ deliveries }) => deliveries.listHistory(workspaceId, post.id),
    indexes: ['delivery_attempts_workspace_id_delivery_id_at_id_idx', ...byPage],
  },
  'the newest posts': { run: listPosts({}), indexes: ['posts_workspace_id_id_key', ...byPage] },
  'posts by time': {
    run: listPosts({ sort: 'scheduled_at' }),
    indexes: ['posts_workspace_id_scheduled_at_id_idx', ...byPage],
  },
  'the newest of the posts before a time': {
    // 3,000 of 26,000, older than 6,000 later ones.
    run: listPosts({ scheduledBefore: clock.after(-30 * DAY_MS + 3_000_000) }),
    indexes: ['posts_workspace_id_id_key', 'posts_workspace_id_scheduled_at_id_idx', ...byPage],
    visits: 4000 + PAGE_ROWS,
  },
  'failed posts (finding 80)': {
    run: listPosts({ statuses: ['failed'] }),
    indexes: ['posts_status_idx'],
  },
  'scheduled posts by time (finding 87)': {
    run: listPosts({ statuses: ['scheduled'], sort: 'scheduled_at' }),
    indexes: ['posts_status_by_time_idx', ...byPage],
  },
  'posts by external id (finding 87)': {
    run: listPosts({ externalId: 'a77' }),
    indexes: ['posts_external_id_idx', ...byPage],
  },
  'posts by metadata that all have (finding 87)': {
    run: listPosts({ metadata: { env: 'prod' } }),
    indexes: byPage,
    // In the order of the list: the 20,000 newest posts have none, and 6,000 of others may precede them.
    visits: 26_000 + PAGE_ROWS,
  },
  'posts by metadata that only another workspace has (finding 87)': {
    run: listPosts({ metadata: { campaign: 'spring' } }),
    indexes: ['posts_metadata_idx'],
  },
  'posts by metadata that none has, by time (finding 87)': {
    run: listPosts({ metadata: { campaign: 'none' }, sort: 'scheduled_at' }),
    indexes: ['posts_metadata_idx'],
  },
  'posts of a platform that all have (finding 87)': {
    run: listPosts({ platforms: ['sandbox_social'] }),
    indexes: ['posts_workspace_id_id_key', ...byPage],
  },
  'posts of a platform that only another workspace has (finding 87)': {
    run: listPosts({ platforms: ['elsewhere'] }),
    indexes: ['deliveries_workspace_id_platform_post_id_idx'],
  },
  'posts that were published after a time (finding 86)': {
    run: listPosts({ publishedAfter: clock.after(DAY_MS) }),
    indexes: ['deliveries_published_idx'],
  },
  'scheduled posts of which a part was published': {
    run: listPosts({ statuses: ['scheduled'], publishedAfter: clock.after(-400 * DAY_MS) }),
    indexes: ['posts_own_times_idx'],
  },
  'analytics by platform (finding 86)': {
    run: (tables) => readAnalytics({ by: 'platform', keys: connectionIds })(tables),
    indexes: [
      'metric_sums_pkey',
      'latest_metrics_workspace_id_connection_id_published_at_idx',
      'latest_metrics_post_idx',
    ],
    // Two days of each account, and all posts of one account and day.
    visits: 5400,
  },
  'analytics by post': {
    run: readAnalytics({ by: 'post', sort: 'key', page }),
    indexes: ['metric_sums_pkey', 'latest_metrics_post_idx'],
    visits: 5400 + PAGE_ROWS,
  },
  'posts with outdated metrics': {
    run: ({ snapshots }) => snapshots.listStale(workspaceId, lastDays(), clock.now()),
    indexes: ['metric_sums_pkey', 'latest_metrics_workspace_id_connection_id_published_at_idx'],
    visits: 5400,
  },
  'the events of a period': {
    run: ({ events }) => events.findRange(workspaceId, clock.after(-7_200_000), clock.after(-7_180_000)),
    indexes: ['events_workspace_id_created_at_seq_idx'],
  },
  'a duplicate': {
    run: ({ posts }) => posts.findDuplicate(workspaceId, connection.id, 'a19', clock.now()),
    indexes: ['deliveries_workspace_id_connection_id_content_digest_idx'],
  },
  'posts in review': {
    run: ({ deliveries }) => deliveries.listInReview(workspaceId, null, page),
    indexes: ['deliveries_in_review_idx'],
  },
  'missed posts': {
    run: ({ deliveries }) =>
      deliveries.listUnpublished(workspaceId, 'missed', null, clock.after(-DAY_MS), page),
    indexes: ['deliveries_missed_idx'],
  },
  'the newest connections (finding 81)': {
    run: listConnections({}),
    indexes: ['connections_workspace_id_id_key', 'deliveries_unsent_idx'],
    visits: 20 * SCHEDULED_POSTS_MAX,
  },
  'one connection (finding 89)': {
    run: (tables) => listConnections({ ids: [connection.id] })(tables),
    indexes: ['connections_pkey', 'deliveries_unsent_idx'],
    visits: SCHEDULED_POSTS_MAX + 10,
  },
  'connections of a platform': {
    run: listConnections({ platforms: ['elsewhere'] }),
    indexes: ['connections_workspace_id_platform_id_idx'],
  },
  'connections by kind': {
    run: listConnections({ kind: 'commerce' }),
    indexes: ['connections_workspace_id_kind_id_idx'],
  },
  'connections by status': {
    run: listConnections({ statuses: ['needs_reauth'] }),
    indexes: ['connections_workspace_id_status_id_idx'],
  },
  'connections by external id': {
    run: listConnections({ externalId: '77' }),
    indexes: ['connections_workspace_id_external_id_id_idx'],
  },
  'connections by metadata': {
    run: listConnections({ metadata: { customer: '77' } }),
    indexes: ['connections_metadata_idx'],
    // Intersected with the index entries of the workspace.
    visits: 6020 + PAGE_ROWS,
  },
  'profiles by external id': {
    run: ({ profiles }) => profiles.list(workspaceId, { reach: null, externalId: '77' }, page),
    indexes: ['profiles_workspace_id_external_id_idx'],
  },
  'profiles by name': {
    run: ({ profiles }) => profiles.list(workspaceId, { reach: null, name: 'N77' }, page),
    indexes: ['profiles_name_idx'],
  },
  'the newest media': {
    run: ({ media }) => media.list(workspaceId, { lineage: null }, page),
    indexes: ['media_workspace_id_id_key'],
  },
  'refunds of an order': {
    run: ({ refunds }) => refunds.list(workspaceId, { reach: null, orderExternalId: '77' }, page),
    indexes: ['refunds_workspace_id_order_external_id_id_idx'],
  },
  'the newest audit rows': {
    run: ({ auditTrail }) => auditTrail.list(workspaceId, {}, page),
    indexes: ['audit_rows_workspace_id_created_at_id_idx'],
  },
  'audit rows of an actor (finding 87)': {
    run: ({ auditTrail }) => auditTrail.list(workspaceId, { actor: 'none' }, page),
    indexes: ['audit_rows_workspace_id_actor_created_at_id_action_idx'],
  },
  'audit rows of an actor and an action that are frequent, but never together': {
    run: ({ auditTrail }) => auditTrail.list(workspaceId, { actor: 'key_1', action: 'action_2' }, page),
    indexes: ['audit_rows_workspace_id_actor_created_at_id_action_idx'],
    visits: 10,
  },
  'audit rows of an action (finding 87)': {
    run: ({ auditTrail }) => auditTrail.list(workspaceId, { action: 'none' }, page),
    indexes: ['audit_rows_workspace_id_action_created_at_id_idx'],
  },
  'audit rows of an object': {
    run: ({ auditTrail }) => auditTrail.list(workspaceId, { object: 'none' }, page),
    indexes: ['audit_rows_workspace_id_object_created_at_id_idx'],
  },
  'the deliveries of a webhook': {
    run: ({ webhooks }) => webhooks.listDeliveries(workspaceId, 'whk_a' as WebhookId, {}, page),
    indexes: ['webhook_deliveries_workspace_id_webhook_id_id_idx'],
  },
  'the oldest undelivered event': {
    run: ({ webhooks }) => webhooks.findOldestUndelivered(),
    indexes: ['events_workspace_id_seq_idx', 'webhook_deliveries_started_idx'],
    visits: 10,
  },
  'requests that wait for an approval': {
    run: ({ approvals }) => approvals.list(workspaceId, { reach: null, statuses: ['pending'] }, page),
    indexes: ['approvals_workspace_id_status_id_idx'],
  },
  'the last events': {
    run: ({ events }) => events.list(workspaceId, { reach: null }, { limit: 20, after: '19990' }),
    indexes: ['events_workspace_id_seq_idx'],
  },
};

const room = { limit: 1, perConnection: 4, remaining: new Map<ConnectionId, number>() };

/** What a worker sends again and again, although nothing is due. */
const atRest: Readonly<Record<string, HotStatement>> = {
  'requests for an approval that have expired': {
    run: ({ approvals }) => approvals.listExpired(100),
    indexes: ['approvals_expiring_idx'],
    visits: 5,
  },
  'warnings of the expiry of logins': {
    run: ({ connections }) => connections.listWarningsDue(100),
    indexes: ['connections_warning_idx'],
    visits: 5,
  },
  'deliveries that are due (finding 82)': {
    run: ({ deliveries }) => deliveries.listDue(1),
    indexes: ['deliveries_due_idx'],
    visits: 5,
  },
  'deliveries to make': {
    run: ({ deliveries }) => deliveries.claim('deliver', room, 60),
    indexes: ['deliveries_due_idx'],
    visits: 5,
  },
  'the backlog of deliveries': {
    run: ({ deliveries }) => deliveries.measureBacklog(10_000),
    indexes: ['deliveries_due_idx'],
    visits: 5,
  },
  'the next delivery': {
    run: ({ deliveries }) => deliveries.findNextDueInMs(2000),
    indexes: ['deliveries_due_idx'],
    visits: 5,
  },
  'links to look up': {
    run: ({ deliveries }) => deliveries.claimUnresolvedUrls(10, [60]),
    indexes: ['deliveries_url_unresolved_idx'],
    visits: 5,
  },
  'edits to make': {
    run: ({ deliveries }) => deliveries.claimEdits(20, 60),
    indexes: ['deliveries_edits_idx'],
    visits: 5,
  },
  'credentials to renew (finding 83)': {
    run: ({ credentials }) => credentials.listDue(['sandbox_social'], 100),
    indexes: ['credentials_renewal_idx'],
    visits: 5,
  },
  'stores whose orders are due to be read': {
    run: ({ orderWatches }) => orderWatches.claimDue(20, 60),
    indexes: ['order_watches_next_poll_at_idx'],
    visits: 5,
  },
  'stores whose webhooks are due to be registered': {
    run: ({ storeWebhooks }) => storeWebhooks.claimDue(10, 60),
    indexes: ['store_webhooks_next_attempt_at_idx'],
    visits: 5,
  },
  'refunds to send': {
    run: ({ refunds }) => refunds.listUnsettled(50),
    indexes: ['refunds_unsettled_idx'],
    visits: 5,
  },
  'webhooks with something to send': {
    run: ({ webhooks }) => webhooks.claimLanes({ lanes: 200, failing: 100 }, 60),
    indexes: ['events_workspace_id_seq_idx', 'webhook_deliveries_due_idx'],
    visits: 10,
  },
  'media to fetch': {
    run: ({ media }) => media.listToFetch({ limit: 10, perWorkspace: 2, inProgress: new Map() }),
    indexes: ['media_to_fetch_idx'],
    visits: 5,
  },
};

/** Tables of any size; the others have few rows, or are empty here. */
const growing = [
  'approvals',
  'api_keys',
  'audit_rows',
  'connections',
  'credentials',
  'deliveries',
  'delivery_attempts',
  'events',
  'idempotency_keys',
  'latest_metrics',
  'media',
  'metric_sums',
  'order_watches',
  'posts',
  'profiles',
  'refunds',
  'store_webhook_deliveries',
  'store_webhooks',
  'watched_orders',
  'webhook_deliveries',
];

describe.each([
  ['a request', ofRequests],
  ['a worker at rest', atRest],
] as const)('%s', (_who, statements) => {
  test.each(Object.entries(statements))('reads %s by index', async (_what, { run, indexes, visits }) => {
    const plans = await plansOf(url, () => run(prismaRepositories(database.prisma)));
    expect(plans.length).toBeGreaterThan(0);
    const used = new Set(plans.flatMap((plan) => plan.indexes));
    expect([...used].filter((name) => indexes.includes(name)).sort()).toEqual([...indexes].sort());
    expect(
      plans.flatMap(({ scannedTables }) => scannedTables).filter((name) => growing.includes(name)),
    ).toEqual([]);
    const rows = plans.reduce((sum, plan) => sum + plan.visited, 0);
    expect(rows).toBeLessThanOrEqual(visits ?? PAGE_ROWS);
  });
});

test.each([
  ...Object.keys(atRest),
  'a key by its public id',
  'a post',
  'one connection (finding 89)',
  'the newest posts',
  'posts by time',
  'posts by external id (finding 87)',
  'profiles by name',
  'the newest audit rows',
])('plans %s once, not at each execution', async (name) => {
  const { run } = { ...ofRequests, ...atRest }[name] as HotStatement;
  const statements = await planningOf(url, () => run(prismaRepositories(database.prisma)));
  expect(statements.length).toBeGreaterThan(0);
  expect(statements.filter(({ isPlannedOnce }) => !isPlannedOnce)).toEqual([]);
});

test.each(['switchboard', 'all'] as const)(
  'the posts of a report are read once to sort them by a metric, and those of the page by index: %s',
  async (source) => {
    const [plan] = await plansOf(url, () =>
      readAnalytics({ by: 'post', sort: '-likes', page }, source)(prismaRepositories(database.prisma)),
    );
    const [{ rows } = { rows: 0 }] = await database.prisma.$queryRaw<{ rows: number }[]>`
      SELECT count(*)::int AS rows FROM latest_metrics`;
    expect(plan?.indexes).toContain('latest_metrics_post_idx');
    expect(plan?.visited).toBeLessThan(2 * rows);
  },
);

test('the publication of a post reads the metrics of that post only, in triggers as well', async () => {
  const [own] = await database.prisma.$queryRaw<{ id: DeliveryId; epoch: number; publishedAt: Date }[]>`
    SELECT id, epoch, published_at AS "publishedAt" FROM deliveries WHERE starts_with(id, 'dlv_a') LIMIT 1`;
  if (!own) throw new Error('no post is published');
  const { id, epoch } = own;
  const publishedAt = new Date(own.publishedAt.getTime() - DAY_MS);
  const read = await rowsRead(
    database.prisma,
    (client) =>
      prismaRepositories(client).deliveries.settle([
        { id, epoch, changes: { status: 'published', publishedAt } },
      ]),
    ['latest_metrics'],
  );
  expect(read).toBeGreaterThan(0);
  expect(read).toBeLessThan(100);
});

test('a settlement reads its own deliveries only, also where a few thousand exist', async () => {
  const few = openDatabase(await testDatabase('plans_few'), { max: 2 });
  try {
    const tables = prismaRepositories(few.prisma);
    const workspace = build.workspace();
    const owner = build.profile(workspace);
    const account = build.connection(owner);
    const template = build.post(owner, [account], {}, { status: 'sending' });
    await tables.workspaces.insert(workspace);
    await tables.profiles.insert(owner);
    await tables.connections.insert(account);
    await tables.posts.insert(template);
    await withoutTriggers(few.prisma, (client) => copy(client, template, 'f', 3000, [account.id]));
    await few.prisma.$executeRawUnsafe('ANALYZE');
    const sending = await few.prisma.$queryRaw<{ id: DeliveryId; epoch: number }[]>`
      SELECT id, epoch FROM deliveries WHERE starts_with(id, 'dlv_f') LIMIT 20`;
    const settled = sending.map(({ id, epoch }) => ({ id, epoch, changes: { status: 'failed' } as const }));
    const read = await rowsRead(
      few.prisma,
      async (client) => expect((await prismaRepositories(client).deliveries.settle(settled)).size).toBe(20),
      ['deliveries'],
    );
    expect(read).toBeGreaterThanOrEqual(20);
    expect(read).toBeLessThan(200);
  } finally {
    await few.close();
  }
});

test('an idempotency key is claimed by index', async () => {
  const scope = { workspaceId, operation: 'createPost', lineage: 'l', key: '77' };
  const plans = await plansOf(url, () =>
    database.prisma.$transaction((client) => prismaIdempotency(client).claim(scope, '', 60)),
  );
  expect(plans.flatMap((plan) => plan.indexes)).toContain('idempotency_keys_pkey');
  expect(plans.flatMap(({ scannedTables }) => scannedTables)).toEqual([]);
});
