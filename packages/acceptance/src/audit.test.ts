import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { catalog } from '@switchboard/operations';
import pg from 'pg';
import { callOperation } from './support/call-operation.js';
import { eventually } from './support/eventually.js';
import { asObjects, asText } from './support/json.js';
import { openOperator, type Operator } from './support/operator.js';
import { getParityRow } from './support/parity-rows.js';
import { restClient, type RestClient } from './support/rest-client.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';
import { buildTestWorld, type TestWorld } from './support/test-world.js';

/** The trigger identifies the changes of the watched process by the application_name of its connections. */
const WATCHED = 'watched';

/**
 * Tables of responses, counters, heartbeats and sequence state, which are not business changes; and the audit
 * log itself.
 */
const NO_CHANGE = [
  ...['audit_heads', 'idempotency_keys', 'key_holders', 'rate_limits', 'snapshots', 'waiting_slots'],
  ...['_prisma_migrations', 'watched_changes'],
];

const WATCH = `
  CREATE TABLE watched_changes (xid xid8, name text, op text);
  CREATE FUNCTION watch() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE claims text[] := '{lease_until,epoch,fence,last_used_at,sent_at,first_sent_at,next_attempt_at,attempts}';
  BEGIN
    IF current_setting('application_name') <> '${WATCHED}' THEN RETURN NULL; END IF;
    IF TG_OP = 'UPDATE' AND to_jsonb(NEW) - claims = to_jsonb(OLD) - claims THEN RETURN NULL; END IF;
    INSERT INTO watched_changes VALUES (pg_current_xact_id(), TG_TABLE_NAME, TG_OP);
    RETURN NULL;
  END $$;
  CREATE FUNCTION no_audit() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF current_setting('application_name') = '${WATCHED}' THEN RAISE EXCEPTION 'the audit cannot be written'; END IF;
    RETURN NEW;
  END $$;`;

let switchboard: Switchboard;
let operator: Operator;
let world: TestWorld;
/** Calls the watched process; another process creates the test data. */
let watchedTables: RestClient;
let database: pg.Client;
beforeAll(async () => {
  switchboard = await serveSwitchboard({ name: 'audit' });
  operator = await openOperator(switchboard);
  world = await buildTestWorld(switchboard.url, switchboard.keys.full, {
    social: 'maren-holt',
    store: 'alder-oak',
  });
  database = new pg.Client({ connectionString: switchboard.databaseUrl });
  await database.connect();
  await database.query(WATCH);
  const { rows } = await database.query<{ tablename: string }>(
    `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`,
  );
  for (const { tablename } of rows.filter((row) => !NO_CHANGE.includes(row.tablename)))
    await database.query(
      `CREATE TRIGGER watch AFTER INSERT OR UPDATE OR DELETE ON ${tablename} FOR EACH ROW EXECUTE FUNCTION watch()`,
    );
  const url = new URL(switchboard.databaseUrl);
  url.searchParams.set('application_name', WATCHED);
  const replica = await switchboard.startReplica({
    SWITCHBOARD_ROLES: 'http',
    DATABASE_URL: url.href,
    SWITCHBOARD_DIRECT_DATABASE_URL: switchboard.databaseUrl,
  });
  watchedTables = restClient(replica.url, switchboard.keys.full);
});
afterAll(async () => {
  await database?.end();
  await operator?.close();
  await switchboard?.stop();
});

const changes = async () =>
  (
    await database.query<{ name: string; op: string; audited: boolean }>(
      `SELECT c.name, c.op, EXISTS (
         SELECT FROM watched_changes a WHERE a.xid = c.xid AND a.name = 'audit_rows' AND a.op = 'INSERT') AS audited
       FROM watched_changes c WHERE c.name <> 'audit_rows'`,
    )
  ).rows;

const mutations = catalog
  .filter(({ effect }) => effect !== 'read')
  .map((operation) => [operation.name, operation] as const);

/**
 * These operations look up unresolved outcomes, without one they have nothing to change; or only send a message. An
 * import needs a login that its platform accepts: store-connections.test.ts.
 */
const MAY_CHANGE_NOTHING = /^(recheck|resolve|testWebhook|importConnections)/;

async function sendRequest(operation: (typeof catalog)[number]) {
  const input = await getParityRow(operation).input(world);
  await database.query('DELETE FROM watched_changes');
  return callOperation(watchedTables, operation, input);
}

describe('every change has its audit row in the same transaction', () => {
  test.each(mutations)('%s', async (name, operation) => {
    const { status, text: body } = await sendRequest(operation);
    if (!MAY_CHANGE_NOTHING.test(name)) expect([status, body]).toEqual([operation.http.status, body]);
    const found = await changes();
    if (!MAY_CHANGE_NOTHING.test(name)) expect(found).not.toEqual([]);
    expect(found.filter(({ audited }) => !audited)).toEqual([]);
  });
});

describe('R29: when the audit row cannot be written, nothing is changed', () => {
  beforeAll(() =>
    database.query(
      'CREATE TRIGGER no_audit BEFORE INSERT ON audit_rows FOR EACH ROW EXECUTE FUNCTION no_audit()',
    ),
  );
  afterAll(() => database.query('DROP TRIGGER no_audit ON audit_rows'));

  test.each(mutations)('%s', async (name, operation) => {
    const { status, json } = await sendRequest(operation);
    expect(await changes()).toEqual([]);
    if (MAY_CHANGE_NOTHING.test(name) && status < 500) return;
    expect(status).toBeGreaterThanOrEqual(500);
    expect(json).toMatchObject({ effect: 'none' });
  });
});

describe('the audit log', () => {
  test('lists changes and refusals with actor, action and outcome, page by page, and is sealed within seconds', async () => {
    const { id, token } = await operator.createKey({ scopes: ['profiles:write', 'profiles:read'] });
    const client = restClient(switchboard.url, token);
    const made = await client.expect(201, 'POST', '/profiles', { body: { name: 'Audited' } });
    for (let at = 0; at < 3; at++) await client.expect(403, 'GET', '/keys');
    const read = (query: Record<string, string>) =>
      world.client.expect(200, 'GET', '/audit', { query: { actor: id, ...query } });
    const first = await read({ limit: '1' });
    const second = await read({ limit: '1', cursor: asText(first['next_cursor']) });
    expect([...asObjects(first['data']), ...asObjects(second['data'])]).toMatchObject([
      {
        action: 'listKeys',
        object: null,
        outcome: 'key.scope_missing',
        details: { surface: 'rest', count: 1 },
      },
      { action: 'createProfile', object: made['id'], outcome: 'ok', details: { surface: 'rest' } },
    ]);
    expect(second['next_cursor']).toBeNull();
    await eventually('the row is sealed', async () => {
      const [row] = asObjects((await read({ object: asText(made['id']) }))['data']);
      return row?.['sealed'] === true ? row : null;
    });
  });

  test('requires audit:read and shows no rows of another workspace', async () => {
    expect(
      (await restClient(switchboard.url, switchboard.keys.agent).sendRequest('GET', '/audit')).status,
    ).toBe(403);
    const workspaceId = await operator.createWorkspace('elsewhere');
    const { token } = await operator.createKey({ scopes: ['audit:read'], workspaceId });
    const { data } = await restClient(switchboard.url, token).expect(200, 'GET', '/audit');
    expect(new Set(asObjects(data).map(({ action }) => action))).toEqual(
      new Set(['createWorkspace', 'createKey']),
    );
  });
});
