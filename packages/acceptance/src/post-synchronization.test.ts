import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { queryRows } from './support/database.js';
import { eventually } from './support/eventually.js';
import { asObjects, asText, type JsonObject } from './support/json.js';
import { connectMcpHttp } from './support/mcp-client.js';
import { restClient, type RestClient } from './support/rest-client.js';
import { sandboxControl } from './support/sandbox-control.js';
import { connectAccount } from './support/sandbox-store.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';

let switchboard: Switchboard;
let client: RestClient;
let sandbox: ReturnType<typeof sandboxControl>;
let accounts: readonly string[];
beforeAll(async () => {
  switchboard = await serveSwitchboard({ name: 'post_synchronization', mcp: true });
  client = restClient(switchboard.url, switchboard.keys.full);
  sandbox = sandboxControl(switchboard.sandboxUrl);
  accounts = [
    await connectAccount(client, 'sandbox_social', 'maren-holt'),
    await connectAccount(client, 'sandbox_social', 'tidal-museum'),
  ];
});
afterAll(() => switchboard?.stop());

const pathOf = (id: string) => `/social/posts/${id}`;
const deliveriesOf = (post: JsonObject) => asObjects(post['deliveries']);

async function publish(
  text: string,
): Promise<{ readonly id: string; readonly deliveries: readonly JsonObject[] }> {
  const targets = accounts.map((connection_id) => ({ connection_id }));
  const { id } = await client.expect(201, 'POST', '/social/posts', { body: { text, targets } });
  const post = await eventually('the post is published', async () => {
    const read = await client.expect(200, 'GET', pathOf(asText(id)));
    return read['status'] === 'published' ? read : null;
  });
  // A platform may not find what was published less than five minutes ago.
  await queryRows(
    switchboard.databaseUrl,
    `UPDATE deliveries SET published_at = published_at - interval '1 hour' WHERE post_id = '${asText(id)}'`,
  );
  return { id: asText(id), deliveries: deliveriesOf(post) };
}

const refresh = (id: string) => client.expect(200, 'GET', pathOf(id), { query: { refresh: true } });

async function listRemovals(id: string): Promise<readonly JsonObject[]> {
  const { data } = await client.expect(200, 'GET', '/events', {
    query: { type: 'post.removed_at_platform', limit: 100 },
  });
  return asObjects(data)
    .map(({ data: payload }) => payload as JsonObject)
    .filter(({ post_id: postId }) => postId === id);
}

/** A listed event can be delayed by a transaction that began before it. */
const removalsOf = (id: string) =>
  eventually('a removal is listed', async () => {
    const removals = await listRemovals(id);
    return removals.length > 0 ? removals : null;
  });

test('a refreshed post says what each platform answered, and a removal is recorded with one event', async () => {
  const { id, deliveries } = await publish('Will be deleted on one account');
  expect(deliveriesOf(await refresh(id))).toMatchObject([
    { removed_at: null, at_platform: { status: 'exists', error: null } },
    { removed_at: null, at_platform: { status: 'exists', error: null } },
  ]);
  const [first, second] = deliveries;
  await sandbox.deletePost(asText(first?.['external_id']));
  const removed = await refresh(id);
  const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as unknown;
  expect(deliveriesOf(removed)).toMatchObject([
    { status: 'published', removed_at: at, parts: [{ removed_at: at }], at_platform: { status: 'removed' } },
    { status: 'published', removed_at: null, at_platform: { status: 'exists' } },
  ]);
  const time = deliveriesOf(removed)[0]?.['removed_at'];
  // Recorded: a later read without a refresh reports it as well, and asks no platform.
  const read = deliveriesOf(await client.expect(200, 'GET', pathOf(id)));
  expect(read).toMatchObject([{ removed_at: time }, { removed_at: null }]);
  for (const delivery of read) expect(delivery).not.toHaveProperty('at_platform');
  expect(deliveriesOf(await refresh(id))[0]).toMatchObject({ removed_at: time });
  expect(await removalsOf(id)).toMatchObject([
    {
      post_id: id,
      removed_delivery_ids: [first?.['id']],
      deliveries: [{ delivery_id: first?.['id'] }, { delivery_id: second?.['id'] }],
    },
  ]);
  const { data: history } = await client.expect(200, 'GET', `${pathOf(id)}/history`);
  expect(asObjects(history).filter(({ outcome }) => outcome === 'removed_at_platform')).toHaveLength(1);
});

test('a platform that fails or refuses to answer proves nothing', async () => {
  const { id, deliveries } = await publish('No platform answers');
  for (const { external_id } of deliveries) await sandbox.deletePost(asText(external_id));
  for (const kind of ['500-before', '403', '429', 'reset-before-effect', 'garbage'] as const) {
    const match = { method: 'GET', path_prefix: '/api/posts' };
    await sandbox.fault({ platform: 'social', kind, times: null, match });
    const answers = deliveriesOf(await refresh(id));
    expect([kind, answers]).toMatchObject([
      kind,
      [
        { removed_at: null, at_platform: { status: 'unknown' } },
        { removed_at: null, at_platform: { status: 'unknown' } },
      ],
    ]);
    await sandbox.clearFaults();
  }
  expect(await listRemovals(id)).toEqual([]);
});

test('an agent refreshes a post with the same parameter', async () => {
  const { id, deliveries } = await publish('Read by an agent');
  for (const { external_id } of deliveries) await sandbox.deletePost(asText(external_id));
  const agent = await connectMcpHttp(switchboard, switchboard.keys.full);
  try {
    const { json } = await agent.call('get_post', { id, refresh: true });
    expect(deliveriesOf(json)).toMatchObject([
      { at_platform: { status: 'removed' } },
      { at_platform: { status: 'removed' } },
    ]);
  } finally {
    await agent.close();
  }
  expect(await removalsOf(id)).toHaveLength(1);
});

const edits = async (id: string) =>
  (await sandbox.ledger('post.edited')).filter((entry) => entry['id'] === id);

test('an edit of a published post is made on every account, once, and its event follows', async () => {
  const { id, deliveries } = await publish('With a tpyo');
  const body = { text: 'Without a typo' };
  await client.expect(409, 'PATCH', pathOf(id), { body });
  const edited = await client.expect(200, 'PATCH', pathOf(id), {
    body: { ...body, edit_published: true },
    headers: { prefer: 'wait=30' },
  });
  expect(edited).toMatchObject({ status: 'published', text: 'Without a typo' });
  for (const delivery of deliveriesOf(edited)) expect(delivery).not.toHaveProperty('editing');
  for (const { external_id } of deliveries)
    expect(await edits(asText(external_id))).toMatchObject([{ text: 'Without a typo' }]);
  await eventually('its events are listed', async () => {
    const { data } = await client.expect(200, 'GET', '/events', {
      query: { type: 'post.updated', limit: 100 },
    });
    const updates = asObjects(data).filter((event) => (event['data'] as JsonObject)['post_id'] === id);
    return updates.length >= 3 || null;
  });
  await client.expect(200, 'PATCH', pathOf(id), { body: { ...body, edit_published: true } });
  expect(await edits(asText(deliveries[0]?.['external_id']))).toHaveLength(1);
});

test.each(['reset-after-effect', 'reset-before-effect'] as const)(
  'an edit that meets a %s is confirmed at the platform, and no second post exists',
  async (kind) => {
    const { id, deliveries } = await publish(`Before ${kind}`);
    const [first] = deliveries;
    const match = { method: 'PUT', path_prefix: `/api/posts/${asText(first?.['external_id'])}` };
    await sandbox.fault({ platform: 'social', kind, times: 1, match });
    const created = (await sandbox.ledger('post.created')).length;
    await client.expect(200, 'PATCH', pathOf(id), { body: { text: `After ${kind}`, edit_published: true } });
    const read = await eventually('the edit is confirmed', async () => {
      const post = await client.expect(200, 'GET', pathOf(id));
      return deliveriesOf(post).some((delivery) => delivery['editing'] === true) ? null : post;
    });
    expect(deliveriesOf(read)).toMatchObject([
      { status: 'published', error: null },
      { status: 'published', error: null },
    ]);
    await sandbox.clearFaults();
    expect(await edits(asText(first?.['external_id']))).toMatchObject([{ text: `After ${kind}` }]);
    expect((await sandbox.ledger('post.created')).length).toBe(created);
  },
);

test('an agent edits a published post on one account, and the tool returns the outcome', async () => {
  const { id, deliveries } = await publish('Edited by an agent');
  const [first, second] = deliveries;
  const agent = await connectMcpHttp(switchboard, switchboard.keys.full);
  try {
    const targets = [{ connection_id: asText(first?.['connection_id']), text: 'For this account' }];
    const { json } = await agent.call('update_post', { id, targets, edit_published: true });
    expect(json).toMatchObject({ status: 'published' });
  } finally {
    await agent.close();
  }
  expect(await edits(asText(first?.['external_id']))).toMatchObject([{ text: 'For this account' }]);
  expect(await edits(asText(second?.['external_id']))).toEqual([]);
});

test('content that was removed at its platform may be posted again', async () => {
  const text = 'Deleted by mistake';
  const { id, deliveries } = await publish(text);
  const targets = accounts.map((connection_id) => ({ connection_id }));
  await client.expect(409, 'POST', '/social/posts', { body: { text, targets } });
  for (const { external_id } of deliveries) await sandbox.deletePost(asText(external_id));
  await refresh(id);
  await client.expect(201, 'POST', '/social/posts', { body: { text, targets } });
});
