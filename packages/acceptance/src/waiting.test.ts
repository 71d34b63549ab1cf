import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { queryRows } from './support/database.js';
import { connectMcpHttp } from './support/mcp-client.js';
import { openOperator, type Operator } from './support/operator.js';
import { restClient, type RestClient } from './support/rest-client.js';
import { startSwitchboard, type Switchboard } from './support/start-switchboard.js';

const SLOTS = 100;
const WAIT_SECONDS = 8;

let switchboard: Switchboard;
let operator: Operator;
let clients: readonly RestClient[];
beforeAll(async () => {
  switchboard = await startSwitchboard({ name: 'waiting', mcp: true });
  operator = await openOperator(switchboard);
  const replica = await switchboard.startReplica();
  const { token } = await operator.createKey({ scopes: ['connections:read', 'connections:write'] });
  clients = [switchboard.url, replica.url].map((url) => restClient(url, token));
});
afterAll(async () => {
  await operator?.close();
  await switchboard?.stop();
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const session = async () =>
  (
    await (clients[0] as RestClient).expect(201, 'POST', '/connect/url', {
      body: { platform: 'sandbox_social' },
    })
  )['id'] as string;
const waitFor = (n: number, id: string, seconds = WAIT_SECONDS) =>
  (clients[n % clients.length] as RestClient).get(`/connect/sessions/${id}`, {
    headers: { prefer: `wait=${seconds}` },
  });
const transactions = async () => {
  const [{ count } = { count: 0 }] = await queryRows<{ count: number }>(
    switchboard.databaseUrl,
    `SELECT xact_commit::int AS count FROM pg_stat_database WHERE datname = current_database()`,
  );
  return count;
};

test('at most a hundred requests of a workspace wait, over all processes and interfaces, and none of them polls (finding 6)', async () => {
  const id = await session();
  const agent = await connectMcpHttp(
    switchboard,
    (await operator.createKey({ scopes: ['connections:read'] })).token,
  );
  const before = await transactions();
  const overRest = Array.from({ length: 140 }, (_, n) => waitFor(n, id));
  const overMcp = Array.from({ length: 10 }, () =>
    agent.call('get_connect_session', { session_id: id, wait_seconds: WAIT_SECONDS }),
  );
  const elsewhere = await operator.createKey({
    scopes: ['connections:read', 'connections:write'],
    workspaceId: await operator.createWorkspace('elsewhere'),
  });
  const other = restClient(switchboard.url, elsewhere.token);
  const theirs = String(
    (await other.expect(201, 'POST', '/connect/url', { body: { platform: 'sandbox_social' } }))['id'],
  );
  const waited = await other.get(`/connect/sessions/${theirs}`, { headers: { prefer: 'wait=1' } });
  expect(waited.headers.get('preference-applied')).toBe('wait=1');

  const answers = await Promise.all(overRest);
  await Promise.all(overMcp);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const applied = answers.filter(
    ({ headers }) => headers.get('preference-applied') === `wait=${WAIT_SECONDS}`,
  );
  expect(applied.length).toBeLessThanOrEqual(SLOTS);
  expect(applied.length).toBeGreaterThanOrEqual(SLOTS - overMcp.length);
  // Polling every tenth of a second would be 80 queries for each of them.
  expect((await transactions()) - before).toBeLessThan(150 * 20);
  await agent.close();
});

test('a waiting request is answered when the change commits, in any process', async () => {
  const id = await session();
  const waiting = [waitFor(0, id, 30), waitFor(1, id, 30)];
  // After the first read, so that only the notification can wake them this soon.
  await pause(2500);
  const database = new pg.Client({ connectionString: switchboard.databaseUrl });
  await database.connect();
  await database.query(`UPDATE connect_sessions SET status = 'cancelled' WHERE id = $1`, [id]);
  const changedMs = performance.now();
  await database.end();
  const answers = await Promise.all(waiting);
  expect(performance.now() - changedMs).toBeLessThan(2000);
  expect(answers.map(({ json }) => json['status'])).toEqual(['cancelled', 'cancelled']);
});
