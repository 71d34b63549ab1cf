import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { repetitions } from '@switchboard/domain/testing';
import { connectAccount } from './support/sandbox-store.js';
import { asObjects, asText, type JsonObject } from './support/json.js';
import { connectMcpHttp, type McpClient } from './support/mcp-client.js';
import { restClient, type RestClient } from './support/rest-client.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';

/** More than a response lists. */
const POSTS = repetitions({ few: 120, many: 200 });

let switchboard: Switchboard;
let client: RestClient;
let agent: McpClient;
let profile: string;
beforeAll(async () => {
  switchboard = await serveSwitchboard({ name: 'queue', mcp: true });
  client = restClient(switchboard.url, switchboard.keys.full);
  agent = await connectMcpHttp(switchboard, switchboard.keys.full);
  const body = { name: 'Queue', timezone: 'Europe/Madrid' };
  profile = asText((await client.expect(201, 'POST', '/profiles', { body }))['id']);
  await connectAccount(client, 'sandbox_social', 'maren-holt', profile);
  const slots = ['monday', 'wednesday', 'sunday'].map((weekday) => ({ weekday, time: '02:30' }));
  await client.expect(200, 'PUT', `/profiles/${profile}/queue`, { body: { slots } });
});
afterAll(async () => {
  await agent?.close();
  await switchboard?.stop();
});

const coming = async (limit = 100) => {
  const queue = await client.expect(200, 'GET', `/profiles/${profile}/queue?limit=${limit}`);
  return asObjects(queue['coming']);
};

/** As a client repeats a call with its idempotency key: a server without free connections answers 503. */
async function repeatWhileUnavailable(call: () => Promise<JsonObject>): Promise<JsonObject> {
  for (;;) {
    const json = await call();
    if (json['status'] !== 503) return json;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

test(`${POSTS} posts that two servers queue at once take ${POSTS} different slots, the next ones`, async () => {
  const queued = { profile_id: profile, queue: 'next', targets: [{ platform: 'sandbox_social' }] };
  const posts = await Promise.all(
    Array.from({ length: POSTS }, (_, index) => {
      const body = { ...queued, text: `Queued ${index}` };
      const key = `queued-${index}`;
      return repeatWhileUnavailable(async () =>
        index % 2 === 0
          ? (await client.sendRequest('POST', '/social/posts', { body, headers: { 'Idempotency-Key': key } }))
              .json
          : (await agent.call('create_post', { ...body, idempotency_key: key })).json,
      );
    }),
  );
  expect(posts.map(({ status }) => status)).toEqual(Array(POSTS).fill('scheduled'));
  const times = posts.map((post) => asText(post['scheduled_at'])).sort();
  expect(new Set(times).size).toBe(POSTS);
  const listed = await coming();
  expect(listed.map(({ at }) => at)).toEqual(times.slice(0, 100));
  expect(listed.every(({ post_id: id }) => posts.some((post) => post['id'] === id))).toBe(true);
});

test('a cancelled post frees its slot for the next one, over both interfaces', async () => {
  const [first] = await coming(1);
  await client.expect(200, 'POST', `/social/posts/${asText(first?.['post_id'])}/cancel`);
  expect(await coming(1)).toEqual([{ at: first?.['at'] }]);
  const draft = { profile_id: profile, text: 'Next', queue: 'next', targets: 'all' };
  const validated = await client.expect(200, 'POST', '/social/posts/validate', { body: draft });
  expect(asObjects(validated['targets'])).toMatchObject([{ will_publish_at: first?.['at'] }]);
  const { json } = await agent.call('create_post', draft);
  expect(json).toMatchObject({ status: 'scheduled', scheduled_at: first?.['at'] });
});
