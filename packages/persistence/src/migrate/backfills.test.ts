import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { testDatabase } from '../testing.js';
import { databaseUrl, withClient } from './database.js';
import { migrate } from './migrate.js';

const realPrismaDir = path.resolve(import.meta.dirname, '../../../../prisma');

/**
 * An empty database in its state before a migration; the test then runs that migration and all later ones.
 */
async function before(migration: string) {
  const prismaDir = await mkdtemp(path.join(os.tmpdir(), 'switchboard-prisma-'));
  await cp(realPrismaDir, prismaDir, { recursive: true });
  const folders = await readdir(path.join(prismaDir, 'migrations'), { withFileTypes: true });
  const later = folders.filter((folder) => folder.isDirectory() && folder.name >= migration);
  for (const { name } of later) await rm(path.join(prismaDir, 'migrations', name), { recursive: true });
  const main = await testDatabase('backfills');
  const name = `${new URL(main).pathname.slice(1)}_before`;
  await withClient(main, async (client) => {
    await client.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
    await client.query(`CREATE DATABASE "${name}" TEMPLATE template0`);
  });
  const url = databaseUrl(main, name);
  await migrate(url, prismaDir);
  await rm(prismaDir, { recursive: true });
  return {
    run: (sql: string) => withClient(url, (client) => client.query(sql)),
    rest: () => migrate(url, realPrismaDir),
  };
}

test('child keys created before ancestors were stored receive them from the audit log, and their refunds receive charges', async () => {
  const database = await before('20261122195833_descendants_of_keys');
  const key = (id: string, lineage: string, replacedBy = 'NULL') =>
    `('${id}', 'wsp', '${id}', '${lineage}', 'k', '{}', '{}', '', now(), ${replacedBy})`;
  const created = (actor: string, object: string, outcome = 'ok') =>
    `('${actor} ${object}', 'wsp', '${actor}', 'createKey', '${object}', '${outcome}', 'r', '{}')`;
  await database.run(`
    INSERT INTO workspaces (id, name, return_urls, default_timezone, created_at) VALUES ('wsp', 'w', '{}', 'UTC', now());
    INSERT INTO api_keys (id, workspace_id, public_id, lineage, name, scopes, policy, hash, created_at, replaced_by) VALUES
      ${key('root2', 'root')}, ${key('root', 'root', "'root2'")}, ${key('child', 'child')}, ${key('grandchild', 'grandchild')},
      ${key('free', 'free')};
    INSERT INTO audit_rows (id, workspace_id, actor, action, object, outcome, request_id, details) VALUES
      ${created('system:operator', 'root')}, ${created('root2', 'child')}, ${created('child', 'grandchild')},
      ${created('root', 'free', 'key.scope_exceeded')};
    INSERT INTO connections (id, workspace_id, platform, kind, metadata, status, paused, account_id, way, granted_permissions, created_at, deleted_at, version)
      VALUES ('con', 'wsp', 'shop', 'commerce', '{}', 'active', false, 'a', 'oauth', '{}', now(), now(), 1);
    INSERT INTO refunds (id, workspace_id, connection_id, platform, remote_account_id, order_external_id, status, amount_minor,
        currency, extent, payments, restock, money_moved, reference, source, key_lineage, created_by, created_at, epoch)
      VALUES ('rfd', 'wsp', 'con', 'shop', 'a', 'o', 'succeeded', 100, 'EUR', '{}', '[]', false, true, 'r', 'switchboard', 'grandchild', 'grandchild', now(), 0);
    INSERT INTO rate_limits (lineage, workspace_id, taken, ends_at) VALUES ('root', 'wsp', 1, now());
  `);
  await database.rest();
  const keys = await database.run('SELECT id, ancestors FROM api_keys ORDER BY id');
  expect(keys.rows).toEqual([
    { id: 'child', ancestors: ['root'] },
    { id: 'free', ancestors: [] },
    { id: 'grandchild', ancestors: ['child', 'root'] },
    { id: 'root', ancestors: [] },
    { id: 'root2', ancestors: [] },
  ]);
  const charges = await database.run(
    'SELECT refund_id, lineage, position, retained FROM ceiling_charges ORDER BY position',
  );
  expect(charges.rows).toEqual([
    { refund_id: 'rfd', lineage: 'grandchild', position: 0, retained: false },
    { refund_id: 'rfd', lineage: 'child', position: 1, retained: false },
    { refund_id: 'rfd', lineage: 'root', position: 2, retained: false },
  ]);
});

test('unsettled refunds receive an unknown money movement, and manually resolved ones are marked (finding 29)', async () => {
  const database = await before('20261123001518_refund_outcomes');
  const made = (id: string, status: string, externalId = 'NULL') =>
    `('${id}', 'wsp', 'con', 'shop', 'a', '${id}', '${status}', 100, 'EUR', '{}', '[]', false, ${status === 'succeeded'}, '${id}', ${externalId}, 'switchboard', 'k', now(), 0)`;
  await database.run(`
    INSERT INTO workspaces (id, name, return_urls, default_timezone, created_at) VALUES ('wsp', 'w', '{}', 'UTC', now());
    INSERT INTO connections (id, workspace_id, platform, kind, metadata, status, paused, account_id, way, granted_permissions, created_at, deleted_at, version)
      VALUES ('con', 'wsp', 'shop', 'commerce', '{}', 'active', false, 'a', 'oauth', '{}', now(), now(), 1);
    INSERT INTO refunds (id, workspace_id, connection_id, platform, remote_account_id, order_external_id, status, amount_minor,
        currency, extent, payments, restock, money_moved, reference, external_id, source, created_by, created_at, epoch)
      VALUES ${made('doubt', 'needs_review')}, ${made('made', 'succeeded', "'re_1'")}, ${made('no', 'failed')},
        ${made('person', 'succeeded')}, ${made('wait', 'pending', "'re_2'")};
  `);
  await database.rest();
  const { rows } = await database.run('SELECT id, money_moved, resolved_by FROM refunds ORDER BY id');
  expect(rows).toEqual([
    { id: 'doubt', money_moved: null, resolved_by: null },
    { id: 'made', money_moved: true, resolved_by: null },
    { id: 'no', money_moved: false, resolved_by: null },
    { id: 'person', money_moved: true, resolved_by: 'unknown' },
    { id: 'wait', money_moved: null, resolved_by: null },
  ]);
});

test('finding 22: accounts receive the server within which their ID is unique, and a constraint enforces identities with it', async () => {
  const database = await before('20261123003000_account_servers');
  const columns =
    'id, workspace_id, profile_id, platform, kind, metadata, status, paused, account_id, server, way, granted_permissions, created_at, version';
  const row = (id: string, platform: string, server: string | null, profile = "'prf'") =>
    `('${id}', 'wsp', ${profile}, '${platform}', 'social', '{}', 'active', false, '7', ${server === null ? 'NULL' : `'${server}'`}, 'oauth', '{}', now(), 1)`;
  await database.run(`
    INSERT INTO workspaces (id, name, return_urls, default_timezone, created_at) VALUES ('wsp', 'w', '{}', 'UTC', now());
    INSERT INTO profiles (id, workspace_id, name, timezone, metadata, is_default, paused, created_at, version)
      VALUES ('prf', 'wsp', 'p', 'UTC', '{}', true, false, now(), 1);
    INSERT INTO connections (${columns}) VALUES
      ${row('mastodon', 'mastodon', 'https://one.example')}, ${row('medusa', 'medusa', 'http://shop.example:9000/')},
      ${row('bluesky', 'bluesky', 'https://pds.example')}, ${row('x', 'x', null)};
    INSERT INTO posts (id, workspace_id, profile_id, text, media, thread, scheduled_at, timezone, not_after, draft, asked, skipped, metadata, created_by, created_at, updated_at, version)
      VALUES ('pst', 'wsp', 'prf', 't', '[]', '[]', now(), 'UTC', now(), false, '{}', '[]', '{}', 'k', now(), now(), 1);
    INSERT INTO deliveries (id, workspace_id, post_id, position, connection_id, platform, account_id, status, options, content_digest, scheduled_at, not_after, attempts, epoch, parts)
      VALUES ('dlv', 'wsp', 'pst', 0, 'mastodon', 'mastodon', '7', 'unknown', '{}', 'd', now(), now(), 2, 300, '[]');
    INSERT INTO delivery_attempts (id, workspace_id, delivery_id, epoch, kind, outcome, at) VALUES
      ('1', 'wsp', 'dlv', 1, 'attempt', 'begun', now() - interval '4 minutes'),
      ('2', 'wsp', 'dlv', 2, 'read_back', 'retrying', now() - interval '3 minutes'),
      ('3', 'wsp', 'dlv', 3, 'attempt', 'begun', now() - interval '2 minutes'),
      ('4', 'wsp', 'dlv', 300, 'read_back', 'unknown', now() - interval '1 minute');
  `);
  await database.rest();
  const { rows } = await database.run('SELECT id, account_server FROM connections ORDER BY id');
  expect(rows).toEqual([
    { id: 'bluesky', account_server: '' },
    { id: 'mastodon', account_server: 'one.example' },
    { id: 'medusa', account_server: 'shop.example:9000' },
    { id: 'x', account_server: '' },
  ]);
  const deliveries = await database.run('SELECT read_backs FROM deliveries');
  expect(deliveries.rows).toEqual([{ read_backs: 1 }]);
  const insert = (id: string, server: string) =>
    database.run(
      `INSERT INTO connections (${columns.replace('way', 'connect_method')}, account_server) VALUES ${row(id, 'mastodon', null).replace(/\)$/, `, '${server}')`)}`,
    );
  await insert('other', 'two.example');
  await expect(insert('twin', 'one.example')).rejects.toThrow('connections_account_key');
});

test('finding 22: refunds and ledgers receive the server of their account, and a ledger shared by two servers is split', async () => {
  const database = await before('20261123041002_ledger_account_servers');
  const connection = (id: string, platform: string, server: string) =>
    `('${id}', 'wsp', '${platform}', 'commerce', '{}', 'active', false, 's', '${server}', 'key', '{}', now(), now(), 1)`;
  const made = (
    id: string,
    through: string,
    platform: string,
    order: string,
    status: string,
    minor: number,
  ) =>
    `('${id}', 'wsp', '${through}', '${platform}', 's', '${order}', '${status}', ${minor}, 'EUR', '{}', '[]', false, '${id}', 'switchboard', 'k', now(), 0)`;
  await database.run(`
    INSERT INTO workspaces (id, name, return_urls, default_timezone, created_at) VALUES ('wsp', 'w', '{}', 'UTC', now());
    INSERT INTO connections (id, workspace_id, platform, kind, metadata, status, paused, account_id, account_server, way, granted_permissions, created_at, deleted_at, version)
      VALUES ${connection('one', 'medusa', 'one.example')}, ${connection('two', 'medusa', 'two.example')}, ${connection('shop', 'shopify', '')};
    INSERT INTO refunds (id, workspace_id, connection_id, platform, remote_account_id, order_external_id, status, amount_minor,
        currency, extent, payments, restock, reference, source, created_by, created_at, epoch)
      VALUES ${made('r1', 'one', 'medusa', 'shared', 'succeeded', 700)}, ${made('r2', 'two', 'medusa', 'shared', 'succeeded', 100)},
        ${made('r3', 'two', 'medusa', 'shared', 'unknown', 50)}, ${made('r4', 'two', 'medusa', 'shared', 'failed', 10)},
        ${made('r5', 'one', 'medusa', 'own', 'succeeded', 300)}, ${made('r6', 'shop', 'shopify', 'shared', 'succeeded', 20)};
    INSERT INTO refund_ledgers (workspace_id, platform, remote_account_id, order_external_id, currency, captured_minor, refunded_minor, reserved_minor, in_flight) VALUES
      ('wsp', 'medusa', 's', 'shared', 'EUR', 850, 800, 50, 'r3'), ('wsp', 'medusa', 's', 'own', 'EUR', 900, 400, 0, NULL),
      ('wsp', 'shopify', 's', 'shared', 'EUR', 900, 20, 0, NULL);
  `);
  await database.rest();
  const refunds = await database.run('SELECT id, account_server FROM refunds ORDER BY id');
  expect(refunds.rows.map(({ account_server: server }: { account_server: string }) => server)).toEqual([
    'one.example',
    'two.example',
    'two.example',
    'two.example',
    'one.example',
    '',
  ]);
  const ledgers = await database.run(`
    SELECT platform, order_external_id AS of, account_server AS server, captured_minor::int AS captured,
      refunded_minor::int AS refunded, reserved_minor::int AS reserved, in_flight
    FROM refund_ledgers ORDER BY platform, order_external_id, account_server`);
  const row = (platform: string, of: string, server: string, numbers: object) => ({
    platform,
    of,
    server,
    ...numbers,
  });
  expect(ledgers.rows).toEqual([
    row('medusa', 'own', 'one.example', { captured: 900, refunded: 400, reserved: 0, in_flight: null }),
    row('medusa', 'shared', 'one.example', { captured: 850, refunded: 700, reserved: 0, in_flight: null }),
    row('medusa', 'shared', 'two.example', { captured: 850, refunded: 100, reserved: 50, in_flight: 'r3' }),
    row('shopify', 'shared', '', { captured: 900, refunded: 20, reserved: 0, in_flight: null }),
  ]);
});

test('finding 82: jobs that earlier versions queued for deliveries that are not due are dropped', async () => {
  const database = await before('20261123081500_drop_delivery_jobs');
  await database.run(`
    CREATE SCHEMA pgboss;
    CREATE TYPE pgboss.job_state AS ENUM ('created', 'retry', 'active', 'completed');
    CREATE TABLE pgboss.job (name text, state pgboss.job_state);
    INSERT INTO pgboss.job VALUES ('deliver', 'created'), ('deliver', 'active'), ('read_back_delivery', 'created'),
      ('take_snapshots', 'retry'), ('revoke_grant', 'created');
  `);
  await database.rest();
  const { rows } = await database.run('SELECT name, state FROM pgboss.job ORDER BY name');
  expect(rows).toEqual([
    { name: 'deliver', state: 'active' },
    { name: 'revoke_grant', state: 'created' },
  ]);
});

test('credentials are due for renewal as before their times were stored', async () => {
  const database = await before('20261124022103_renewal_times');
  const connection = (id: string, status: string, expiresAt = 'NULL') =>
    `('${id}', 'wsp', 'prf', 'x', 'social', '{}', '${status}', false, '${id}', 'oauth', '{}', now(), ${expiresAt}, 1)`;
  const credential = (id: string, endsIn: string) =>
    `('${id}', 'wsp', 1, '', now() + interval '${endsIn}', now() - interval '50 minutes')`;
  await database.run(`
    INSERT INTO workspaces (id, name, return_urls, default_timezone, created_at) VALUES ('wsp', 'w', '{}', 'UTC', now());
    INSERT INTO profiles (id, workspace_id, name, timezone, metadata, is_default, paused, created_at, version)
      VALUES ('prf', 'wsp', 'p', 'UTC', '{}', true, false, now(), 1);
    INSERT INTO connections (id, workspace_id, profile_id, platform, kind, metadata, status, paused, account_id,
        connect_method, granted_permissions, created_at, expires_at, version) VALUES
      ${connection('soon', 'active')}, ${connection('later', 'active')}, ${connection('dead', 'needs_reauth')},
      ${connection('ends', 'active', "now() + interval '5 minutes'")};
    INSERT INTO credentials (connection_id, workspace_id, generation, sealed, access_expires_at, renewed_at) VALUES
      ${credential('soon', '5 minutes')}, ${credential('later', '2 hours')}, ${credential('dead', '5 minutes')},
      ${credential('ends', '5 minutes')};
  `);
  await database.rest();
  const due = await database.run(
    'SELECT connection_id AS id, renew_at <= now() AS due FROM credentials ORDER BY connection_id',
  );
  expect(due.rows).toEqual([
    { id: 'dead', due: null },
    { id: 'ends', due: false },
    { id: 'later', due: false },
    { id: 'soon', due: true },
  ]);
});

test('finding 84: accounts and published posts of earlier versions are scheduled, with their newest metrics', async () => {
  const database = await before('20261124022328_scheduled_metrics');
  const delivery = (id: string, status: string, published: string) =>
    `('${id}', 'wsp', 'pst', ${id.slice(3)}, 'con', 'x', 'a', '${status}', '{}', '', now(), now(), 1, 0, '[]', ${published})`;
  const snapshot = (subject: string, deliveryId: string, daysAgo: number, metrics: string) =>
    `('${subject}', now() - interval '${daysAgo} days', 'wsp', 'con', ${deliveryId}, '${metrics}', now() - interval '${daysAgo} days')`;
  await database.run(`
    INSERT INTO workspaces (id, name, return_urls, default_timezone, created_at) VALUES ('wsp', 'w', '{}', 'UTC', now());
    INSERT INTO profiles (id, workspace_id, name, timezone, metadata, paused, created_at, is_default, version)
      VALUES ('prf', 'wsp', 'p', 'UTC', '{}', false, now(), true, 1);
    INSERT INTO connections (id, workspace_id, profile_id, platform, kind, metadata, status, paused, account_id, connect_method,
        granted_permissions, created_at, version)
      VALUES ('con', 'wsp', 'prf', 'x', 'social', '{}', 'active', false, 'a', 'oauth', '{}', now(), 1);
    INSERT INTO posts (id, workspace_id, profile_id, text, media, thread, scheduled_at, timezone, not_after, draft, requested, skipped,
        metadata, created_by, created_at, updated_at, version)
      VALUES ('pst', 'wsp', 'prf', 't', '[]', '[]', now(), 'UTC', now(), false, '{}', '[]', '{}', 'k', now(), now(), 1);
    INSERT INTO deliveries (id, workspace_id, post_id, position, connection_id, platform, account_id, status, options, content_digest,
        scheduled_at, not_after, attempts, epoch, parts, published_at)
      VALUES ${delivery('dlv1', 'published', "now() - interval '2 hours'")}, ${delivery('dlv2', 'published', "now() - interval '100 days'")},
        ${delivery('dlv3', 'pending', 'NULL')};
    INSERT INTO snapshots (subject, hour, workspace_id, connection_id, delivery_id, metrics, taken_at)
      VALUES ${snapshot('con', 'NULL', 1, '{"followers": 5}')}, ${snapshot('dlv2', "'dlv2'", 90, '{"likes": 1}')},
        ${snapshot('dlv2', "'dlv2'", 80, '{"likes": 3, "views": null}')};
  `);
  await database.rest();
  const { rows } = await database.run(`
    SELECT subject, post_id, likes::int, views, followers::int, taken_at IS NOT NULL AS is_read,
      next_read_at < now() + interval '1 day' AS is_due FROM latest_metrics ORDER BY subject`);
  expect(rows).toEqual([
    { subject: 'con', post_id: null, likes: null, views: null, followers: 5, is_read: true, is_due: true },
    {
      subject: 'dlv1',
      post_id: 'pst',
      likes: null,
      views: null,
      followers: null,
      is_read: false,
      is_due: true,
    },
    { subject: 'dlv2', post_id: 'pst', likes: 3, views: null, followers: null, is_read: true, is_due: null },
  ]);
});
