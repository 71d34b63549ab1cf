import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { repetitions } from '@switchboard/domain/testing';
import { queryRows } from './support/database.js';
import { eventually } from './support/eventually.js';
import type { Replica } from './support/installation.js';
import { asObject, asObjects, asText, type JsonObject } from './support/json.js';
import { connectMcpHttp, type McpClient } from './support/mcp-client.js';
import { startProgram, type Program } from './support/program.js';
import { programs } from './support/programs.js';
import { restClient, type RestClient } from './support/rest-client.js';
import { sandboxControl } from './support/sandbox-control.js';
import { connectAccount, refundableOrders } from './support/sandbox-store.js';
import { serveWithReplicas, type SwitchboardWithReplicas } from './support/serve-switchboard.js';

const POSTS = Number(process.env['PAUSED_POSTS'] ?? repetitions({ few: 200, many: 1000 }));
const BATCH = 50;
/** A tenth of them may not be sent any more when the installation is resumed. */
const OVERDUE = POSTS / 10;
const ACCOUNTS = ['maren-holt', 'tidal-museum'];

let switchboard: SwitchboardWithReplicas;
let sandbox: ReturnType<typeof sandboxControl>;
let client: RestClient;
let agent: McpClient;
const workers: Replica<Program>[] = [];
beforeAll(async () => {
  // This process serves calls and the sandbox; the workers are started by the test.
  switchboard = await serveWithReplicas({ name: 'pause', mcp: true, env: { SWITCHBOARD_ROLES: 'http' } });
  sandbox = sandboxControl(switchboard.sandboxUrl);
  client = restClient(switchboard.url, switchboard.keys.full);
  agent = await connectMcpHttp(switchboard, switchboard.keys.full);
});
afterAll(async () => {
  await agent?.close();
  await switchboard?.stop();
});

const startWorker = async (env: Readonly<Record<string, string>> = {}) => {
  const worker = await switchboard.startReplica({ SWITCHBOARD_ROLES: 'http,worker', ...env });
  workers.push(worker);
  return worker;
};

const getProfile = async () =>
  asText(asObjects((await client.expect(200, 'GET', '/profiles'))['data'])[0]?.['id']);

/** The operator's command line, as a process of its own. */
async function operate(...args: readonly string[]): Promise<JsonObject> {
  const program = startProgram(programs.cli, switchboard.env, [...args, '--json']);
  const { code } = await program.exited;
  if (code !== 0) throw new Error(`${args.join(' ')} exited with ${code}: ${program.output()}`);
  return JSON.parse(program.stdout()) as JsonObject;
}

const rows = <Row extends object>(sql: string) => queryRows<Row>(switchboard.databaseUrl, sql);
async function countByStatus(): Promise<Readonly<Record<string, number>>> {
  const counted = await rows<{ status: string; count: number }>(
    'SELECT status, count(*)::int AS count FROM deliveries GROUP BY status',
  );
  return Object.fromEntries(counted.map(({ status, count }) => [status, count]));
}
async function countAttempts(): Promise<number> {
  const [row] = await rows<{ count: number }>(
    `SELECT count(*)::int AS count FROM delivery_attempts WHERE kind = 'attempt' AND outcome = 'begun'`,
  );
  return row?.count ?? 0;
}

test('a pause during many due posts, with a worker that is killed: none is published twice, none is lost, and none is late without being missed', async () => {
  const profile = await getProfile();
  const connections: string[] = [];
  for (const name of ACCOUNTS) connections.push(await connectAccount(client, 'sandbox_social', name));
  for (let first = 0; first < POSTS; first += BATCH) {
    const posts = Array.from({ length: Math.min(BATCH, POSTS - first) }, (_, n) => ({
      text: `Post ${first + n}`,
      targets: [{ connection_id: connections[(first + n) % connections.length] }],
    }));
    await client.expect(201, 'POST', '/social/posts/batch', { body: { posts } });
  }
  await sandbox.fault({
    platform: 'social',
    kind: 'delay',
    // Two workers send at most sixteen posts to each account at once: most are still due at the pause.
    delay_ms: 5000,
    times: 1_000_000,
    match: { method: 'POST' },
  });
  const [victim] = [await startWorker(), await startWorker()];
  await eventually('some are published', async () =>
    ((await countByStatus())['published'] ?? 0) > 0 ? true : null,
  );
  victim?.server.kill('SIGKILL');
  await client.expect(200, 'POST', `/profiles/${profile}/pause`);
  const begun = await countAttempts();
  // What was in flight is completed, and what the killed worker had in flight is read back.
  const inFlight = ['sending', 'unknown'];
  const settled = await eventually('nothing is in flight', async () => {
    const counts = await countByStatus();
    return inFlight.some((status) => (counts[status] ?? 0) > 0) ? null : counts;
  });
  expect(await countAttempts()).toBe(begun);
  const held = (settled['pending'] ?? 0) + (settled['retrying'] ?? 0);
  expect(held).toBeGreaterThan(OVERDUE);
  const overdue = await rows<{ id: string }>(
    `UPDATE deliveries SET not_after = now() - interval '1 second' WHERE id IN (
       SELECT id FROM deliveries WHERE status = 'pending' ORDER BY id LIMIT ${OVERDUE}) RETURNING id`,
  );
  expect(overdue).toHaveLength(OVERDUE);

  await startWorker();
  await sandbox.clearFaults();
  await client.expect(200, 'POST', `/profiles/${profile}/resume`);
  const final = await eventually(
    'all are settled',
    async () => {
      const counts = await countByStatus();
      const ended = (counts['published'] ?? 0) + (counts['missed'] ?? 0);
      return ended === POSTS ? counts : null;
    },
    600_000,
  );
  expect(final).toEqual({ published: POSTS - OVERDUE, missed: OVERDUE });
  const missed = await rows<{ id: string }>(`SELECT id FROM deliveries WHERE status = 'missed' ORDER BY id`);
  expect(missed.map(({ id }) => id)).toEqual(overdue.map(({ id }) => id).sort());
  const effects = await sandbox.ledger('post.created');
  expect(effects).toHaveLength(POSTS - OVERDUE);
  const late = await rows(`SELECT id FROM deliveries WHERE published_at > not_after`);
  expect(late).toEqual([]);
}, 900_000);

test('what a pause holds is reported by every interface that an agent uses', async () => {
  const store = await connectAccount(client, 'sandbox_store', 'alder-oak');
  const [order] = await refundableOrders(client, store);
  if (!order) throw new Error('the store has no refundable orders');
  const profile = await getProfile();
  const connection = asText(
    asObjects((await client.expect(200, 'GET', '/connections', { query: { kind: 'social' } }))['data'])[0]?.[
      'id'
    ],
  );
  const resume = async () => client.expect(200, 'POST', `/profiles/${profile}/resume`);
  expect(
    await client.expect(200, 'POST', `/profiles/${profile}/pause`, { body: { reason: 'Recall' } }),
  ).toMatchObject({ paused: true, pause: { cause: 'requested', reason: 'Recall' } });
  try {
    const draft = { text: 'While it is paused', targets: [{ connection_id: connection }] };
    const validated = await agent.call('validate_post', draft);
    expect(asObjects(asObjects(validated.json['targets'])[0]?.['warnings'])).toMatchObject([
      { code: 'publishing.paused' },
    ]);
    const created = await agent.call('create_post', draft);
    expect(created.text).toMatch(
      /publishing is paused for its profile, which holds .*do not create it again/,
    );
    expect(asObjects(created.json['deliveries'])).toMatchObject([{ status: 'pending', held_by: 'profile' }]);
    const quote = await agent.call('quote_refund', { order_id: order.id, amount: '1.00' });
    expect(quote.json['consequences']).toContainEqual(
      expect.stringContaining('Refunding is paused for its profile'),
    );
    const refunded = await agent.call('refund_order', { quote_id: asText(quote.json['id']) });
    expect(refunded.text).toMatch(/^Refunding is paused for its profile, which holds the refund of 1\.00/);
    expect(refunded.json).toMatchObject({ status: 'pending', held_by: 'profile' });
    const listed = await agent.call('list_attention');
    expect(asObjects(listed.json['data'])[0]).toMatchObject({ kind: 'profile_paused', profile_id: profile });
    expect((await agent.call('list_connections')).json).toMatchObject({ data: expect.anything() as unknown });

    await resume();
    const refund = await eventually('the refund is made', async () => {
      const { data: refunds } = await client.expect(200, 'GET', '/ecommerce/refunds', {
        query: { order_id: order.id },
      });
      const found = asObjects(refunds).find(({ id }) => id === refunded.json['id']);
      return found?.['status'] === 'succeeded' ? found : null;
    });
    expect(refund).toMatchObject({ held_by: null });
    const post = await client.expect(200, 'GET', `/social/posts/${asText(created.json['id'])}`, {
      headers: { Prefer: 'wait=30' },
    });
    expect(post).toMatchObject({ status: 'published' });
  } finally {
    await resume();
  }
});

test('an installation that starts under another public URL starts paused, states why, and is ready', async () => {
  const replica = await startWorker({ SWITCHBOARD_PUBLIC_URL: 'https://staging.example' });
  const me = await client.expect(200, 'GET', '/me');
  expect(me['pause']).toMatchObject({
    cause: 'changed_public_url',
    paused_by: 'system:start',
    reason: expect.stringContaining('https://staging.example') as unknown,
  });
  await replica.server.waitForOutput(/the installation is paused/);
  expect((await fetch(`${replica.url}/readyz`)).status).toBe(200);
  const metrics = await (await fetch(`${replica.url}/metrics`)).text();
  expect(metrics).toContain('switchboard_paused{scope="installation"} 1');
  expect((await agent.call('whoami')).text).toContain('The installation is paused');
  expect(asObject(asObjects((await client.expect(200, 'GET', '/attention'))['data'])[0])).toMatchObject({
    kind: 'installation_paused',
  });
  expect(await operate('resume')).toMatchObject({ ended: { cause: 'changed_public_url' } });
  expect(await client.expect(200, 'GET', '/me')).toMatchObject({ pause: null });
});
