import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startMastodon, type RunningMastodon } from '@switchboard/simulators';
import { connectMastodon } from './support/connect-mastodon.js';
import { connectAccount } from './support/sandbox-store.js';
import { eventually } from './support/eventually.js';
import { asObject, asObjects, asText, type JsonObject } from './support/json.js';
import { restClient, type RestResponse, type RestClient } from './support/rest-client.js';
import { sandboxControl } from './support/sandbox-control.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';

/**
 * N15: texts from people and attackers are published as written or rejected with the field path; nothing is
 * truncated.
 */
const ALICE = '109000000000000001';
const FAMILY = '👨‍👩‍👧‍👦';

let mastodon: RunningMastodon;
let switchboard: Switchboard;
let client: RestClient;
const connections: Record<'sandbox_social' | 'mastodon', string> = { sandbox_social: '', mastodon: '' };
beforeAll(async () => {
  mastodon = await startMastodon();
  switchboard = await serveSwitchboard({
    name: 'post_texts',
    env: { SWITCHBOARD_ALLOW_PRIVATE_HOSTS: new URL(mastodon.url).host },
  });
  client = restClient(switchboard.url, switchboard.keys.full);
  connections.sandbox_social = await connectAccount(client, 'sandbox_social', 'maren-holt');
  connections.mastodon = await connectMastodon(client, mastodon.url, ALICE);
});
afterAll(async () => {
  await switchboard?.stop();
  await mastodon?.close();
});

const sendRequest = (
  platform: keyof typeof connections,
  words: string,
  more: JsonObject = {},
): Promise<RestResponse> =>
  client.post('/social/posts', {
    text: words,
    allow_duplicate: true,
    targets: [{ connection_id: connections[platform] }],
    ...more,
  });

async function published(created: RestResponse): Promise<JsonObject> {
  expect(created).toMatchObject({ status: 201 });
  const post = await eventually('it is published', async () => {
    const now = await client.expect(200, 'GET', `/social/posts/${asText(created.json['id'])}`);
    return now['status'] === 'scheduled' || now['status'] === 'publishing' ? null : now;
  });
  expect(post).toMatchObject({ status: 'published' });
  return asObject(asObjects(post['deliveries'])[0]);
}

const arriving = [
  ['in right-to-left script', 'שלום עולם، مرحبا بالعالم'],
  ['with a bidirectional override', 'annual\u202Efdp.exe\u202C report'],
  ['with CRLF line breaks', 'First line\r\nX-Second: line\r\n\r\nThird'],
  ['of chained combining marks', `Z${'\u0308\u0323'.repeat(40)}algo`],
  ['of characters outside the basic multilingual plane', '𝒮𝓌𝒾𝓉𝒸𝒽 🏴󠁧󠁢󠁳󠁣󠁴󠁿 𠜎'],
  ['with no-break and zero-width space', 'a\u00A0b\u200Bc\uFEFFd'],
] as const;

describe.each(['sandbox_social', 'mastodon'] as const)('N15: on %s a text', (platform) => {
  test.each(arriving)('%s is published as written', async (_what, words) => {
    const delivery = await published(await sendRequest(platform, words));
    const id = asText(delivery['external_id']);
    if (platform === 'mastodon') expect(mastodon.statuses.find(id)?.text).toBe(words);
    else expect(await (await fetch(asText(delivery['url']))).text()).toContain(words);
  });

  test.each([
    ['half a surrogate pair', '{"text":"a \\ud83d b"'],
    ['a NUL', '{"text":"a \\u0000 b"'],
  ])('with %s is rejected with the field path, and nothing is stored', async (_what, json) => {
    const body = `${json},"targets":[{"connection_id":"${connections[platform]}"}]}`;
    const before = await client.expect(200, 'GET', '/social/posts', { query: { limit: 1 } });
    const answer = await client.post('/social/posts', body);
    expect(answer).toMatchObject({
      status: 400,
      json: { code: 'request.invalid', errors: [{ path: 'text' }] },
    });
    expect(await client.expect(200, 'GET', '/social/posts', { query: { limit: 1 } })).toEqual(before);
  });
});

describe('N15: at the limit', () => {
  const atLimit = [
    ['sandbox_social', 'emoji of one code point each', '😀'],
    ['mastodon', 'family emoji of one grapheme each', FAMILY],
    ['mastodon', 'letters with a combining accent, of one grapheme each', 'e\u0301'],
  ] as const;

  test.each(atLimit)('%s accepts 500 %s, unchanged, and rejects one more', async (platform, _what, unit) => {
    const delivery = await published(await sendRequest(platform, unit.repeat(500)));
    const id = asText(delivery['external_id']);
    if (platform === 'mastodon') expect(mastodon.statuses.find(id)?.text).toBe(unit.repeat(500));
    else expect(await (await fetch(asText(delivery['url']))).text()).toContain(unit.repeat(500));

    const effects = (await sandboxControl(switchboard.sandboxUrl).ledger('post.created')).length;
    const made = mastodon.statuses.createdCount();
    const refused = await sendRequest(platform, unit.repeat(501));
    expect(refused).toMatchObject({
      status: 422,
      json: { code: 'post.invalid', errors: [{ code: 'text.too_long' }] },
    });
    expect(await sandboxControl(switchboard.sandboxUrl).ledger('post.created')).toHaveLength(effects);
    expect(mastodon.statuses.createdCount()).toBe(made);
  });

  test('one text is measured in each platform’s own unit', async () => {
    const targets = Object.values(connections).map((connection_id) => ({ connection_id }));
    const refused = await client.post('/social/posts', { text: FAMILY.repeat(100), targets });
    expect(refused).toMatchObject({ status: 422, json: { code: 'post.invalid' } });
    expect(asObjects(refused.json['errors'])).toHaveLength(1);
  });
});

test.each([
  ['external_id', { external_id: 'a\r\nX-Injected: 1' }],
  ['metadata', { metadata: { note: 'a\r\nX-Injected: 1' } }],
  ['link', { link: 'https://example.com/\r\nX-Injected: 1' }],
  ['timezone', { timezone: 'Europe/Madrid\r\nX-Injected: 1' }],
])('N15: a line break in %s creates no header and no error', async (_field, more) => {
  const answer = await sendRequest('sandbox_social', 'Line breaks', { draft: true, ...more });
  expect(answer.status).toBeLessThan(500);
  expect(answer.headers.get('x-injected')).toBeNull();
});
