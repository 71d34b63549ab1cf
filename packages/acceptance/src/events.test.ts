import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createClient, unwrap, type Client, type Event, type operations } from '@switchboard/client';
import { connectAccount } from './support/sandbox-store.js';
import { restClient, type RestClient } from './support/rest-client.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';
import { asObjects, asText } from './support/json.js';

let switchboard: Switchboard;
let client: RestClient;
/** At another process of the same installation. */
let reader: Client;
beforeAll(async () => {
  switchboard = await serveSwitchboard({ name: 'events' });
  client = restClient(switchboard.url, switchboard.keys.full);
  const { url: baseUrl } = await switchboard.startReplica();
  reader = createClient({ baseUrl, apiKey: switchboard.keys.full });
});
afterAll(() => switchboard?.stop());

type ListEventsQuery = NonNullable<operations['listEvents']['parameters']['query']>;

/** The payload has the fields of its type. */
function describeEvent(event: Event): string {
  if (event.type === 'post.published') return `${event.data.post_id} is published`;
  if (event.type === 'connection.needs_reauth') return `${event.data.account} must be connected again`;
  return event.type;
}

test('a reader that waits at another process follows a post from its schedule to its publication', async () => {
  const social = await connectAccount(client, 'sandbox_social', 'maren-holt');
  const list = async (query: ListEventsQuery) =>
    unwrap(await reader.GET('/v1/events', { params: { query } }));
  expect((await list({ type: ['connection.*'] })).data).toMatchObject([
    { type: 'connection.connected', data: { connection_id: social, platform: 'sandbox_social' } },
  ]);

  let { after } = await list({ after: 'now' });
  const seen: Event[] = [];
  const follow = async (last: string) => {
    while (seen.at(-1)?.type !== last) {
      const page = await list({ after, type: ['post.*'], wait: 20 });
      ({ after } = page);
      seen.push(...page.data);
    }
  };
  const scheduled = follow('post.scheduled');
  const post = asText(
    (
      await client.expect(201, 'POST', '/social/posts', {
        body: {
          text: 'An event for every step',
          targets: [{ connection_id: social }],
          scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
        },
      })
    )['id'],
  );
  await scheduled;
  const published = follow('post.published');
  await client.expect(200, 'PATCH', `/social/posts/${post}`, {
    body: { scheduled_at: new Date(Date.now() + 2000).toISOString() },
  });
  await published;

  expect(describeEvent(seen.at(-1) as Event)).toBe(`${post} is published`);
  expect(seen.map(({ type }) => type)).toEqual([
    'post.created',
    'post.scheduled',
    'post.updated',
    'post.scheduled',
    'post.delivery_published',
    'post.published',
  ]);
  const delivery = {
    connection_id: social,
    platform: 'sandbox_social',
    status: 'published',
    external_id: expect.any(String),
    url: expect.stringMatching(/^http/),
    error: null,
  };
  expect(seen.at(-1)?.data).toMatchObject({ post_id: post, status: 'published', deliveries: [delivery] });
  expect(seen.at(-2)?.data).toMatchObject({ post_id: post, ...delivery });
  expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
});

test('a key without events:read, and an after of no list, are refused', async () => {
  const agent = restClient(switchboard.url, switchboard.keys.agent);
  const { status, json } = await agent.get('/events?after=invented');
  expect([status, json['code']]).toEqual([400, 'request.invalid_cursor']);
  const created = await client.expect(201, 'POST', '/keys', {
    body: { name: 'posts only', scopes: ['posts:read'] },
  });
  const narrow = restClient(switchboard.url, asText(created['secret']));
  const refused = await narrow.get('/events');
  expect([refused.status, refused.json['code']]).toEqual([403, 'key.scope_missing']);
});

test('a key that hides personal data reads events as its webhooks receive them', async () => {
  const policy = { hide_personal_data: true };
  const body = { name: 'hiding', scopes: ['events:read'], policy };
  const hiding = restClient(
    switchboard.url,
    asText((await client.expect(201, 'POST', '/keys', { body }))['secret']),
  );
  const query = { type: 'connection.connected' };
  const read = async (as: RestClient) => asObjects((await as.expect(200, 'GET', '/events', { query })).data);
  expect(await read(client)).toMatchObject([{ data: { account: expect.stringMatching(/maren/) } }]);
  expect(await read(hiding)).toMatchObject([{ data: { account: '***' } }]);
});
