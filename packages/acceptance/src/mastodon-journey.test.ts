import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startMastodon, type RunningMastodon } from '@switchboard/simulators';
import { formOf, openBrowser } from './support/browser.js';
import { beginAt, locationOf } from './support/connect-sandbox.js';
import { objects, text, type JsonObject } from './support/json.js';
import { restClient, type RestClient } from './support/rest-client.js';
import { startSwitchboard, type Switchboard } from './support/switchboard.js';

const ALICE = '109000000000000001';

let mastodon: RunningMastodon;
let switchboard: Switchboard;
let client: RestClient;
let connectionId: string;
beforeAll(async () => {
  mastodon = await startMastodon({ limits: { maxCharacters: 1_000 } });
  switchboard = await startSwitchboard({
    name: 'mastodon_journey',
    env: { SWITCHBOARD_ALLOW_PRIVATE_HOSTS: new URL(mastodon.url).host },
  });
  client = restClient(switchboard.url, switchboard.keys.full);
});
afterAll(async () => {
  await switchboard?.stop();
  await mastodon?.close();
});

const startConnect = () => client.expect(201, 'POST', '/connect/url', { body: { platform: 'mastodon' } });

async function post(body: JsonObject): Promise<JsonObject> {
  const created = await client.expect(201, 'POST', '/social/posts', {
    body: { targets: [{ connection_id: connectionId }], ...body },
  });
  for (let look = 0; look < 100; look += 1) {
    const now = await client.expect(200, 'GET', `/social/posts/${text(created['id'])}`);
    if (now['status'] !== 'publishing' && now['status'] !== 'scheduled') return now;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error('the post did not settle within 20 seconds');
}

describe('the hosted page', () => {
  test('needs no app of the operator’s, asks for the server, and asks again when there is none', async () => {
    const { url } = await startConnect();
    for (const instance of ['mastodon', 'http://169.254.169.254']) {
      const page = await beginAt(openBrowser(), text(url), 'oauth', { instance });
      expect(page.status).toBeGreaterThanOrEqual(400);
      expect(page.headers.get('location')).toBeNull();
      expect(page.text).toContain('Server');
    }
  });

  test('leads to the server, and back to a connection', async () => {
    const session = await startConnect();
    const browser = openBrowser();
    const leaving = await beginAt(browser, text(session['url']), 'oauth', { instance: mastodon.url });
    expect(locationOf(leaving).startsWith(`${mastodon.url}/oauth/authorize?`)).toBe(true);
    const consent = await browser.get(locationOf(leaving));
    const form = formOf(consent, ({ fields }) => fields['client_id'] !== undefined);
    const answered = await browser.post(form.action, { ...form.fields, account: ALICE, decision: 'approve' });
    expect((await browser.get(locationOf(answered))).status).toBe(200);
    const ended = await client.expect(200, 'GET', `/connect/sessions/${text(session['id'])}`);
    expect(ended).toMatchObject({ status: 'connected', error: null });
    [connectionId = ''] = ended['connection_ids'] as string[];
    const { host } = new URL(mastodon.url);
    expect(await client.expect(200, 'GET', `/connections/${connectionId}`)).toMatchObject({
      platform: 'mastodon',
      status: 'active',
      account: { id: `${ALICE}@${host}`, username: `alice@${host}` },
      missing_permissions: [],
      expires_at: null,
    });
  });
});

describe('a post', () => {
  test('may be as long as this server allows, and is refused with one character more', async () => {
    const options = { visibility: 'unlisted', spoiler_text: 'Long' };
    const targets = [{ connection_id: connectionId, options }];
    const published = await post({ text: 'a'.repeat(996), targets });
    expect(published).toMatchObject({ status: 'published' });
    const [delivery] = objects(published['deliveries']);
    expect(mastodon.statuses.find(text(delivery?.['external_id']))).toMatchObject({
      ...{ visibility: 'unlisted', spoilerText: 'Long', sensitive: true },
    });
    const tooLong = { text: 'a'.repeat(997), targets };
    expect(await client.expect(422, 'POST', '/social/posts', { body: tooLong })).toMatchObject({
      code: 'post.invalid',
      errors: [{ path: 'targets.0.options.spoiler_text', code: 'text.too_long' }],
    });
  });

  test('whose answer is lost is found again and stands there once', async () => {
    const before = mastodon.statuses.made();
    mastodon.faults.add({
      ...{ platform: 'social', kind: 'reset-after-effect' },
      match: { method: 'POST', path_prefix: '/api/v1/statuses' },
    });
    const published = await post({ text: 'Lost & <found>', link: 'https://example.com/a?b=c' });
    expect(published).toMatchObject({ status: 'published' });
    expect(mastodon.statuses.made()).toBe(before + 1);
    const [delivery] = objects(published['deliveries']);
    expect(mastodon.statuses.find(text(delivery?.['external_id']))?.text).toContain('<found>');
  });
});

test('numbers are those that the server gives, and no others', async () => {
  const report = await client.expect(200, 'GET', '/social/analytics', {
    query: { connection_id: connectionId, group_by: 'post' },
  });
  expect(objects(report['groups'])).toHaveLength(2);
  expect(report['totals']).toMatchObject({ likes: 6, comments: 4, shares: 8, views: null, saves: null });
});

test('a connection that ends gives its token back', async () => {
  await client.expect(204, 'DELETE', `/connections/${connectionId}`);
  for (let look = 0; look < 100 && mastodon.oauth.revoked().length === 0; look += 1) {
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const [token = 'none'] = mastodon.oauth.revoked();
  expect(mastodon.oauth.bearerOf(token)).toBeNull();
  const secrets = [token, ...mastodon.oauth.apps().map(({ clientSecret }) => clientSecret)];
  for (const secret of secrets) expect(switchboard.logs()).not.toContain(secret);
});
