import { setTimeout as sleep } from 'node:timers/promises';
import { asText } from '@switchboard/acceptance';
import pg from 'pg';
import type { Installation } from './installation.js';

/** The number of rows of an installation. Posts, audit rows and refunds belong to its first workspace. */
export interface InstallationSize {
  readonly waitingPosts: number;
  readonly publishedPosts: number;
  readonly accounts: number;
  readonly workspaces: number;
  readonly connections: number;
  readonly auditRows: number;
  readonly events: number;
  readonly idempotencyKeys: number;
  readonly refunds: number;
}

const CHUNK = 100_000;

/**
 * Fills an installation by copying one of its posts and one of its accounts, posts over one connection and
 * everything else over another one. Triggers and foreign keys are off until it ends, and most indexes are built after
 * their rows, so that a million posts take minutes; what triggers write is written here. Returns the bytes of a post
 * with one delivery, its indexes included.
 */
export async function seedGrowth(
  installation: Installation,
  size: InstallationSize,
): Promise<{ readonly bytesPerPost: number }> {
  const { client, pool, socials } = installation;
  const workspaceId = asText((await client.expect(200, 'GET', '/workspace'))['id']);
  const [bytesPerPost] = await Promise.all([
    seedWith(installation, (seeding) => seedAllPosts(seeding, installation, workspaceId, size)),
    seedWith(installation, async (seeding) => {
      await seedOthers(seeding, String(socials[0]), size);
      await seedRecords(seeding, workspaceId, String(socials[0]), size);
    }),
  ]);
  await pool.query('VACUUM (ANALYZE)');
  return { bytesPerPost };
}

async function seedWith<Result>(
  { switchboard }: Installation,
  seed: (seeding: pg.Client) => Promise<Result>,
): Promise<Result> {
  const seeding = new pg.Client({ connectionString: switchboard.databaseUrl });
  await seeding.connect();
  try {
    await seeding.query('SET session_replication_role = replica');
    await seeding.query('SET synchronous_commit = off');
    return await seed(seeding);
  } finally {
    await seeding.end();
  }
}

/** Returns the bytes of a post with one delivery. */
async function seedAllPosts(
  seeding: pg.Client,
  { client, profile, socials }: Installation,
  workspaceId: string,
  { publishedPosts, waitingPosts, accounts: accountCount }: InstallationSize,
): Promise<number> {
  const { id } = await client.expect(201, 'POST', '/social/posts', {
    body: {
      profile_id: profile,
      text: 'A post of about a hundred characters, as many are, with a link: https://shop.example/products/1',
      scheduled_at: new Date(Date.now() + 86_400_000).toISOString(),
      targets: [{ connection_id: socials[0] }],
      metadata: { campaign: 'autumn' },
      external_id: 'template',
    },
  });
  const bytes = async () => {
    const { rows } = await seeding.query<{ bytes: string }>(
      "SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class WHERE relname IN ('posts', 'deliveries')",
    );
    return Number(rows[0]?.bytes);
  };
  const accounts = await seedAccounts(seeding, String(socials[0]), accountCount - socials.length);
  const seedUntil = async (count: number, prefix: string, isPublished: boolean, from = 0) => {
    for (let done = from; done < count; done += CHUNK) {
      const [first, last] = [done + 1, Math.min(done + CHUNK, count)];
      await seedPosts(seeding, { id, prefix, first, last, accounts }, isPublished ? count : null);
    }
  };
  await seedUntil(publishedPosts, '01a', true);
  // An index that grows with its rows is larger than one that is built at once.
  const [before, grown] = [await bytes(), Math.min(CHUNK, waitingPosts)];
  await seedUntil(grown, '01b', false);
  const bytesPerPost = ((await bytes()) - before) / grown;
  await withoutIndexes(seeding, ['posts', 'deliveries'], () => seedUntil(waitingPosts, '01b', false, grown));
  await seedMetrics(seeding, workspaceId);
  return bytesPerPost;
}

/** Builds the indexes of these tables after `fill`, except partial ones, which the worker uses, and those of constraints. */
async function withoutIndexes(
  seeding: pg.Client,
  tables: readonly string[],
  fill: () => Promise<unknown>,
): Promise<void> {
  const { rows } = await seeding.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
    WHERE indrelid = ANY ($1::regclass[]) AND indpred IS NULL
      AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)`,
    [tables],
  );
  for (const { name } of rows) await seeding.query(`DROP INDEX ${name}`);
  await fill();
  for (const { definition } of rows) await seeding.query(definition);
}

/** Copies of an account without credentials; returns the ids of all accounts that get posts. */
async function seedAccounts(seeding: pg.Client, id: string, count: number): Promise<readonly string[]> {
  const columns = await storedColumns(seeding);
  await seeding.query(
    `INSERT INTO connections (${columns}) SELECT ${columns} FROM (SELECT copy.* FROM connections c, generate_series(1, $2::int) AS n,
      LATERAL jsonb_populate_record(c, jsonb_build_object('id', 'con_01a' || lpad(n::text, 23, '0'),
        'account_id', 'account ' || n, 'external_id', n::text)) AS copy
    WHERE c.id = $1) AS copies`,
    [id, Math.max(0, count)],
  );
  const { rows } = await seeding.query<{ id: string }>(
    `SELECT id FROM connections WHERE profile_id = (SELECT profile_id FROM connections WHERE id = $1)
      AND kind = 'social'`,
    [id],
  );
  return rows.map((row) => row.id);
}

/** The columns of a connection that are not generated. */
async function storedColumns(seeding: pg.Client): Promise<string> {
  const { rows } = await seeding.query<{ columns: string }>(
    `SELECT string_agg(quote_ident(attname), ', ') AS columns FROM pg_attribute
    WHERE attrelid = 'connections'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
  );
  return String(rows[0]?.columns);
}

interface PostCopies {
  readonly id: unknown;
  readonly prefix: string;
  readonly first: number;
  readonly last: number;
  readonly accounts: readonly string[];
}

/** `published`: how many are published over the last year; null for posts that wait over the next year. */
async function seedPosts(
  seeding: pg.Client,
  { id, prefix, first, last, accounts }: PostCopies,
  published: number | null,
): Promise<void> {
  const at =
    published === null
      ? `now() + interval '1 day' + n * interval '30 seconds'`
      : `now() - interval '1 day' - (${published} - n) * (interval '364 days' / ${published})`;
  const numbered = (kind: string) => `'${kind}_${prefix}' || lpad(n::text, 23, '0')`;
  await seeding.query(
    `INSERT INTO posts SELECT copy.* FROM posts p, generate_series($2::int, $3::int) AS n,
      LATERAL jsonb_populate_record(p, jsonb_build_object('id', ${numbered('pst')}, 'external_id', '${prefix}' || n,
        'scheduled_at', ${at}, 'settled_status', ${published === null ? 'NULL' : `'published'`})) AS copy
    WHERE p.id = $1`,
    [id, first, last],
  );
  await seeding.query(
    `INSERT INTO deliveries SELECT copy.* FROM deliveries d, generate_series($2::int, $3::int) AS n,
      LATERAL jsonb_populate_record(d, jsonb_build_object('id', ${numbered('dlv')}, 'post_id', ${numbered('pst')},
        'connection_id', ($4::text[])[n % cardinality($4::text[]) + 1], 'content_digest', md5('${prefix}' || n),
        'scheduled_at', ${at}, 'not_after', ${at} + interval '6 hours',
        'status', '${published === null ? 'pending' : 'published'}',
        'published_at', ${published === null ? 'NULL' : at})) AS copy
    WHERE d.post_id = $1`,
    [id, first, last, accounts],
  );
}

/** The metrics of what is published, none of which is due to be read, and their sums, which the worker writes. */
async function seedMetrics(seeding: pg.Client, workspaceId: string): Promise<void> {
  await seeding.query(
    `INSERT INTO latest_metrics (subject, workspace_id, connection_id, delivery_id, post_id, published_at, taken_at,
        next_read_at, impressions, likes)
      SELECT id, workspace_id, connection_id, id, post_id, published_at, now(), now() + interval '30 days',
        1000, abs(hashtext(id) % 1000)
      FROM deliveries WHERE workspace_id = $1 AND status = 'published' ON CONFLICT DO NOTHING`,
    [workspaceId],
  );
  // First: without statistics of the new rows, a statement of the worker that sums them reads all of them for each
  // post, and has no result before its timeout of five minutes.
  await seeding.query('ANALYZE posts, deliveries, latest_metrics');
  await seeding.query(
    `INSERT INTO invalidated_metric_days (workspace_id, connection_id, day)
      SELECT DISTINCT workspace_id, connection_id, (published_at AT TIME ZONE 'UTC')::date
      FROM latest_metrics WHERE workspace_id = $1 AND published_at IS NOT NULL`,
    [workspaceId],
  );
  for (;;) {
    const { rowCount } = await seeding.query('SELECT FROM invalidated_metric_days LIMIT 1');
    if (rowCount === 0) break;
    await sleep(500);
  }
}

/** Other workspaces, each with a profile and its share of the connections and their tokens. */
async function seedOthers(seeding: pg.Client, id: string, size: InstallationSize): Promise<void> {
  const { workspaces, connections } = size;
  await seeding.query(
    `INSERT INTO workspaces SELECT copy.* FROM workspaces w, generate_series(1, $2::int) AS n,
      LATERAL jsonb_populate_record(w, jsonb_build_object('id', 'wsp_01a' || lpad(n::text, 23, '0'), 'name', 'Workspace ' || n)) AS copy
    WHERE w.id = (SELECT workspace_id FROM connections WHERE id = $1)`,
    [id, workspaces],
  );
  await seeding.query(
    `INSERT INTO profiles SELECT copy.* FROM profiles p, generate_series(1, $2::int) AS n,
      LATERAL jsonb_populate_record(p, jsonb_build_object('id', 'prf_01a' || lpad(n::text, 23, '0'),
        'workspace_id', 'wsp_01a' || lpad(n::text, 23, '0'))) AS copy
    WHERE p.id = (SELECT profile_id FROM connections WHERE id = $1)`,
    [id, workspaces],
  );
  const columns = await storedColumns(seeding);
  await seeding.query(
    `INSERT INTO connections (${columns}) SELECT ${columns} FROM (SELECT copy.* FROM connections c, generate_series(1, $3::int) AS n,
      LATERAL (SELECT lpad((n % $2::int + 1)::text, 23, '0') AS owner) AS o,
      LATERAL jsonb_populate_record(c, jsonb_build_object('id', 'con_01b' || lpad(n::text, 23, '0'),
        'workspace_id', 'wsp_01a' || owner, 'profile_id', 'prf_01a' || owner, 'account_id', 'account ' || n)) AS copy
    WHERE c.id = $1) AS copies`,
    [id, workspaces, connections],
  );
  await seeding.query(
    `INSERT INTO credentials (connection_id, workspace_id, generation, sealed, access_expires_at, renew_at)
    SELECT id, workspace_id, 1, '\\x00', now() + interval '8 days', now() + interval '7 days'
    FROM connections WHERE starts_with(id, 'con_01b')`,
  );
}

/** What only grows: audit rows, already sealed, events, idempotency keys and refunds. */
async function seedRecords(
  seeding: pg.Client,
  workspaceId: string,
  connectionId: string,
  { auditRows, events, idempotencyKeys, refunds }: InstallationSize,
): Promise<void> {
  const insert = (text: string, ...values: readonly unknown[]) =>
    seeding.query(text, [workspaceId, ...values]);
  await withoutIndexes(seeding, ['audit_rows'], () =>
    insert(
      `INSERT INTO audit_rows (id, workspace_id, actor, action, object, outcome, request_id, details, created_at,
        seq, prev_hash, row_hash)
      SELECT 'aud_01a' || lpad(n::text, 23, '0'), $1, 'key_' || n % 50, 'action_' || n % 30, 'pst_' || n, 'ok', 'req', '{}',
        now() - ($2::int - n) * interval '10 seconds', 10000000 + n, '\\x00', decode(md5(n::text), 'hex')
      FROM generate_series(1, $2::int) AS n`,
      auditRows,
    ),
  );
  await insert(
    `INSERT INTO events (id, workspace_id, type, data)
      SELECT 'evt_01z' || lpad(n::text, 23, '0'), $1, 'post.published', '{}' FROM generate_series(1, $2::int) AS n`,
    events,
  );
  await insert(
    `INSERT INTO idempotency_keys (workspace_id, operation, lineage, key, fingerprint, status, sealed_body, created_at)
      SELECT $1, 'createPost', 'l', n::text, '', 201, '\\x00', now() FROM generate_series(1, $2::int) AS n`,
    idempotencyKeys,
  );
  await insert(
    `INSERT INTO refunds (id, workspace_id, connection_id, platform, remote_account_id, order_external_id, status,
        amount_minor, currency, extent, payments, restock, money_moved, reference, source, created_by, created_at, epoch)
      SELECT 'rfd_01a' || lpad(n::text, 23, '0'), $1, $3, 'sandbox_store', 'a', n::text, 'succeeded', 1200, 'EUR',
        '{"kind": "full", "lines": [], "shippingMinor": 0}', '[]', false, true, 'r', 'switchboard', 'key_test', now(), 0
      FROM generate_series(1, $2::int) AS n`,
    refunds,
    connectionId,
  );
}

/** Requests the best times of these reads, whose hours are summed from then on, and waits for that. */
export async function sumBestTimes({ client, pool }: Installation, paths: readonly string[]): Promise<void> {
  for (const each of paths) await client.expect(200, 'GET', each);
  for (;;) {
    const { rowCount } = await pool.query(
      "SELECT FROM hour_sum_sets WHERE summed_from IS DISTINCT FROM '-infinity'",
    );
    if (rowCount === 0) break;
    await sleep(500);
  }
}
