import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { queryRows } from './support/database.js';
import { eventually, leastUntil } from './support/eventually.js';
import { connectMcpHttp } from './support/mcp-client.js';
import { openOperator, type Operator } from './support/operator.js';
import { restClient, type RestClient } from './support/rest-client.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';

const SLOTS = 100;
/** The longest possible wait: the test ends it by a change. */
const WAIT_SECONDS = 30;

let switchboard: Switchboard;
let operator: Operator;
let clients: readonly RestClient[];
beforeAll(async () => {
  switchboard = await serveSwitchboard({ name: 'waiting', mcp: true });
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
const cancel = (id: string) =>
  queryRows(switchboard.databaseUrl, `UPDATE connect_sessions SET status = 'cancelled' WHERE id = '${id}'`);
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
  let answered = 0;
  const counted = <Answer>(answer: Promise<Answer>) => answer.finally(() => (answered += 1));
  const overRest = Array.from({ length: 140 }, (_, n) => counted(waitFor(n, id)));
  const overMcp = Array.from({ length: 10 }, () =>
    counted(agent.call('get_connect_session', { session_id: id, wait_seconds: WAIT_SECONDS })),
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

  await eventually('the others are answered', async () => (answered >= 150 - SLOTS ? true : null));
  // Long enough for polls to show in the number of transactions.
  await pause(8000);
  expect(answered).toBe(150 - SLOTS);
  await cancel(id);
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
  const answeredAfterMs = async () => {
    const id = await session();
    const waiting = [waitFor(0, id), waitFor(1, id)];
    // After the first poll and long before the second, so that only the notification can wake them this soon.
    await pause(2500);
    await cancel(id);
    const changedMs = performance.now();
    const answers = await Promise.all(waiting);
    expect(answers.map(({ json }) => json['status'])).toEqual(['cancelled', 'cancelled']);
    return performance.now() - changedMs;
  };
  expect(await leastUntil(2000, answeredAfterMs)).toBeLessThan(2000);
});
