import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { AddressInfo } from 'node:net';
import { createToolFilter, createHttpApp, listen } from '@switchboard/mcp';
import { eventually } from './support/eventually.js';
import { asObject, asObjects, asText, type JsonObject } from './support/json.js';
import {
  connectMcpHttp,
  connectMcpStreams,
  type ElicitationHandler,
  type McpClient,
} from './support/mcp-client.js';
import { connectModernMcp, modernToolCall, sendModern, type RetryFields } from './support/modern-mcp.js';
import { signIn } from './support/oauth-client.js';
import { openOperator, type Operator } from './support/operator.js';
import { restClient, type RestClient } from './support/rest-client.js';
import { sandboxControl } from './support/sandbox-control.js';
import { refundableOrders, type SandboxOrder } from './support/sandbox-store.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';
import { buildTestWorld } from './support/test-world.js';

/** A refund in revision 2026-07-28, where the person is asked between two requests: docs/decisions/037. */
let switchboard: Switchboard;
let operator: Operator;
let quoting: McpClient;
let orders: SandboxOrder[];
let sandbox: ReturnType<typeof sandboxControl>;
let key: string;
let api: RestClient;

beforeAll(async () => {
  switchboard = await serveSwitchboard({ name: 'refund_confirmation', mcp: true });
  operator = await openOperator(switchboard);
  key = switchboard.keys.full;
  const world = await buildTestWorld(switchboard.url, key, { social: 'maren-holt', store: 'alder-oak' });
  api = world.client;
  orders = [...(await refundableOrders(world.client, world.store))].slice(2);
  quoting = await connectMcpHttp(switchboard, key);
  sandbox = sandboxControl(switchboard.sandboxUrl);
});
afterAll(async () => {
  await Promise.all([quoting?.close(), operator?.close()]);
  await switchboard?.stop();
});

const refundsMade = async () => (await sandbox.ledger('refund.created')).length;

async function newQuote(): Promise<string> {
  const order = orders.shift() as SandboxOrder;
  const quoted = await quoting.call('quote_refund', { order_id: order.id, amount: '1.00' });
  expect([quoted.isError, quoted.text]).toEqual([false, expect.anything()]);
  return asText(quoted.json['id']);
}

const questions: string[] = [];
let before: number;
beforeEach(async () => {
  questions.length = 0;
  before = await refundsMade();
});

describe.each(['http', 'streams'] as const)('over %s, a real client', (over) => {
  let person: ElicitationHandler;
  let client: McpClient;
  beforeAll(async () => {
    const asked: ElicitationHandler = (question) => {
      questions.push(question);
      return person(question);
    };
    client = await connectModernMcp(switchboard, key, { over, person: asked });
  });
  afterAll(() => client?.close());

  test.each<[string, ElicitationHandler, RegExp]>([
    ['declines', () => ({ action: 'decline' }), /declined\. Nothing was refunded/],
    [
      'submits the form without the checkbox',
      () => ({ action: 'accept', content: { confirmed: false } }),
      /declined\. Nothing was refunded/,
    ],
    ['closes the form', () => ({ action: 'cancel' }), /did not respond.*stays valid until/],
  ])('whose user %s refunds nothing, and the agent learns why', async (_what, response, reported) => {
    person = response;
    const refused = await client.call('refund_order', { quote_id: await newQuote() });
    expect(refused.json).toMatchObject({ code: 'refund.not_confirmed', effect: 'none', retryable: false });
    expect(refused.text.split('\n')[0]).toMatch(reported);
    expect(questions).toEqual([
      expect.stringMatching(/^Refund 1\.00 EUR of order \S+\?\n[^]*cannot be undone/),
    ]);
    expect(await refundsMade()).toBe(before);
  });

  test('whose user agrees refunds once, and is not asked again for the same quote', async () => {
    person = () => ({ action: 'accept', content: { confirmed: true } });
    const quote = await newQuote();
    const done = await client.call('refund_order', { quote_id: quote });
    expect(done.json).toMatchObject({ status: 'succeeded', amount: { amount: '1.00', currency: 'EUR' } });
    expect((await client.call('refund_order', { quote_id: quote })).json).toEqual(done.json);
    expect(questions).toHaveLength(1);
    expect(await refundsMade()).toBe(before + 1);
  });

  test('is not asked when the refund would be rejected anyway', async () => {
    const refused = await client.call('refund_order', { quote_id: 'quo_forged' });
    expect(refused.json).toMatchObject({ code: 'quote.not_found' });
    expect(questions).toEqual([]);
  });

  test('that cannot show a form is not asked, as in older revisions', async () => {
    const quiet = await connectModernMcp(switchboard, key, { over });
    const done = await quiet.call('refund_order', { quote_id: await newQuote() });
    expect(done.json).toMatchObject({ status: 'succeeded' });
    await quiet.close();
  });
});

describe.each([
  ['http', 'revision 2026-07-28'],
  ['streams', 'revision 2026-07-28'],
  ['streams', 'older revisions'],
] as const)('over %s in %s, a refund that also needs an approval', (over, revision) => {
  let person: ElicitationHandler;
  let client: McpClient;
  let agent: RestClient;
  let order: SandboxOrder;
  beforeAll(async () => {
    order = orders.shift() as SandboxOrder;
    const { token } = await operator.createKey({
      scopes: ['orders:read', 'refunds:write'],
      policy: {
        approval: {
          posts: 'never',
          refundsOver: [{ currency: 'EUR', amountMinor: 1 }],
          expiresInHours: 1,
        },
        refundCeilings: [{ currency: 'EUR', perRefundMinor: 100, perDayMinor: 200 }],
      },
    });
    agent = restClient(switchboard.url, token);
    const asked: ElicitationHandler = (question) => {
      questions.push(question);
      return person(question);
    };
    client = await (revision === 'older revisions'
      ? connectMcpStreams(switchboard, token, asked)
      : connectModernMcp(switchboard, token, { over, person: asked }));
  });
  afterAll(() => client?.close());

  const requestRefund = async () => {
    const quote = await client.call('quote_refund', { order_id: order.id, amount: '1.00' });
    const given = { quote_id: quote.json['id'] };
    return { given, response: await client.call('refund_order', given) };
  };
  /** The requested refunds of the order, those that wait for an approval, and what is left of the ceiling. */
  const readState = async () => {
    const query = { order_id: order.id };
    const { data } = await agent.expect(200, 'GET', '/ecommerce/refunds', { query });
    const [left] = asObjects((await agent.expect(200, 'GET', '/me'))['ceiling_remaining']);
    const approvals = await api.expect(200, 'GET', '/approvals', {
      query: { kind: 'refund', status: 'pending' },
    });
    return {
      statuses: asObjects(data).map(({ status }) => status),
      waiting: asObjects(approvals['data']).length,
      left: left?.['per_day_left'],
    };
  };

  test('is not requested while the person is asked, nor when they decline: nothing is reserved, and no approval waits', async () => {
    let stateDuring: Promise<unknown> = Promise.resolve();
    for (const action of ['decline', 'cancel'] as const) {
      person = () => {
        stateDuring = readState();
        return { action };
      };
      const { response } = await requestRefund();
      expect(response.json).toMatchObject({ code: 'refund.not_confirmed', effect: 'none' });
      const untouched = { statuses: [], waiting: 0, left: '2.00' };
      expect([await stateDuring, await readState()]).toEqual([untouched, untouched]);
    }
    expect(questions).toHaveLength(2);
    expect(await refundsMade()).toBe(before);
  });

  test('waits for the approval once it is confirmed, is not confirmed again, and is sent once after both', async () => {
    person = () => ({ action: 'accept', content: { confirmed: true } });
    const { given, response } = await requestRefund();
    expect(response.text).toMatch(/^A person has to approve the refund of 1\.00 EUR/);
    expect(response.json).toMatchObject({ status: 'awaiting_approval', approval: { status: 'pending' } });
    expect((await client.call('refund_order', given)).json).toMatchObject({
      id: response.json['id'],
      status: 'awaiting_approval',
    });
    expect(await readState()).toEqual({ statuses: ['awaiting_approval'], waiting: 1, left: '1.00' });
    expect(await refundsMade()).toBe(before);
    const approval = asText(asObject(response.json['approval'])['id']);
    await api.expect(200, 'POST', `/approvals/${approval}/approve`);
    await eventually('the refund is made', async () =>
      (await readState()).statuses[0] === 'succeeded' ? true : null,
    );
    expect((await client.call('refund_order', given)).json).toMatchObject({ status: 'succeeded' });
    expect(questions).toHaveLength(1);
    expect(await refundsMade()).toBe(before + 1);
  });

  test('that was confirmed and is then rejected is not sent, and leaves nothing reserved', async () => {
    person = () => ({ action: 'accept', content: { confirmed: true } });
    const { response } = await requestRefund();
    const approval = asText(asObject(response.json['approval'])['id']);
    await api.expect(200, 'POST', `/approvals/${approval}/reject`, { body: { note: 'Too early.' } });
    expect(await readState()).toMatchObject({ statuses: ['failed', 'succeeded'], waiting: 0, left: '1.00' });
    expect(await refundsMade()).toBe(before);
  });
});

const CONFIRMATION = 'confirmation';
const accept = { [CONFIRMATION]: { action: 'accept', content: { confirmed: true } } };
const decline = { [CONFIRMATION]: { action: 'decline' } };

const refund = (quote: string, retry?: RetryFields, capabilities?: object) =>
  sendModern(switchboard.mcpUrl, key, 'refund_order', { quote_id: quote }, retry, capabilities);

const resultOf = (response: JsonObject) => asObject(response['result']);

/** Sends the first request; returns the state that comes with the question. */
async function ask(quote: string, url = switchboard.mcpUrl): Promise<string> {
  const result = resultOf(await sendModern(url, key, 'refund_order', { quote_id: quote }));
  expect(result).toMatchObject({
    resultType: 'input_required',
    inputRequests: {
      [CONFIRMATION]: {
        method: 'elicitation/create',
        params: {
          mode: 'form',
          message: expect.stringMatching(/^Refund 1\.00 EUR of order/),
          requestedSchema: { properties: { confirmed: { type: 'boolean', default: false } } },
        },
      },
    },
  });
  expect(result).not.toHaveProperty('ttlMs');
  return asText(result['requestState']);
}

const invalidState = { error: { code: -32602, message: expect.stringContaining('requestState') } };

describe('the state between the two requests', () => {
  test('reveals nothing, and differs for each question', async () => {
    const quote = await newQuote();
    const [one, other] = [await ask(quote), await ask(quote)];
    expect(one).not.toBe(other);
    expect(one).toMatch(/^[\w-]+$/);
    expect(Buffer.from(one, 'base64url').toString('latin1')).not.toContain(quote);
    expect(await refundsMade()).toBe(before);
  });

  test('is refused when it was changed, and nothing is refunded', async () => {
    const quote = await newQuote();
    const state = await ask(quote);
    const bytes = Buffer.from(state, 'base64url');
    const flipped = [0, Math.floor(bytes.length / 2), bytes.length - 1].map((at) => {
      const copy = Buffer.from(bytes);
      copy[at] = (copy[at] ?? 0) ^ 1;
      return copy.toString('base64url');
    });
    const forged = Buffer.from(JSON.stringify({ quote_id: quote, confirmed: true })).toString('base64url');
    for (const requestState of [...flipped, state.slice(0, -4), `${state}AAAA`, '', 'yes', forged]) {
      expect(await refund(quote, { requestState, inputResponses: accept })).toMatchObject(invalidState);
    }
    for (const requestState of [7, null, { state }, [state]]) {
      expect(await refund(quote, { requestState, inputResponses: accept })).toMatchObject({
        error: { code: -32602 },
      });
    }
    expect(await refundsMade()).toBe(before);
  });

  test('is refused for another quote, another tool and another key', async () => {
    const [quote, otherQuote] = [await newQuote(), await newQuote()];
    const requestState = await ask(quote);
    const retry = { requestState, inputResponses: accept };
    expect(await refund(otherQuote, retry)).toMatchObject(invalidState);
    const { mcpUrl } = switchboard;
    expect(await sendModern(mcpUrl, key, 'whoami', {}, retry)).toMatchObject(invalidState);
    const { token } = await operator.createKey({ scopes: ['orders:read', 'refunds:write'] });
    for (const one of [quote, otherQuote]) {
      const response = await sendModern(mcpUrl, token, 'refund_order', { quote_id: one }, retry);
      expect(response).toMatchObject(invalidState);
    }
    expect(await refundsMade()).toBe(before);
  });

  test('is accepted from a key that replaced the first one', async () => {
    const scopes = ['orders:read', 'refunds:write', 'keys:admin'] as const;
    const { id, token } = await operator.createKey({ scopes });
    const { mcpUrl, url } = switchboard;
    const order = orders.shift() as SandboxOrder;
    const quoted = await sendModern(mcpUrl, token, 'quote_refund', { order_id: order.id, amount: '1.00' });
    const given = { quote_id: asObject(resultOf(quoted)['structuredContent'])['id'] };
    const asked = resultOf(await sendModern(mcpUrl, token, 'refund_order', given));
    const rotated = await fetch(`${url}/v1/keys/${id}/rotate`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{}',
    });
    const successor = asText(asObject(await rotated.json())['secret']);
    const retry = { requestState: asked['requestState'], inputResponses: accept };
    const done = await sendModern(mcpUrl, successor, 'refund_order', given, retry);
    expect(resultOf(done)).toMatchObject({ structuredContent: { status: 'succeeded' } });
    expect(await refundsMade()).toBe(before + 1);
  });

  test('is accepted from the OAuth client that was asked, and refused for its key', async () => {
    const policy = { refund_ceilings: [{ currency: 'EUR', per_refund: '5.00', per_day: '50.00' }] };
    const { tokens, secret } = await signIn(switchboard, api, ['orders:read', 'refunds:write'], { policy });
    const { mcpUrl } = switchboard;
    const send = (token: string, ...call: [string, object, RetryFields?]) =>
      sendModern(mcpUrl, token, ...call);
    const order = orders.shift() as SandboxOrder;
    const quoted = await send(tokens.access, 'quote_refund', { order_id: order.id, amount: '1.00' });
    const given = { quote_id: asObject(resultOf(quoted)['structuredContent'])['id'] };
    const asked = resultOf(await send(tokens.access, 'refund_order', given));
    const retry = { requestState: asked['requestState'], inputResponses: accept };
    expect(await send(secret, 'refund_order', given, retry)).toMatchObject(invalidState);
    expect(await refundsMade()).toBe(before);
    expect(resultOf(await send(tokens.access, 'refund_order', given, retry))).toMatchObject({
      structuredContent: { status: 'succeeded' },
    });
    expect(await refundsMade()).toBe(before + 1);
  });

  test('expires after ten minutes', async () => {
    const quote = await newQuote();
    let laterMs = 0;
    const { service } = operator;
    const { clock } = service.ports;
    const moved = { ...clock, now: () => new Date(clock.now().getTime() + laterMs) };
    const toolFilter = createToolFilter(service.config);
    if (!toolFilter.ok) throw new Error(toolFilter.failure.message);
    const ports = { ...service.ports, clock: moved };
    const app = createHttpApp({ ...service, ports }, toolFilter.value);
    const { server, drain } = await listen(app, { ...service.config, mcpPort: 0 });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    const requestState = await ask(quote, url);
    const confirm = () =>
      sendModern(url, key, 'refund_order', { quote_id: quote }, { requestState, inputResponses: accept });
    laterMs = 10 * 60_000;
    expect(await confirm()).toMatchObject(invalidState);
    expect(await refundsMade()).toBe(before);
    laterMs = 9 * 60_000;
    expect(resultOf(await confirm())).toMatchObject({ structuredContent: { status: 'succeeded' } });
    server.closeAllConnections();
    await drain();
    expect(await refundsMade()).toBe(before + 1);
  });

  test('refunds once, however often and at once it is sent', async () => {
    const quote = await newQuote();
    const retry = { requestState: await ask(quote), inputResponses: accept };
    const responses = await Promise.all(Array.from({ length: 8 }, () => refund(quote, retry)));
    const ids = responses.map((response) => asObject(resultOf(response)['structuredContent'])['id']);
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toMatch(/^rfd_/);
    expect(await refund(quote, retry)).toMatchObject({ result: { structuredContent: { id: ids[0] } } });
    expect(await refundsMade()).toBe(before + 1);
  });
});

describe('without a confirmation that belongs to the question, nothing is refunded', () => {
  const asksAgain = { result: { resultType: 'input_required' } };

  test('a consent without the state is asked again', async () => {
    const quote = await newQuote();
    expect(await refund(quote, { inputResponses: accept })).toMatchObject(asksAgain);
    expect(await refundsMade()).toBe(before);
  });

  test.each<[string, unknown]>([
    ['no responses', undefined],
    ['an empty object', {}],
    ['a response to another question', { other: accept[CONFIRMATION] }],
    ['a response without an action', { [CONFIRMATION]: { content: { confirmed: true } } }],
    ['an unknown action', { [CONFIRMATION]: { action: 'agree', content: { confirmed: true } } }],
    ['a text', { [CONFIRMATION]: 'accept' }],
  ])('the state with %s is asked again', async (_what, inputResponses) => {
    const quote = await newQuote();
    const requestState = await ask(quote);
    expect(await refund(quote, { requestState, inputResponses })).toMatchObject(asksAgain);
    expect(await refundsMade()).toBe(before);
  });

  test.each<[string, unknown]>([
    ['the text "true"', { confirmed: 'true' }],
    ['1', { confirmed: 1 }],
    ['nothing', undefined],
  ])('a form that contains %s for the checkbox declines', async (_what, content) => {
    const quote = await newQuote();
    const requestState = await ask(quote);
    const inputResponses = { [CONFIRMATION]: { action: 'accept', content } };
    expect(await refund(quote, { requestState, inputResponses })).toMatchObject({
      result: { structuredContent: { code: 'refund.not_confirmed' } },
    });
    expect(await refundsMade()).toBe(before);
  });

  test('a refusal counts, whatever else the client states', async () => {
    const quote = await newQuote();
    const requestState = await ask(quote);
    for (const [retry, capabilities] of [
      [{ requestState, inputResponses: decline }, undefined],
      [{ requestState, inputResponses: decline }, {}],
      [{ inputResponses: decline }, {}],
      [{ requestState }, {}],
    ] as const) {
      expect(await refund(quote, retry, capabilities)).toMatchObject({
        result: { isError: true, structuredContent: { code: 'refund.not_confirmed' } },
      });
    }
    expect(await refundsMade()).toBe(before);
  });
});

describe('a client whose connection is lost', () => {
  /** Sends a request and disconnects, before or after the response could have been sent. */
  async function sendAndLeave(given: object, retry: RetryFields, after: 'sending' | 'response') {
    const { headers, body } = modernToolCall('refund_order', given, retry);
    const { port } = new URL(switchboard.mcpUrl);
    const request = httpRequest({
      host: '127.0.0.1',
      port,
      path: '/mcp',
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${key}` },
    });
    request.on('error', () => undefined);
    const response = once(request, 'response');
    response.catch(() => undefined);
    await new Promise<void>((resolve) => request.end(body, resolve));
    if (after === 'response') await response;
    request.destroy();
  }

  test.each(['sending', 'response'] as const)(
    'after %s the first request has refunded nothing, and may ask again',
    async (after) => {
      const quote = await newQuote();
      await sendAndLeave({ quote_id: quote }, {}, after);
      expect(await refundsMade()).toBe(before);
      const retry = { requestState: await ask(quote), inputResponses: accept };
      expect(await refund(quote, retry)).toMatchObject({
        result: { structuredContent: { status: 'succeeded' } },
      });
      expect(await refundsMade()).toBe(before + 1);
    },
  );

  test.each(['sending', 'response'] as const)(
    'after %s the second request refunds once in total, whether it repeats that request or starts over',
    async (after) => {
      const quote = await newQuote();
      const retry = { requestState: await ask(quote), inputResponses: accept };
      await sendAndLeave({ quote_id: quote }, retry, after);
      const repeated = resultOf(await refund(quote, retry));
      expect(repeated).toMatchObject({ structuredContent: { status: 'succeeded' } });
      expect(await refund(quote)).toMatchObject({
        result: { structuredContent: repeated['structuredContent'] },
      });
      expect(await refundsMade()).toBe(before + 1);
    },
  );
});
