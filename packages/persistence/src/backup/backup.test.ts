import path from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { withClient } from '../migrate/database.js';
import {
  findDrift,
  getMigrationState,
  readIntendedSchema,
  readMigrations,
  type Migration,
} from '../migrate/index.js';
import { emptyTestDatabase, testDatabase } from '../testing.js';
import type { BackupPiece } from './backup-entries.js';
import { dumpDatabase, loadDatabase, markMoved, markRestored, type LoadQuery } from './index.js';

const prismaDir = path.resolve(import.meta.dirname, '../../../../prisma');
const unstopped = () => new AbortController().signal;
const ignore = () => undefined;
async function* none() {
  // No job and no file.
}

let migrations: readonly Migration[];
beforeAll(async () => {
  migrations = await readMigrations(prismaDir);
});

const dump = (url: string, signal = unstopped()) =>
  dumpDatabase(url, { readJobs: none, readFiles: null, onProgress: ignore, signal });

const load = (url: string, pieces: AsyncIterable<BackupPiece>, signal = unstopped(), known = migrations) =>
  loadDatabase(url, pieces, {
    migrations: known,
    writeJobs: async () => undefined,
    writeFile: async () => undefined,
    conclude: async () => undefined,
    onProgress: ignore,
    signal,
  });

const run = (url: string, sql: string) =>
  withClient(url, async (client) => (await client.query<object>(sql)).rows);

const older = '20261123001518_refund_outcomes';

/** A database in its state before a migration, as an earlier version left it. */
async function createOlderDatabase(name: string): Promise<string> {
  const url = await emptyTestDatabase(name);
  const earlier = migrations.filter((migration) => migration.name < older);
  async function* schemaOnly(): AsyncGenerator<BackupPiece> {
    yield {
      kind: 'database',
      takenAt: '2026-01-01T00:00:00.000Z',
      serverVersion: '18',
      migrations: earlier,
      tables: {},
      installationKey: null,
      canary: null,
      masterKeys: [],
      mediaStore: null,
      media: { files: 0, bytes: 0 },
    };
    yield { kind: 'end', rows: 0, files: 0 };
  }
  await load(url, schemaOnly(), unstopped(), earlier);
  for (const migration of earlier)
    await run(
      url,
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
       VALUES (gen_random_uuid(), '${migration.checksum}', '${migration.name}', now())`,
    );
  return url;
}

test.each([
  ['requested', 'moved'],
  ['changed_public_url', 'changed_public_url'],
  ['restored_backup', 'restored_backup'],
])('a database that was paused with the cause %s is paused with %s after a move', async (before, after) => {
  const url = await testDatabase(`moved_${before}`);
  await run(url, `INSERT INTO installation (id, pause) VALUES (1, '{"cause": "${before}"}')`);
  const causeAfter = (mark: (query: LoadQuery) => Promise<void>) =>
    withClient(url, async (client) => {
      const query = async (text: string, values?: unknown[]) =>
        (await client.query<object>(text, values)).rows;
      await mark(query);
      return query(`SELECT pause ->> 'cause' AS cause FROM installation`);
    });
  const database = { takenAt: '2026-01-01T00:00:00.000Z' };
  expect(await causeAfter((query) => markRestored(query, database, 'moved', ''))).toEqual([{ cause: after }]);
  // Its source always refuses to be resumed.
  expect(await causeAfter((query) => markMoved(query, ''))).toEqual([{ cause: 'moved_away' }]);
});

test('the copy of a database that had been moved before is an older copy, and is not called the one that was left', async () => {
  const url = await testDatabase('moved_twice');
  await run(
    url,
    `INSERT INTO installation (id, pause) VALUES (1, '{"cause": "moved_away", "reason": "Moved to db.example. Use that database."}');
     INSERT INTO workspaces (id, name, return_urls, default_timezone, created_at) VALUES ('wsp', 'w', '{}', 'UTC', now());
     INSERT INTO connections (id, workspace_id, platform, kind, metadata, status, paused, account_id, connect_method, granted_permissions, created_at, deleted_at, version)
       VALUES ('con', 'wsp', 'shop', 'commerce', '{}', 'active', false, 'a', 'oauth', '{}', now(), now(), 1);
     INSERT INTO refunds (id, workspace_id, connection_id, platform, remote_account_id, order_external_id, status, amount_minor,
         currency, extent, payments, restock, reference, source, created_by, created_at, epoch)
       VALUES ('rfd', 'wsp', 'con', 'shop', 'a', 'o', 'pending', 100, 'EUR', '{}', '[]', false, 'r', 'switchboard', 'k', now(), 0)`,
  );
  await withClient(url, (client) =>
    markRestored(
      async (text, values) => (await client.query<object>(text, values)).rows,
      { takenAt: '2026-01-01T00:00:00.000Z' },
      'moved',
      'Moved here from a database.',
    ),
  );
  const [pause] = await run(url, 'SELECT pause FROM installation');
  expect(pause).toMatchObject({
    pause: {
      cause: 'restored_backup',
      reason: expect.stringMatching(/^Moved here from a database\. That database had been moved before, /),
    },
  });
  // Its earlier successor may have made the refund.
  expect(await run(url, 'SELECT sent_at IS NOT NULL AS sent FROM refunds')).toEqual([{ sent: true }]);
});

test('a backup of an older schema is restored as it was and then migrated, with its rows', async () => {
  const source = await createOlderDatabase('backup_older');
  await run(
    source,
    `INSERT INTO workspaces (id, name, return_urls, default_timezone, created_at) VALUES ('wsp', 'w', '{}', 'UTC', now());
     INSERT INTO connections (id, workspace_id, platform, kind, metadata, status, paused, account_id, way, granted_permissions, created_at, deleted_at, version)
       VALUES ('con', 'wsp', 'shop', 'commerce', '{}', 'active', false, 'a', 'oauth', '{}', now(), now(), 1);
     INSERT INTO refunds (id, workspace_id, connection_id, platform, remote_account_id, order_external_id, status, amount_minor,
         currency, extent, payments, restock, money_moved, reference, source, created_by, created_at, epoch)
       VALUES ('rfd', 'wsp', 'con', 'shop', 'a', 'o', 'needs_review', 100, 'EUR', '{}', '[]', false, false, 'r', 'switchboard', 'k', now(), 0)`,
  );
  const target = await emptyTestDatabase('backup_migrated');
  const { migrated, database } = await load(target, dump(source));
  const later = migrations.map(({ name }) => name).filter((name) => name >= older);
  expect([migrated, database.migrations.length]).toEqual([later, migrations.length - later.length]);
  expect(await run(target, 'SELECT id, money_moved FROM refunds')).toEqual([
    { id: 'rfd', money_moved: null },
  ]);
  expect(await findDrift(target, await readIntendedSchema(prismaDir))).toEqual([]);
  const state = await withClient(target, (client) => getMigrationState(client, migrations));
  expect(state).toEqual({ pending: [], changed: [], failed: [], unknown: [] });
});

test('a backup during writes shows every transaction completely or not at all', async () => {
  const source = await testDatabase('backup_busy');
  await run(
    source,
    `INSERT INTO workspaces (id, name, return_urls, default_timezone, created_at) VALUES ('wsp', 'w', '{}', 'UTC', now())`,
  );
  const stop = new AbortController();
  let written = 0;
  // Each transaction writes into the last tables first and into the first tables last.
  const write = (worker: number) =>
    withClient(source, async (client) => {
      for (let n = 0; !stop.signal.aborted; n++) {
        await client.query('BEGIN');
        await client.query(
          `UPDATE workspaces SET display_name = (coalesce(display_name, '0')::int + 1)::text`,
        );
        await client.query(
          `INSERT INTO profiles (id, workspace_id, name, timezone, metadata, is_default, paused, created_at, version)
           VALUES ('${worker}-${n}', 'wsp', '${worker}-${n}', 'UTC', '{}', false, false, now(), 1)`,
        );
        await client.query(
          `INSERT INTO events (id, workspace_id, type, data) VALUES ('${worker}-${n}', 'wsp', 't', '{}')`,
        );
        await client.query(
          `INSERT INTO audit_rows (id, workspace_id, actor, action, outcome, request_id, details)
           VALUES ('${worker}-${n}', 'wsp', 'a', 'a', 'ok', 'r', '{}')`,
        );
        await client.query('COMMIT');
        written += 1;
      }
    });
  const writers = [1, 2, 3].map(write);
  try {
    for (const turn of [1, 2]) {
      while (written < turn * 50) await new Promise((resolve) => setTimeout(resolve, 10));
      const target = await emptyTestDatabase(`backup_busy_${turn}`);
      await load(target, dump(source));
      const [counts] = (await run(
        target,
        `SELECT display_name::int AS workspaces, (SELECT count(*)::int FROM profiles) AS profiles,
           (SELECT count(*)::int FROM events) AS events, (SELECT count(*)::int FROM audit_rows) AS audit,
           (SELECT max(seq) FROM events) < nextval('events_seq_seq') AS continues
         FROM workspaces`,
      )) as Record<string, unknown>[];
      const { events } = counts ?? {};
      expect(Number(events)).toBeGreaterThanOrEqual(turn * 50);
      expect(counts).toEqual({
        workspaces: events,
        profiles: events,
        events,
        audit: events,
        continues: true,
      });
    }
  } finally {
    stop.abort();
    await Promise.all(writers);
  }
});

test('an interrupted restore leaves an empty database, and an interrupted backup no session', async () => {
  const source = await testDatabase('backup_interrupted');
  await run(
    source,
    `INSERT INTO audit_rows (id, workspace_id, actor, action, outcome, request_id, details)
     SELECT n::text, 'wsp', 'a', 'a', 'ok', 'r', jsonb_build_object('text', repeat(md5(n::text), 20)) FROM generate_series(1, 20000) AS n`,
  );
  const target = await emptyTestDatabase('backup_interrupted_target');
  const stop = new AbortController();
  async function* stopLater() {
    let rows = 0;
    for await (const piece of dump(source)) {
      if (piece instanceof Uint8Array && (rows += 1) === 20) stop.abort();
      yield piece;
    }
  }
  await expect(load(target, stopLater(), stop.signal)).rejects.toThrow(/aborted/);
  expect(
    await run(target, `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace`),
  ).toEqual([]);
  // The same database can be filled now.
  expect((await load(target, dump(source))).rows).toBeGreaterThan(20_000);

  const reading = new AbortController();
  const readSome = async () => {
    for await (const piece of dump(source, reading.signal)) if (piece instanceof Uint8Array) reading.abort();
  };
  await expect(readSome()).rejects.toThrow(/aborted/);
  for (let left = 1; left > 0;) {
    const [sessions] = (await run(
      source,
      `SELECT count(*)::int AS left FROM pg_stat_activity WHERE application_name = 'switchboard backup' AND datname = current_database()`,
    )) as { left: number }[];
    left = sessions?.left ?? 0;
  }
});
