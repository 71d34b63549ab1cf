import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { ConnectionId } from '@switchboard/domain';
import { scopes } from '@switchboard/domain/access';
import type { FaultKind, LedgerEntry } from '@switchboard/sandbox';
import { eventually } from './support/eventually.js';
import {
  connectAccount,
  formatEuro,
  parseMinor,
  refundableOrders,
  type SandboxOrder,
} from './support/sandbox-store.js';
import { queryRows } from './support/database.js';
import { asObjects, asText, type JsonObject } from './support/json.js';
import { connectMcpStreams } from './support/mcp-client.js';
import { openOperator, type Operator } from './support/operator.js';
import { restClient, type RestResponse, type RestClient } from './support/rest-client.js';
import { sandboxControl } from './support/sandbox-control.js';
import { serveWithReplicas, type SwitchboardWithReplicas } from './support/serve-switchboard.js';

const AT_ONCE = 20;
const STORE = 'alder-oak';

let switchboard: SwitchboardWithReplicas;
let operator: Operator;
let sandbox: ReturnType<typeof sandboxControl>;
/** Four processes on one database. */
let clients: readonly [RestClient, RestClient, RestClient, RestClient];
let connectionId: string;
let orders: SandboxOrder[];
beforeAll(async () => {
  switchboard = await serveWithReplicas({ name: 'refund_race' });
  operator = await openOperator(switchboard);
  sandbox = sandboxControl(switchboard.sandboxUrl);
  const [two, three, four] = await Promise.all([1, 2, 3].map(() => switchboard.startReplica()));
  const at = (url = '') => restClient(url, switchboard.keys.full);
  clients = [at(switchboard.url), at(two?.url), at(three?.url), at(four?.url)];
  connectionId = await connectAccount(clients[0], 'sandbox_store', STORE);
  orders = [...(await refundableOrders(clients[0], connectionId))];
  // Some real stores read the remaining amount and write it a moment later without checking again.
  await sandbox.settings({ lax_over_refund: true });
});
afterEach(() => sandbox.clearFaults());
afterAll(async () => {
  await operator?.close();
  await switchboard?.stop();
});

function nextOrder(): SandboxOrder {
  const order = orders.shift();
  if (!order) throw new Error('the sandbox has no more refundable orders');
  return order;
}

const effectsOf = async ({ externalId }: SandboxOrder): Promise<readonly LedgerEntry[]> =>
  (await sandbox.ledger('refund.created', STORE)).filter((entry) => entry['order_id'] === externalId);

const sum = (entries: readonly LedgerEntry[]) =>
  entries.reduce((total, entry) => total + Number(entry['amount']), 0);

const refund = (index: number, order: SandboxOrder, body: object, headers: Record<string, string> = {}) =>
  (clients[index % clients.length] as RestClient).post(`/ecommerce/orders/${order.id}/refund`, body, headers);

const runConcurrently = (sendRequest: (index: number) => Promise<RestResponse>) =>
  Promise.all(Array.from({ length: AT_ONCE }, (_, index) => sendRequest(index)));

const refusals = [
  'refund.in_progress',
  'refund.in_doubt',
  'refund.exceeds_refundable',
  'refund.possible_duplicate',
];

/**
 * A refund with unknown outcome is not looked up for half a minute, while the store may still be processing
 * it. Skips this wait.
 */
const waitForStore = (id: string) =>
  queryRows(
    switchboard.databaseUrl,
    `UPDATE refunds SET next_attempt_at = now() - interval '1 second' WHERE id = '${id}' AND status = 'unknown'`,
  );

const waitUntilSettled = (id: string): Promise<JsonObject> =>
  eventually(`the refund ${id} has settled`, async () => {
    const found = await clients[0].expect(200, 'GET', `/ecommerce/refunds/${id}`);
    if (!['pending', 'unknown'].includes(asText(found['status']))) return found;
    if (found['status'] === 'unknown') await waitForStore(id);
    return null;
  });

/** Responses, refund states and the store agree: every success is one effect and every effect a success. */
async function expectAgreement(
  order: SandboxOrder,
  answers: readonly RestResponse[],
): Promise<readonly JsonObject[]> {
  const ids = new Set(answers.filter(({ status }) => status === 201).map(({ json }) => asText(json['id'])));
  const listed = await clients[1].expect(200, 'GET', '/ecommerce/refunds', {
    query: { order_id: order.id, limit: 100 },
  });
  for (const { id } of asObjects(listed['data'])) ids.add(asText(id));
  const refunds = await Promise.all([...ids].map(waitUntilSettled));
  const succeeded = refunds.filter(({ status }) => status === 'succeeded');
  expect(refunds.filter(({ status }) => !['succeeded', 'failed'].includes(asText(status)))).toEqual([]);

  const effects = await effectsOf(order);
  expect(effects.map(({ id }) => id).sort()).toEqual(succeeded.map((one) => one['external_id']).sort());
  expect(sum(effects)).toBe(succeeded.reduce((total, one) => total + parseMinor(one['amount']), 0));
  expect(sum(effects)).toBeLessThanOrEqual(order.capturedMinor);
  return succeeded;
}

test(`N45: never refunds more than was captured, whatever ${AT_ONCE} concurrent requests through four processes ask for`, async () => {
  const order = nextOrder();
  const part = Math.floor(order.capturedMinor / 4);
  const answers: RestResponse[] = [];
  for (let round = 0; round < 6; round += 1) {
    answers.push(
      ...(await runConcurrently((index) =>
        refund(index, order, { amount: formatEuro(part), allow_duplicate: true }),
      )),
    );
  }
  const codes = answers.filter(({ status }) => status >= 400).map(({ json }) => json['code']);
  expect(codes.filter((code) => !refusals.includes(asText(code)))).toEqual([]);
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
  `refunds in full exactly once when the store responds to ${AT_ONCE} requests with %s`,
  async (kind) => {
    const order = nextOrder();
    await sandbox.fault({
      platform: 'store',
      kind,
      match: { method: 'POST', path_prefix: `/api/orders/${order.externalId}/refunds` },
      times: 2,
      retry_after: 1,
    });
    const answers = await runConcurrently((index) =>
      refund(index, order, { full: true }, { 'Idempotency-Key': `${kind}-${index}` }),
    );
    const succeeded = await expectAgreement(order, answers);
    expect(succeeded.length).toBeLessThanOrEqual(1);
    if (succeeded.length === 0) {
      // Nothing was sent, or the store rejected it: the reservation is released, and a new request succeeds.
      await sandbox.clearFaults();
      const again = await refund(0, order, { full: true }, { 'Idempotency-Key': `${kind}-again` });
      expect(again).toMatchObject({ status: 201, json: { status: 'succeeded' } });
    }
    expect(sum(await effectsOf(order))).toBe(order.capturedMinor);
  },
);

test('N46, N47: an idempotency key used twenty times through four processes yields one refund and one response', async () => {
  const order = nextOrder();
  const headers = { 'Idempotency-Key': 'the-same' };
  const answers = await runConcurrently((index) => refund(index, order, { full: true }, headers));
  for (const { status, json } of answers) {
    expect(status === 201 || (status === 409 && json['code'] === 'idempotency.in_progress')).toBe(true);
  }
  const again: RestResponse[] = [];
  for (const index of clients.keys()) again.push(await refund(index, order, { full: true }, headers));
  const [first] = again;
  expect(first?.status).toBe(201);
  for (const { status, text: bytes } of answers) if (status === 201) expect(bytes).toBe(first?.text);
  for (const one of again) {
    expect([one.headers.get('idempotency-replayed'), one.text]).toEqual(['true', first?.text]);
  }
  const other = await refund(2, order, { amount: '1.00' }, headers);
  expect([other.status, other.json['code']]).toEqual([422, 'idempotency.key_reused']);
  expect(await effectsOf(order)).toHaveLength(1);
});

test('N47, N49: a refund with unknown outcome blocks the order until it is looked up, and becomes the refund that the store shows', async () => {
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
  const part = formatEuro(Math.floor(order.capturedMinor / 3));
  const uncertainFaults = await refund(0, order, { amount: part });
  expect(uncertainFaults).toMatchObject({ status: 201, json: { status: 'unknown', settled_at: null } });
  const others = await runConcurrently((index) =>
    refund(index, order, { amount: part, allow_duplicate: true }, { 'Idempotency-Key': `n47-${index}` }),
  );
  for (const { status, json } of others) {
    expect(status).toBe(409);
    expect(['refund.in_doubt', 'refund.in_progress']).toContain(json['code']);
  }
  expect(await effectsOf(order)).toHaveLength(1);

  await sandbox.clearFaults();
  // The store lists the refund before we look it up, as with a webhook notification.
  const shown = await clients[3].expect(200, 'GET', `/ecommerce/orders/${order.id}`);
  expect(asObjects(shown['refunds'])).toHaveLength(1);
  const id = asText(uncertainFaults.json['id']);
  const rechecked = await clients[1].expect(200, 'POST', `/ecommerce/refunds/${id}/recheck`);
  expect(rechecked).toMatchObject({ id, status: 'succeeded', money_moved: true });
  expect((await effectsOf(order)).map((effect) => effect.id)).toEqual([rechecked['external_id']]);
  // A refund of ours that is also seen at the store counts once: the whole remainder can still be refunded.
  const [row] = await queryRows<{ refunded: string; reserved: string }>(
    switchboard.databaseUrl,
    `SELECT refunded_minor AS refunded, reserved_minor AS reserved FROM refund_ledgers WHERE order_external_id = '${order.externalId}'`,
  );
  expect([Number(row?.refunded), Number(row?.reserved)]).toEqual([parseMinor(rechecked['amount']), 0]);
  expect(await refund(1, order, { full: true })).toMatchObject({
    status: 201,
    json: { status: 'succeeded' },
  });
  expect(sum(await effectsOf(order))).toBe(order.capturedMinor);
});

test('a quote is valid once: used again over MCP and REST concurrently it returns the same refund, as a replay of its own order (finding 7)', async () => {
  const order = nextOrder();
  const agent = await connectMcpStreams(switchboard, switchboard.keys.full);
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
    const again = await refund(0, order, given);
    expect([again.status, again.json['id'], again.headers.get('idempotency-replayed')]).toEqual([
      201,
      answers[0]?.['id'],
      'true',
    ]);
    const elsewhere = await refund(0, nextOrder(), given);
    expect([elsewhere.status, elsewhere.json['code']]).toEqual([404, 'quote.not_found']);
  } finally {
    await agent.close();
  }
  expect(await effectsOf(order)).toHaveLength(1);
});

test('a refund made in the store itself is shown with the order and leaves only the rest', async () => {
  const order = nextOrder();
  const { ports } = operator.service;
  const connection = await ports.connections.find(operator.workspaceId, connectionId as ConnectionId);
  if (!connection) throw new Error('the store is unreachable');
  // As the shop owner does: in the store, without a request of ours.
  const use = { purpose: 'check', actor: 'system:test' } as const;
  const owner = await ports.sessions.open(connection, use, new AbortController().signal);
  if (!owner.ok) throw new Error(owner.failure.code);
  const before = await clients[1].expect(200, 'GET', `/ecommerce/orders/${order.id}`);
  const made = await owner.value.request({
    method: 'POST',
    path: `/store/api/orders/${order.externalId}/refunds`,
    effect: 'write',
    json: {
      payment_id: asObjects(before['payments'])[0]?.['id'],
      amount: 300,
      currency: 'EUR',
      reason: 'manual',
    },
  });
  if (!made.ok || made.value.status !== 201) throw new Error(JSON.stringify(made));
  const shown = await clients[1].expect(200, 'GET', `/ecommerce/orders/${order.id}`);
  expect(shown).toMatchObject({
    payment_status: 'partially_refunded',
    totals: { refunded: { amount: '3.00' }, refundable: { amount: formatEuro(order.capturedMinor - 300) } },
    refunds: [{ amount: { amount: '3.00' }, reason: 'manual' }],
  });
  const tooMuch = await refund(2, order, { amount: formatEuro(order.capturedMinor - 299) });
  expect([tooMuch.status, tooMuch.json['code']]).toEqual([422, 'refund.exceeds_refundable']);
  expect(await refund(3, order, { full: true })).toMatchObject({
    status: 201,
    json: { status: 'succeeded', amount: { amount: formatEuro(order.capturedMinor - 300) } },
  });
  expect(sum(await effectsOf(order))).toBe(order.capturedMinor);
});

test('a refund that the store settles later is followed to its final state by any worker', async () => {
  const [good, bad] = [nextOrder(), nextOrder()];
  await sandbox.settings({ refund_settle_seconds: 1 });
  const first = await refund(0, good, { full: true });
  await sandbox.settings({ refund_settle_outcome: 'failed' });
  const second = await refund(1, bad, { amount: '2.00' });
  await sandbox.settings({ refund_settle_seconds: 0, refund_settle_outcome: 'succeeded' });
  for (const answer of [first, second]) {
    expect(answer).toMatchObject({ status: 201, json: { status: 'pending', money_moved: null } });
  }
  expect(await refund(2, bad, { amount: '1.00' })).toMatchObject({ json: { code: 'refund.in_progress' } });
  expect(await waitUntilSettled(asText(first.json['id']))).toMatchObject({
    status: 'succeeded',
    money_moved: true,
  });
  expect(await waitUntilSettled(asText(second.json['id']))).toMatchObject({
    status: 'failed',
    money_moved: false,
    error: { code: 'refund.refused' },
  });
  expect(await refund(3, bad, { full: true })).toMatchObject({ status: 201, json: { status: 'succeeded' } });
});

test('N48: an invalid amount moves no money in any currency, and no request reaches the store', async () => {
  const { data } = await clients[0].expect(200, 'GET', '/ecommerce/orders', {
    query: { payment_status: 'paid', limit: 100 },
  });
  const orderIn = (currency: string) => {
    const found = asObjects(data).find((order) => order['currency'] === currency);
    if (!found) throw new Error(`no order in ${currency}`);
    return asText(found['id']);
  };
  const [euro, yen, dinar] = ['EUR', 'JPY', 'KWD'].map(orderIn) as [string, string, string];
  const invalid = [400, 'request.invalid'];
  const mismatch = [422, 'refund.currency_mismatch'];
  const cases: (readonly [order: string, amount: unknown, answer: readonly unknown[]])[] = [
    ...[
      '0',
      '-1',
      '0.001',
      '1e3',
      '10,00',
      '٣',
      'NaN',
      '9007199254740992',
      '+1',
      ' 1',
      '1.',
      '.5',
      '0x10',
      '',
    ]
      .concat(['Infinity', '1_000', '00.50', '99999999999999999999999'])
      .map((amount) => [euro, amount, invalid] as const),
    ...[0, -1, 1, 0.1, 2 ** 53, null, true, [], {}].map((amount) => [euro, amount, invalid] as const),
    [euro, { amount: '1.00' }, invalid],
    [euro, { amount: '-1.00', currency: 'EUR' }, invalid],
    [euro, { amount: '1.00', currency: 'eur' }, invalid],
    [euro, { amount: '1.00', currency: 'XXX' }, invalid],
    [euro, { amount: '1.00', currency: 'USD' }, mismatch],
    [euro, { amount: '100', currency: 'JPY' }, mismatch],
    [yen, '10.50', invalid],
    [yen, { amount: '1.00', currency: 'EUR' }, mismatch],
    [dinar, '1.2345', invalid],
    [dinar, { amount: '1.00', currency: 'EUR' }, mismatch],
  ];
  const writes = async () => (await sandbox.requests()).filter(({ method }) => method === 'POST').length;
  const before = await writes();
  for (const path of ['refund', 'refund/quote']) {
    const answers = await Promise.all(
      cases.map(([order, amount], index) =>
        (clients[index % 4] as RestClient).post(`/ecommerce/orders/${order}/${path}`, { amount }),
      ),
    );
    expect(answers.map(({ status, json }, index) => [cases[index]?.[1], status, json['code']])).toEqual(
      cases.map(([, amount, answer]) => [amount, ...answer]),
    );
  }
  expect(await writes()).toBe(before);
});

test(`N51: a daily ceiling holds for a whole key family under ${AT_ONCE} concurrent requests over four processes while its key is rotated`, async () => {
  const taken = orders.splice(-AT_ONCE);
  const eachMinor = 100;
  const isAllowed = AT_ONCE / 2;
  // Half a refund more: the remainder is not rounded up either.
  const perDayMinor = isAllowed * eachMinor + eachMinor / 2;
  const key = await operator.createKey({
    scopes,
    policy: { refundCeilings: [{ currency: 'EUR', perRefundMinor: eachMinor, perDayMinor }] },
  });
  const refusedBy = async (token: string, order: string, amount: string) => {
    const { status, json } = await restClient(clients[2].url, token).post(
      `/ecommerce/orders/${order}/refund`,
      { amount },
    );
    return [status, json['code']];
  };
  expect(await refusedBy(key.token, taken[0]?.id ?? '', '1.01')).toEqual(overCeiling);
  const { data } = await clients[0].expect(200, 'GET', '/ecommerce/orders', {
    query: { payment_status: 'paid', currency: 'USD', limit: 100 },
  });
  const dollars = asObjects(data).find(
    ({ payments }) => asObjects(payments)[0]?.['refundable_online'] === true,
  );
  expect(await refusedBy(key.token, asText(dollars?.['id']), '0.01')).toEqual(overCeiling);

  // One of them has an unknown outcome and therefore counts.
  await sandbox.fault({ platform: 'store', kind: 'reset-after-effect', match: { method: 'POST' } });
  const rotated = await clients[0].expect(201, 'POST', `/keys/${key.id}/rotate`, {
    body: { overlap_seconds: 60 },
  });
  const tokens = [key.token, asText(rotated['secret'])];
  const answers = await Promise.all(
    taken.map(({ id }, index) =>
      restClient((clients[index % 4] as RestClient).url, tokens[Math.floor(index / 4) % 2] ?? '').post(
        `/ecommerce/orders/${id}/refund`,
        { amount: formatEuro(eachMinor) },
      ),
    ),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(isAllowed);
  for (const { status, json } of answers.filter((answer) => answer.status !== 201)) {
    expect([status, json['code']]).toEqual(overCeiling);
  }
  const effects = (await Promise.all(taken.map(effectsOf))).flat();
  expect(effects.map(({ amount }) => Number(amount))).toEqual(Array<number>(isAllowed).fill(eachMinor));
  for (const token of tokens) {
    const me = await restClient(clients[3].url, token).expect(200, 'GET', '/me');
    expect(asObjects(me['ceiling_remaining'])).toMatchObject([{ currency: 'EUR', per_day_left: '0.50' }]);
  }
});

const overCeiling = [403, 'key.refund_ceiling_exceeded'];
