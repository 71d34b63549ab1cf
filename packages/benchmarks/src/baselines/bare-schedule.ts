import { createHash, randomUUID } from 'node:crypto';
import { PgBoss } from 'pg-boss';
import type pg from 'pg';
import type { Installation } from '../support/installation.js';

/**
 * The statements of `createPost` for one target, in its order, prepared, in one transaction, without
 * validation and composition.
 */
export async function bareSchedule({ switchboard, pool, profile, socials }: Installation) {
  const boss = new PgBoss({
    connectionString: switchboard.databaseUrl,
    schema: 'pgboss',
    max: 1,
    supervise: false,
    schedule: false,
    migrate: false,
  });
  await boss.start();
  const { rows } = await pool.query<{ workspace_id: string }>(
    'SELECT workspace_id FROM profiles WHERE id = $1',
    [profile],
  );
  const ids = { workspace: rows[0]?.workspace_id ?? '', profile, connection: socials[0] ?? '' };
  return {
    async schedule(): Promise<void> {
      const client = await pool.connect();
      try {
        await client.query('BEGIN');
        await statements(client, boss, ids);
        await client.query('COMMIT');
      } finally {
        client.release();
      }
    },
    close: () => boss.stop({ graceful: false }),
  };
}

interface ScheduleIds {
  readonly workspace: string;
  readonly profile: string;
  readonly connection: string;
}

async function statements(
  client: pg.PoolClient,
  boss: PgBoss,
  { workspace, profile, connection }: ScheduleIds,
) {
  const run = (name: string, text: string, values: unknown[]) => client.query({ name, text, values });
  const [key, post, delivery, now] = [randomUUID(), `pst_${randomUUID()}`, `dlv_${randomUUID()}`, new Date()];
  const at = new Date(now.getTime() + 30 * 86_400_000);
  const text = `Scheduled ${key}`;
  const digest = createHash('sha256').update(text).digest('hex');

  await run('turn', 'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0))', [`idempotency ${key}`]);
  const claim = [workspace, 'createPost', 'bare', key];
  await run(
    'claimed',
    `SELECT fingerprint, lease_until > now(), status, sealed_body FROM idempotency_keys
     WHERE workspace_id = $1 AND operation = $2 AND lineage = $3 AND key = $4`,
    claim,
  );
  await run(
    'claim',
    `INSERT INTO idempotency_keys (workspace_id, operation, lineage, key, fingerprint, lease_until, created_at)
     VALUES ($1, $2, $3, $4, $5, now() + interval '60 seconds', now())
     ON CONFLICT (workspace_id, operation, lineage, key) DO UPDATE SET fingerprint = excluded.fingerprint`,
    [...claim, digest],
  );
  await run('profile', 'SELECT * FROM profiles WHERE workspace_id = $1 AND id = $2', [workspace, profile]);
  await run(
    'connections',
    `SELECT * FROM connections WHERE workspace_id = $1 AND profile_id = $2 AND kind = 'social' AND deleted_at IS NULL
     ORDER BY id LIMIT 500`,
    [workspace, profile],
  );
  await run('content', 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`${connection} ${digest}`]);
  await run(
    'twin',
    `SELECT post_id FROM deliveries WHERE workspace_id = $1 AND connection_id = $2 AND content_digest = $3
       AND status NOT IN ('failed', 'missed', 'cancelled', 'deleted')
       AND coalesce(published_at, scheduled_at) BETWEEN $4::timestamptz - interval '1 day' AND $4::timestamptz + interval '1 day'
     ORDER BY id DESC LIMIT 1`,
    [workspace, connection, digest, at],
  );
  const requested = { targets: [{ connectionId: connection }], scheduledAt: at, notAfter: null };
  await run(
    'post',
    `INSERT INTO posts (id, workspace_id, profile_id, text, media, thread, scheduled_at, timezone, not_after, draft, requested,
       skipped, metadata, created_by, created_at, updated_at, version)
     VALUES ($1, $2, $3, $4, '[]', '[]', $5, 'UTC', $5, false, $6, '[]', '{}', 'bare', $7, $7, 1) RETURNING *`,
    [post, workspace, profile, text, at, JSON.stringify(requested), now],
  );
  const parts = [{ kind: 'post', text, link: null, media: [], status: 'pending', receipt: {} }];
  await run(
    'delivery',
    `INSERT INTO deliveries (id, workspace_id, post_id, position, connection_id, platform, account_id, status, options,
       content_digest, scheduled_at, not_after, attempts, epoch, parts)
     VALUES ($1, $2, $3, 0, $4, 'sandbox_social', 'bare', 'pending', '{}', $5, $6, $6, 0, 0, $7)`,
    [delivery, workspace, post, connection, digest, at, JSON.stringify(parts)],
  );
  const db = { executeSql: (sql: string, values?: unknown[]) => client.query(sql, values) };
  const job = { name: 'deliver', workspaceId: workspace, deliveryId: delivery };
  await boss.send('deliver', job, { db, startAfter: at.toISOString(), retentionSeconds: 94_867_200 });
  const eventData = JSON.stringify({ post_id: post });
  await run(
    'event',
    `INSERT INTO events (id, workspace_id, type, profile_id, data) VALUES ($1, $2, 'post.scheduled', $3, $4) RETURNING *`,
    [`evt_${randomUUID()}`, workspace, profile, eventData],
  );
  await run(
    'audit',
    `INSERT INTO audit_rows (id, workspace_id, actor, action, object, outcome, request_id, details)
     VALUES ($1, $2, 'bare', 'createPost', $3, 'ok', $4, '{}') RETURNING *`,
    [`aud_${randomUUID()}`, workspace, post, `req_${key}`],
  );
  await run(
    'answer',
    `UPDATE idempotency_keys SET status = 201, sealed_body = $5, lease_until = NULL
     WHERE workspace_id = $1 AND operation = $2 AND lineage = $3 AND key = $4 AND status IS NULL`,
    [...claim, Buffer.alloc(1024)],
  );
}
