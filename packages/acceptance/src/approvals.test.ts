import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Scope } from '@switchboard/domain/access';
import { eventually } from './support/eventually.js';
import { asObject, asObjects, asText, type JsonObject } from './support/json.js';
import { connectMcpHttp, connectMcpStreams, type McpClient } from './support/mcp-client.js';
import type { Switchboard } from './support/installation.js';
import { openOperator, type CreatedKey, type Operator } from './support/operator.js';
import { restClient, type RestClient } from './support/rest-client.js';
import { sandboxControl } from './support/sandbox-control.js';
import { refundableOrders, type SandboxOrder } from './support/sandbox-store.js';

import { serveSwitchboard } from './support/serve-switchboard.js';
import { buildTestWorld, type TestWorld } from './support/test-world.js';

let switchboard: Switchboard;
let operator: Operator;
let world: TestWorld;
let orders: SandboxOrder[];
/** The key of an agent, which needs approvals for everything, and its clients. */
let agentKey: CreatedKey;
let agent: RestClient;
let stdio: McpClient;
let http: McpClient;
let person: RestClient;
let sandbox: ReturnType<typeof sandboxControl>;

const agentScopes: readonly Scope[] = [
  'posts:write',
  'orders:read',
  'refunds:write',
  'events:read',
  'connections:read',
];
const approval = {
  posts: 'always',
  refundsOver: [{ currency: 'EUR', amountMinor: 100 }],
  expiresInHours: 24,
} as const;

beforeAll(async () => {
  switchboard = await serveSwitchboard({ name: 'approvals', mcp: true });
  operator = await openOperator(switchboard);
  const { url, keys } = switchboard;
  world = await buildTestWorld(url, keys.full, { social: 'maren-holt', store: 'alder-oak' });
  orders = [...(await refundableOrders(world.client, world.store))].slice(2);
  agentKey = await operator.createKey({ scopes: agentScopes, policy: { approval } });
  agent = restClient(url, agentKey.token);
  stdio = await connectMcpStreams(switchboard, agentKey.token);
  http = await connectMcpHttp(switchboard, agentKey.token);
  person = restClient(url, (await operator.createKey({ scopes: ['approvals:write'] })).token);
  sandbox = sandboxControl(switchboard.sandboxUrl);
});
afterAll(async () => {
  await Promise.all([stdio?.close(), http?.close(), operator?.close()]);
  await switchboard?.stop();
});

let count = 0;
const nextText = () => `Approved first, number ${++count}`;
const nextOrder = (): string => {
  const order = orders.shift();
  if (!order) throw new Error('no refundable order is left');
  return order.id;
};
const draftOf = (text: string) => ({ text, targets: [{ connection_id: world.social }] });
const createPost = (text = nextText(), more: object = {}) =>
  agent.expect(201, 'POST', '/social/posts', { body: { ...draftOf(text), ...more } });
const approvalOf = (value: JsonObject): string => asText(asObject(value['approval'])['id']);
const decide = (verb: 'approve' | 'reject', id: string, as = person, note = 'Not like this.') =>
  as.post(`/approvals/${id}/${verb}`, verb === 'reject' ? { note } : {});
const readPost = (id: unknown) => world.client.expect(200, 'GET', `/social/posts/${asText(id)}`);
/** How often the platform was asked to publish a delivery of the post, and did. */
const published = async (post: JsonObject) => {
  const ids = asObjects(post['deliveries']).map(({ id }) => asText(id));
  const entries = await sandbox.ledger('post.created');
  return entries.filter(({ reference }) => ids.includes(reference?.split('.')[0] ?? '')).length;
};
const refunds = async () => (await sandbox.ledger('refund.created')).length;
const settled = (id: unknown, status: string) =>
  eventually(`the post is ${status}`, async () => {
    const post = await readPost(id);
    return post['status'] === status ? post : null;
  });

describe('finding 1: a key that needs approvals publishes and refunds nothing without one', () => {
  test('on REST: created, in a batch, as a draft that is published, edited and retried', async () => {
    const texts = Array.from({ length: 4 }, nextText);
    const [plain = '', first = '', second = '', drafted = ''] = texts;
    const post = await createPost(plain, { allow_duplicate: true });
    const batch = await agent.expect(201, 'POST', '/social/posts/batch', {
      body: { posts: [draftOf(first), draftOf(second)] },
    });
    const draft = await createPost(drafted, { draft: true });
    const made = await agent.expect(200, 'PATCH', `/social/posts/${asText(draft['id'])}`, {
      body: { draft: false },
    });
    const all = [post, ...asObjects(batch['data']), made];
    expect(all.map((one) => one['status'])).toEqual(all.map(() => 'awaiting_approval'));
    const edited = await agent.expect(200, 'PATCH', `/social/posts/${asText(post['id'])}`, {
      body: { text: `${plain}, edited` },
    });
    expect(approvalOf(edited)).not.toBe(approvalOf(post));
    await decide('reject', approvalOf(edited));
    const retried = await agent.expect(200, 'POST', `/social/posts/${asText(post['id'])}/retry`);
    expect(retried).toMatchObject({ status: 'awaiting_approval', deliveries: [{ status: 'pending' }] });
    // A post of another key is published: the others would have been by now.
    await world.client.expect(201, 'POST', '/social/posts', {
      body: draftOf(nextText()),
      headers: { Prefer: 'wait=30' },
    });
    for (const one of all) expect(await published(one)).toBe(0);
  });

  test('over MCP: the agent learns that a person has to approve, waits as requested, and reads the decision', async () => {
    for (const client of [stdio, http]) {
      const text = nextText();
      const begunMs = Date.now();
      const created = await client.call('create_post', draftOf(text));
      expect(created.text).toMatch(/^A person has to approve pst_\w+ before it is published on /);
      expect(created.json).toMatchObject({ status: 'awaiting_approval', approval: { status: 'pending' } });
      const id = created.json['id'];
      const waiting = client.call('get_post', { id, wait_seconds: 30 });
      expect(await published(created.json)).toBe(0);
      await decide('reject', approvalOf(created.json), person, 'The price is wrong.');
      const decided = await waiting;
      expect(Date.now() - begunMs).toBeLessThan(29_000);
      expect(decided.text).toMatch(/^A person rejected the post, and nothing was published\./);
      expect(decided.json).toMatchObject({
        status: 'failed',
        approval: { status: 'rejected', note: 'The price is wrong.' },
      });
      const corrected = await client.call('update_post', { id, text: `${text}, corrected` });
      expect(corrected.json).toMatchObject({ status: 'awaiting_approval' });
      await decide('approve', approvalOf(corrected.json));
      await settled(id, 'published');
      expect(await published(created.json)).toBe(1);
    }
  });

  test('refunds over the amount wait, with their money reserved, on REST and over MCP', async () => {
    const before = await refunds();
    const order = nextOrder();
    const path = `/ecommerce/orders/${order}/refund`;
    const small = await agent.expect(201, 'POST', path, { body: { amount: '1.00' } });
    expect(small).toMatchObject({ status: 'succeeded', approval: null });
    const large = await agent.expect(201, 'POST', path, { body: { amount: '0.50' } });
    expect(large).toMatchObject({ status: 'awaiting_approval', money_moved: null });
    expect((await agent.post(path, { amount: '0.10' })).json).toMatchObject({ code: 'refund.in_progress' });
    expect(await refunds()).toBe(before + 1);
    await decide('approve', approvalOf(large));
    await eventually('the approved refund is made', async () => {
      const refund = await agent.expect(200, 'GET', `/ecommerce/refunds/${asText(large['id'])}`);
      return refund['status'] === 'succeeded' ? refund : null;
    });
    expect(await refunds()).toBe(before + 2);

    const quoted = await stdio.call('quote_refund', { order_id: nextOrder(), amount: '2.00' });
    const refund = await stdio.call('refund_order', { quote_id: quoted.json['id'] });
    expect(refund.text).toMatch(/^A person has to approve the refund of 2\.00 EUR \(rfd_\w+\)/);
    const waiting = stdio.call('get_refund', { refund_id: refund.json['id'], wait_seconds: 30 });
    await decide('reject', approvalOf(refund.json), person, 'Ask the customer first.');
    expect(await waiting).toMatchObject({
      json: {
        status: 'failed',
        error: { code: 'approval.rejected' },
        approval: { status: 'rejected', note: 'Ask the customer first.' },
      },
    });
    expect(await refunds()).toBe(before + 2);
  });

  test('a request that is repeated with its idempotency key or quote is the same request', async () => {
    const body = draftOf(nextText());
    const headers = { 'Idempotency-Key': 'approval-1' };
    const first = await agent.sendRequest('POST', '/social/posts', { body, headers });
    const second = await agent.sendRequest('POST', '/social/posts', { body, headers });
    expect(second.text).toBe(first.text);
    await decide('approve', approvalOf(first.json));
    await settled(first.json['id'], 'published');
    const third = await agent.sendRequest('POST', '/social/posts', { body, headers });
    expect([third.status, third.text]).toEqual([201, first.text]);
    expect(await published(first.json)).toBe(1);
  });
});

describe('who decides', () => {
  test('the list is for keys that decide, and names what waits', async () => {
    const post = await createPost(nextText(), {
      scheduled_at: new Date(Date.now() + 86_400_000).toISOString(),
    });
    expect((await agent.get('/approvals')).json).toMatchObject({ code: 'key.scope_missing' });
    const query = { status: 'pending', post_id: asText(post['id']) };
    const { data } = await person.expect(200, 'GET', '/approvals', { query }).catch(() => ({ data: null }));
    expect(data).toMatchObject([
      {
        id: approvalOf(post),
        kind: 'post',
        post_id: post['id'],
        requested_by: agentKey.id,
        summary: expect.stringContaining('Publish a post on @maren'),
      },
    ]);
  });

  test('of two deciders at once, and of a decision and an edit at once, one takes effect', async () => {
    for (let round = 0; round < 5; round++) {
      const post = await createPost(nextText(), {
        scheduled_at: new Date(Date.now() + 86_400_000).toISOString(),
      });
      const id = approvalOf(post);
      const [one, other, edit] = await Promise.all([
        decide('approve', id),
        decide('reject', id, restClient(switchboard.url, switchboard.keys.full)),
        agent.sendRequest('PATCH', `/social/posts/${asText(post['id'])}`, { body: { text: nextText() } }),
      ]);
      const { data } = await person.expect(200, 'GET', '/approvals', { query: { limit: 100 } });
      const final = asObjects(data).find((each) => each['id'] === id);
      const accepted = [one, other].filter(({ status }) => status === 200);
      expect(edit.status).toBe(200);
      expect(accepted.length).toBe(final?.['status'] === 'withdrawn' ? 0 : 1);
      for (const { json } of accepted) expect(json['status']).toBe(final?.['status']);
      // The edited post waits for a decision of its own.
      expect(await readPost(post['id'])).toMatchObject({ status: 'awaiting_approval' });
    }
  });
});
