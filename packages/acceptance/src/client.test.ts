import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  createClient,
  SwitchboardError,
  unwrap,
  type Client,
  type Order,
  type Post,
} from '@switchboard/client';
import { connectAccount } from './support/sandbox-store.js';
import { restClient } from './support/rest-client.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';

const QUOTA = 40;
const WINDOW_SECONDS = 3;

let switchboard: Switchboard;
let client: Client;
const apiKey = () => switchboard.keys.full;
let social: string;
beforeAll(async () => {
  switchboard = await serveSwitchboard({ name: 'client' });
  client = createClient({ baseUrl: switchboard.url, apiKey: apiKey() });
  const rest = restClient(switchboard.url, switchboard.keys.full);
  social = await connectAccount(rest, 'sandbox_social', 'tidal-museum');
  await connectAccount(rest, 'sandbox_store', 'harbor-supply');
});
afterAll(() => switchboard?.stop());

test('creates, reads and lists with the types of the description', async () => {
  const params = { header: { Prefer: 'wait=10' } };
  const created: Post = unwrap(
    await client.POST('/v1/social/posts', { params, body: { text: 'Hello', targets: 'all' } }),
  );
  expect(created.status).toBe('published');
  const { data, response } = await client.GET('/v1/social/posts/{id}', {
    params: { path: { id: created.id } },
  });
  expect(data?.deliveries).toMatchObject([{ connection_id: social, status: 'published' }]);
  const etag = response.headers.get('ETag') ?? '';
  const unchanged = await client.GET('/v1/social/posts/{id}', {
    params: { path: { id: created.id }, header: { 'If-None-Match': etag } },
  });
  expect(unchanged.response.status).toBe(304);
  const filtered = await client.GET('/v1/social/posts', {
    params: { query: { status: ['published', 'failed'], connection_id: social } },
  });
  expect(filtered.data?.data.map(({ id }) => id)).toEqual([created.id]);
});

test('executes a POST once although its response was lost', async () => {
  let losses = 1;
  const keys: (string | null)[] = [];
  const losing = createClient({
    baseUrl: switchboard.url,
    apiKey: apiKey(),
    fetch: async (request) => {
      keys.push(request.headers.get('Idempotency-Key'));
      const response = await fetch(request);
      if (losses === 0) return response;
      losses -= 1;
      throw new TypeError('the connection was closed');
    },
  });
  const { data, response } = await losing.POST('/v1/profiles', { body: { name: 'Only once' } });
  expect([response.status, response.headers.get('Idempotency-Replayed')]).toEqual([201, 'true']);
  expect(keys).toEqual([keys[0], keys[0]]);
  const named: string[] = [];
  for await (const { id, name } of client.iterate('/v1/profiles')) if (name === 'Only once') named.push(id);
  expect(named).toEqual([data?.id]);
});

test('iterates over the pages of a list, reading only what is needed', async () => {
  for (const name of ['Page one', 'Page two', 'Page three'])
    unwrap(await client.POST('/v1/profiles', { body: { name } }));
  let requests = 0;
  const counting = createClient({
    baseUrl: switchboard.url,
    apiKey: apiKey(),
    fetch: (request) => {
      requests += 1;
      return fetch(request);
    },
  });
  const names: string[] = [];
  for await (const { name } of counting.iterate('/v1/profiles', { query: { limit: 1 } })) {
    names.push(name);
    if (names.length === 2) break;
  }
  expect([names, requests]).toEqual([['Page three', 'Page two'], 2]);
  const orders: Order[] = [];
  const query = { payment_status: ['paid' as const] };
  for await (const order of client.iterate('/v1/ecommerce/orders', { query })) orders.push(order);
  expect(orders.length).toBeGreaterThan(20);
  expect(new Set(orders.map(({ id }) => id)).size).toBe(orders.length);
});

test('throws the problem details of a failed page', async () => {
  const list = client.iterate('/v1/social/posts', { query: { profile_id: 'prf_missing' } });
  const failure = await list.next().catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(SwitchboardError);
  expect(failure).toMatchObject({ status: 404, problem: { code: 'profile.not_found', effect: 'none' } });
});

test('waits until its quota is renewed', async () => {
  const replica = await switchboard.startReplica({
    SWITCHBOARD_RATE_LIMIT: `${QUOTA}/${WINDOW_SECONDS}s`,
  });
  const limited = createClient({ baseUrl: replica.url, apiKey: apiKey() });
  const statuses = await Promise.all(
    Array.from({ length: QUOTA + 5 }, async () => (await limited.GET('/v1/me')).response.status),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
});
