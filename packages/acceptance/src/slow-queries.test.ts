import { afterAll, beforeAll, beforeEach, afterEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { queryRows } from './support/database.js';
import { eventually } from './support/eventually.js';
import { openOperator, type Operator } from './support/operator.js';
import { restClient, type RestClient } from './support/rest-client.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';

/** Longer than any test takes. */
const TIMEOUT_SECONDS = 3600;

let switchboard: Switchboard;
let operator: Operator;
let slow: string;
let quick: RestClient;
/** Holds the lock that every list of posts waits for. */
let lock: pg.Client;
beforeAll(async () => {
  switchboard = await serveSwitchboard({
    name: 'slow_queries',
    mcp: true,
    // A worker would wait for the lock as well.
    env: { SWITCHBOARD_STATEMENT_TIMEOUT: String(TIMEOUT_SECONDS), SWITCHBOARD_ROLES: 'http' },
  });
  operator = await openOperator(switchboard);
  slow = (await operator.createKey({ scopes: ['posts:read', 'posts:write', 'profiles:read'] })).token;
  const workspaceId = await operator.createWorkspace('another');
  quick = restClient(
    switchboard.url,
    (await operator.createKey({ scopes: ['posts:read'], workspaceId })).token,
  );
  await quick.expect(200, 'GET', '/me');
});
beforeEach(async () => {
  lock = new pg.Client({ connectionString: switchboard.databaseUrl });
  await lock.connect();
  await lock.query('BEGIN');
  await lock.query('LOCK TABLE posts IN ACCESS EXCLUSIVE MODE');
});
afterEach(async () => {
  await lock.query('ROLLBACK');
  await lock.end();
});
afterAll(async () => {
  await operator?.close();
  await switchboard?.stop();
});

const REST = { method: 'GET', path: '/v1/social/posts' };
const CHANGE = { method: 'POST', path: '/v1/social/posts', body: { text: 'Slow', draft: true } };
const MCP = {
  method: 'POST',
  path: '/mcp',
  body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_posts', arguments: {} } },
};
type Request = Partial<typeof CHANGE> & Pick<typeof REST, 'method' | 'path'>;

async function send(
  { method, path, body }: Request | typeof MCP,
  signal?: AbortSignal,
  rest: string = switchboard.url,
) {
  const url = path === '/mcp' ? switchboard.mcpUrl : `${rest}${path}`;
  const response = await fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${slow}`,
      accept: 'application/json, text/event-stream',
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  return { status: response.status, text: await response.text() };
}

/** The connections whose statement waits for the lock. */
const waiting = async () =>
  (
    await queryRows<{ pid: number }>(
      switchboard.databaseUrl,
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )
  ).map(({ pid }) => pid);

test('finding 80: ten slow queries of one workspace delay no other workspace', async () => {
  const all = Array.from({ length: 10 }, () => send(REST));
  await eventually('queries wait', async () => ((await waiting()).length === 4 ? true : null));
  for (let n = 0; n < 20; n++) await quick.expect(200, 'GET', '/me');
  // None of the slow queries has ended.
  expect(await waiting()).toHaveLength(4);
  await lock.query('ROLLBACK');
  for (const { status } of await Promise.all(all)) expect(status).toBe(200);
});

test('finding 80: a query that exceeds its timeout is a retryable error', async () => {
  const replica = await switchboard.startReplica({
    SWITCHBOARD_STATEMENT_TIMEOUT: '1',
    SWITCHBOARD_ROLES: 'http',
  });
  const all = Array.from({ length: 10 }, () => send(REST, undefined, replica.url));
  for (const { status, text } of await Promise.all(all)) {
    expect(status).toBe(503);
    expect(JSON.parse(text)).toMatchObject({
      code: 'service.unavailable',
      retryable: true,
      effect: 'none',
      retry_after_seconds: 5,
      detail: 'The database took too long to respond. Retry shortly, or request less at once.',
    });
  }
  await replica.server.stop();
});

test.each([
  ['a read over REST', REST],
  ['a change over REST', CHANGE],
  ['a read over MCP', MCP],
])(
  'finding 80: the query of %s ends once the caller has disconnected, long before its timeout',
  async (_what, request) => {
    const gone = new AbortController();
    const call = send(request, gone.signal).catch((error: unknown) => error);
    await eventually('the query waits', async () => ((await waiting()).length === 1 ? true : null));
    gone.abort();
    // Neither its timeout nor the lock ends it.
    await eventually('the query has ended', async () => ((await waiting()).length === 0 ? true : null));
    expect(await call).toMatchObject({ name: 'AbortError' });
  },
);
