import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Sandbox } from '../sandbox.js';
import { startSandbox } from '../sandbox.js';
import type { TokenSet } from '../testing/test-client.js';
import { testClient } from '../testing/test-client.js';

let sandbox: Sandbox;
let client: ReturnType<typeof testClient>;
let maren: TokenSet;

beforeAll(async () => {
  sandbox = await startSandbox();
  client = testClient(fetch, sandbox.url, 'social');
  maren = await client.connect('maren-holt');
});
afterAll(() => sandbox.close());

interface PostView {
  id: string;
  url: string;
  client_ref: string | null;
}
const post = async (body: object) =>
  (await (await client.call(maren, 'POST', '/posts', body)).json()) as PostView;
const list = async (query: string) =>
  (await (await client.call(maren, 'GET', `/posts${query}`)).json()) as {
    data: PostView[];
    next_page_token: string | null;
  };

test('publishes a post for each request, without duplicate detection', async () => {
  const body = { text: 'Hello', client_ref: 'twice', unknown_field: 1 };
  const [first, second] = [await post(body), await post(body)];
  expect(first.id).not.toBe(second.id);
  expect(sandbox.ledger.entries({ effect: 'post.created', reference: 'twice' }).map(({ id }) => id)).toEqual([
    first.id,
    second.id,
  ]);
});

test('finds the account’s own post by its reference, and no other account’s', async () => {
  const created = await post({
    text: 'Find me',
    client_ref: 'ref-42',
    link: 'https://example.com/a',
    visibility: 'followers',
  });
  const found = await list('?client_ref=ref-42');
  expect(found).toEqual({ data: [created], next_page_token: null });
  const other = await client.connect('tidal-museum');
  const foreign = await client.call(other, 'GET', '/posts?client_ref=ref-42');
  expect(await foreign.json()).toMatchObject({ data: [] });
  expect((await client.call(other, 'GET', `/posts/${created.id}`)).status).toBe(404);
  expect((await client.call(other, 'DELETE', `/posts/${created.id}`)).status).toBe(404);
});

test('counts a text in code points: 500 pass and 501 do not', async () => {
  const longest = '👩‍🚀'.repeat(166) + 'ab';
  expect([...longest]).toHaveLength(500);
  expect((await client.call(maren, 'POST', '/posts', { text: longest })).status).toBe(201);
  const refused = await client.call(maren, 'POST', '/posts', { text: `${longest}c` });
  expect(refused.status).toBe(422);
  expect(await refused.json()).toMatchObject({ error: { code: 'text_too_long', limit: 500, length: 501 } });
});

test.each([
  ['text_required', { text: ' \n ' }],
  ['text_required', {}],
  ['link_invalid', { text: 'x', link: 'javascript:alert(1)' }],
  ['visibility_invalid', { text: 'x', visibility: 'everyone' }],
  ['reply_to_not_found', { text: 'x', reply_to: 'p404' }],
  ['client_ref_invalid', { text: 'x', client_ref: 'r'.repeat(101) }],
])('rejects with %s and posts nothing', async (code, body) => {
  const before = sandbox.ledger.entries().length;
  const response = await client.call(maren, 'POST', '/posts', body);
  expect(response.status).toBe(422);
  expect(await response.json()).toMatchObject({ error: { code } });
  expect(sandbox.ledger.entries()).toHaveLength(before);
});

test('lists all own posts page by page, newest first, each once', async () => {
  const seen: string[] = [];
  let token: string | null = '';
  do {
    const cut: Awaited<ReturnType<typeof list>> = await list(
      `?limit=2${token ? `&page_token=${token}` : ''}`,
    );
    seen.push(...cut.data.map(({ id }) => id));
    token = cut.next_page_token;
  } while (token !== null);
  const whole = await list('?limit=100');
  expect(seen).toEqual(whole.data.map(({ id }) => id));
  expect(new Set(seen).size).toBe(seen.length);
});

test('deletes a post once', async () => {
  const { id } = await post({ text: 'Short life' });
  expect((await client.call(maren, 'DELETE', `/posts/${id}`)).status).toBe(204);
  expect((await client.call(maren, 'DELETE', `/posts/${id}`)).status).toBe(404);
  expect(sandbox.ledger.entries({ effect: 'post.deleted' }).map((entry) => entry.id)).toEqual([id]);
});

test('returns metrics that only grow with age, without those that the platform lacks', async () => {
  const { id } = await post({ text: 'Watch me', link: 'https://example.com' });
  const read = async () => {
    const response = await client.call(maren, 'GET', `/posts/${id}/insights`);
    return ((await response.json()) as { metrics: Record<string, number> }).metrics;
  };
  const young = await read();
  sandbox.control.advanceClock(7200);
  maren = await client.connect('maren-holt');
  const old = await read();
  expect(Object.keys(old).sort()).toEqual(['clicks', 'comments', 'impressions', 'likes', 'shares']);
  for (const [name, value] of Object.entries(old))
    expect(value).toBeGreaterThanOrEqual(young[name] ?? Infinity);
  expect(old['impressions']).toBeGreaterThan(young['impressions'] ?? Infinity);
  expect(await read()).toEqual(old);
  sandbox.control.resetClock();
});

test('returns 400 for malformed JSON, 415 for another type and 413 for oversized bodies', async () => {
  const send = (body: string, type: string) =>
    fetch(`${sandbox.url}/social/api/posts`, {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${maren.access_token}`, 'content-type': type },
    });
  expect((await send('{"text":', 'application/json')).status).toBe(400);
  expect((await send('text=x', 'application/x-www-form-urlencoded')).status).toBe(415);
  expect((await send(JSON.stringify({ text: 'x'.repeat(70_000) }), 'application/json')).status).toBe(413);
});

test('shows posts on the feed with working links and everything else escaped', async () => {
  await post({ text: '<script>alert(1)</script> see https://example.com/a?b=1&c="2" now. #"><img src=x>' });
  const html = await (await fetch(`${sandbox.url}/social/feed/maren-holt`)).text();
  expect(html).toContain('href="https://example.com/a?b=1&#38;c="');
  expect(html).not.toMatch(/<script|<img src=x/);
});
