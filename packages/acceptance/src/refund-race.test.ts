import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { scopes } from '@switchboard/domain';
import type { FaultKind, LedgerEntry } from '@switchboard/simulators';
import {
  connectAccount,
  eur,
  minorOf,
  refundableOrders,
  type SandboxOrder,
} from './support/connected-store.js';
import { rowsOf } from './support/database.js';
import { object, objects, text, type JsonObject } from './support/json.js';
import { mcpStdio } from './support/mcp-client.js';
import { openOperator, type Operator } from './support/operator.js';
import { restClient, type RestAnswer, type RestClient } from './support/rest-client.js';
import { sandboxControl } from './support/sandbox-control.js';
import { startSwitchboard, type Switchboard } from './support/switchboard.js';

const AT_ONCE = 20;
const STORE = 'alder-oak';

let switchboard: Switchboard;
let operator: Operator;
let sandbox: ReturnType<typeof sandboxControl>;
/** Two processes on one database. */
let clients: readonly [RestClient, RestClient];
let orders: SandboxOrder[];
beforeAll(async () => {
  switchboard = await startSwitchboard({ name: 'refund_race' });
  operator = await openOperator(switchboard);
  sandbox = sandboxControl(switchboard.sandboxUrl);
  const { url } = await switchboard.startReplica();
  clients = [restClient(switchboard.url, switchboard.keys.full), restClient(url, switchboard.keys.full)];
  const connectionId = await connectAccount(clients[0], 'sandbox_store', STORE);
  orders = [...(await refundableOrders(clients[0], connectionId))];
  // As in some real stores: what remains is read, and written a moment later without another look.
  await sandbox.settings({ lax_over_refund: true });
});
afterEach(() => sandbox.clearFaults());
afterAll(async () => {
  await operator?.close();
  await switchboard?.stop();
});

function nextOrder(): SandboxOrder {
  const order = orders.shift();
  if (!order) throw new Error('the sandbox has no more orders that can be refunded');
  return order;
}

const effectsOf = async ({ externalId }: SandboxOrder): Promise<readonly LedgerEntry[]> =>
  (await sandbox.ledger('refund.created', STORE)).filter((entry) => entry['order_id'] === externalId);

const sum = (entries: readonly LedgerEntry[]) =>
  entries.reduce((total, entry) => total + Number(entry['amount']), 0);

const refund = (index: number, order: SandboxOrder, body: object, headers: Record<string, string> = {}) =>
  (clients[index % 2] as RestClient).post(`/ecommerce/orders/${order.id}/refund`, body, headers);

const atOnce = (ask: (index: number) => Promise<RestAnswer>) =>
  Promise.all(Array.from({ length: AT_ONCE }, (_, index) => ask(index)));

const refusals = [
  'refund.in_progress',
  'refund.in_doubt',
  'refund.exceeds_refundable',
  'refund.possible_duplicate',
];

/** What is in doubt is left alone for half a minute, in which the store may still be at work: as though it had passed. */
const letTheStoreFinish = (id: string) =>
  rowsOf(
    switchboard.databaseUrl,
    `UPDATE refunds SET next_attempt_at = now() - interval '1 second' WHERE id = '${id}' AND status = 'unknown'`,
  );

async function settled(id: string): Promise<JsonObject> {
  for (let look = 0; look < 60; look += 1) {
    const found = await clients[0].expect(200, 'GET', `/ecommerce/refunds/${id}`);
    if (!['pending', 'unknown'].includes(text(found['status']))) return found;
    if (found['status'] === 'unknown') await letTheStoreFinish(id);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Error(`the refund ${id} did not settle within 15 seconds`);
}

/** What was answered, what became of it, and what the store did agree: every success is one effect and every effect a success. */
async function expectAgreement(
  order: SandboxOrder,
  answers: readonly RestAnswer[],
): Promise<readonly JsonObject[]> {
  const ids = new Set(answers.filter(({ status }) => status === 201).map(({ json }) => text(json['id'])));
  const listed = await clients[1].expect(200, 'GET', '/ecommerce/refunds', {
    query: { order_id: order.id, limit: 100 },
  });
  for (const { id } of objects(listed['data'])) ids.add(text(id));
  const refunds = await Promise.all([...ids].map(settled));
  const succeeded = refunds.filter(({ status }) => status === 'succeeded');
  expect(refunds.filter(({ status }) => !['succeeded', 'failed'].includes(text(status)))).toEqual([]);

  const effects = await effectsOf(order);
  expect(effects.map(({ id }) => id).sort()).toEqual(succeeded.map((one) => one['external_id']).sort());
  expect(sum(effects)).toBe(succeeded.reduce((total, one) => total + minorOf(one['amount']), 0));
  expect(sum(effects)).toBeLessThanOrEqual(order.capturedMinor);
  return succeeded;
}

test(`never refunds above what was captured, whatever ${AT_ONCE} requests at once through two processes ask for`, async () => {
  const order = nextOrder();
  const part = Math.floor(order.capturedMinor / 4);
  const answers: RestAnswer[] = [];
  for (let round = 0; round < 6; round += 1) {
    answers.push(
      ...(await atOnce((index) => refund(index, order, { amount: eur(part), allow_duplicate: true }))),
    );
  }
  const codes = answers.filter(({ status }) => status >= 400).map(({ json }) => json['code']);
  expect(codes.filter((code) => !refusals.includes(text(code)))).toEqual([]);
  const succeeded = await expectAgreement(order, answers);
  expect(succeeded).toHaveLength(4);
});

const faults: readonly FaultKind[] = [
  'reset-before-effect',
  '500-before',
  '429',
  'reset-after-effect',
  '500-after',
  '2xx-truncated',
  '2xx-no-id',
  'garbage',
];

test.each(faults)(
  `refunds in full exactly once when the store answers ${AT_ONCE} requests with %s`,
  async (kind) => {
    const order = nextOrder();
    await sandbox.fault({
      platform: 'store',
      kind,
      match: { method: 'POST', path_prefix: `/api/orders/${order.externalId}/refunds` },
      times: 2,
      retry_after: 1,
    });
    const answers = await atOnce((index) =>
      refund(index, order, { full: true }, { 'Idempotency-Key': `${kind}-${index}` }),
    );
    const succeeded = await expectAgreement(order, answers);
    expect(succeeded.length).toBeLessThanOrEqual(1);
    if (succeeded.length === 0) {
      // Nothing was sent or the store refused: the money is free again, and asking again moves it.
      await sandbox.clearFaults();
      const again = await refund(0, order, { full: true }, { 'Idempotency-Key': `${kind}-again` });
      expect(again).toMatchObject({ status: 201, json: { status: 'succeeded' } });
    }
    expect(sum(await effectsOf(order))).toBe(order.capturedMinor);
  },
);

test('the same idempotency key asked for twenty times through two processes is one refund and one answer', async () => {
  const order = nextOrder();
  const headers = { 'Idempotency-Key': 'the-same' };
  const answers = await atOnce((index) => refund(index, order, { full: true }, headers));
  for (const { status, json } of answers) {
    expect(status === 201 || (status === 409 && json['code'] === 'idempotency.in_progress')).toBe(true);
  }
  const [first, second] = [
    await refund(0, order, { full: true }, headers),
    await refund(1, order, { full: true }, headers),
  ];
  expect(first.status).toBe(201);
  expect(first.headers.get('idempotency-replayed')).toBe('true');
  expect(second.text).toBe(first.text);
  for (const { status, text: bytes } of answers) if (status === 201) expect(bytes).toBe(first.text);
  expect(await effectsOf(order)).toHaveLength(1);
});

test('what may have happened blocks the order until it has been looked up, and is then known', async () => {
  const order = nextOrder();
  const path = `/api/orders/${order.externalId}`;
  await sandbox.fault({
    platform: 'store',
    kind: 'reset-after-effect',
    match: { method: 'POST', path_prefix: path },
  });
  await sandbox.fault({
    platform: 'store',
    kind: '500-before',
    match: { method: 'GET', path_prefix: `${path}/refunds` },
    times: null,
  });
  const part = eur(Math.floor(order.capturedMinor / 3));
  const doubtful = await refund(0, order, { amount: part });
  expect(doubtful).toMatchObject({ status: 201, json: { status: 'unknown', settled_at: null } });
  const others = await atOnce((index) => refund(index, order, { amount: part, allow_duplicate: true }));
  for (const { status, json } of others) {
    expect(status).toBe(409);
    expect(['refund.in_doubt', 'refund.in_progress']).toContain(json['code']);
  }
  expect(await effectsOf(order)).toHaveLength(1);

  await sandbox.clearFaults();
  const id = text(doubtful.json['id']);
  const rechecked = await clients[1].expect(200, 'POST', `/ecommerce/refunds/${id}/recheck`);
  expect(rechecked).toMatchObject({ id, status: 'succeeded', money_moved: true });
  expect((await effectsOf(order)).map((effect) => effect.id)).toEqual([rechecked['external_id']]);
  expect(await refund(1, order, { amount: part, allow_duplicate: true })).toMatchObject({
    status: 201,
    json: { status: 'succeeded' },
  });
});

test('a quote is good once: used again over MCP and REST at the same time it names the same refund', async () => {
  const order = nextOrder();
  const agent = await mcpStdio(switchboard, switchboard.keys.full);
  try {
    const quote = await agent.call('quote_refund', { order_id: order.id, full: true });
    const given = { quote_id: quote.json['id'] };
    const [overMcp, overRest] = await Promise.all([
      Promise.all(Array.from({ length: AT_ONCE / 2 }, () => agent.call('refund_order', given))),
      Promise.all(Array.from({ length: AT_ONCE / 2 }, (_, index) => refund(index, order, given))),
    ]);
    const answers = [...overMcp.map(({ json }) => json), ...overRest.map(({ json }) => json)];
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['succeeded']));
    expect(await agent.call('refund_order', given)).toMatchObject({
      isError: false,
      json: { id: answers[0]?.['id'] },
    });
  } finally {
    await agent.close();
  }
  expect(await effectsOf(order)).toHaveLength(1);
});

test('a key never refunds above its ceiling, however many orders it asks for at once', async () => {
  const taken = orders.splice(-8);
  const largest = Math.max(...taken.map(({ capturedMinor }) => capturedMinor));
  const perDayMinor = largest + Math.floor(largest / 2);
  const key = await operator.makeKey({
    scopes,
    policy: { refundCeilings: [{ currency: 'EUR', perRefundMinor: largest, perDayMinor }] },
  });
  const both = [restClient(switchboard.url, key.token), restClient(clients[1].url, key.token)];
  const answers = await Promise.all(
    taken.map(({ id }, index) =>
      (both[index % 2] as RestClient).post(`/ecommerce/orders/${id}/refund`, { full: true }),
    ),
  );
  const refused = answers.filter(({ status }) => status !== 201);
  expect(refused.length).toBeGreaterThan(0);
  for (const { status, json } of refused) {
    expect([status, json['code']]).toEqual([403, 'key.refund_ceiling_exceeded']);
  }
  const effects = (await Promise.all(taken.map(effectsOf))).flat();
  expect(effects).toHaveLength(answers.length - refused.length);
  expect(sum(effects)).toBeLessThanOrEqual(perDayMinor);
  const me = await (both[0] as RestClient).expect(200, 'GET', '/me');
  const [left] = objects(me['ceiling_remaining']);
  expect(minorOf({ amount: left?.['per_day_left'] })).toBe(perDayMinor - sum(effects));
  expect(object(me['key'])['scopes']).toContain('refunds:write');
});
