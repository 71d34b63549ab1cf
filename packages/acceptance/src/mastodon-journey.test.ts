import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { startMastodon, type FaultKind, type RunningMastodon } from '@switchboard/simulators';
import { findForm, openBrowser } from './support/browser.js';
import { submitConnectForm, getLocation } from './support/connect-sandbox.js';
import { queryRows } from './support/database.js';
import { eventually } from './support/eventually.js';
import { startFileServer, type FileServer } from './support/file-server.js';
import { asObject, asObjects, asText, type JsonObject } from './support/json.js';
import { connectMcpStdio } from './support/mcp-client.js';
import { restClient, type RestClient } from './support/rest-client.js';
import { sampleVideo, noisyPng } from './support/sample-media.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';

const ALICE = '109000000000000001';

const IMAGE_LIMIT = 100_000;

let files: FileServer;
let mastodon: RunningMastodon;
let switchboard: Switchboard;
let client: RestClient;
let connectionId: string;
beforeAll(async () => {
  files = await startFileServer();
  mastodon = await startMastodon({
    limits: { maxCharacters: 1_000, descriptionLimit: 1_000, imageSizeLimit: IMAGE_LIMIT },
  });
  switchboard = await serveSwitchboard({
    name: 'mastodon_journey',
    env: { SWITCHBOARD_ALLOW_PRIVATE_HOSTS: `${new URL(mastodon.url).host},${files.host}` },
  });
  client = restClient(switchboard.url, switchboard.keys.full);
});
afterAll(async () => {
  await switchboard?.stop();
  await mastodon?.close();
  await files?.close();
});

const startConnect = () => client.expect(201, 'POST', '/connect/url', { body: { platform: 'mastodon' } });

async function post(body: JsonObject): Promise<JsonObject> {
  const created = await client.expect(201, 'POST', '/social/posts', {
    body: { targets: [{ connection_id: connectionId }], ...body },
  });
  return eventually('the post has settled', async () => {
    const now = await client.expect(200, 'GET', `/social/posts/${asText(created['id'])}`);
    return now['status'] === 'publishing' || now['status'] === 'scheduled' ? null : now;
  });
}

/** The server's posts for each part of a post's only delivery. */
const partsOf = (published: JsonObject) => {
  const [delivery] = asObjects(published['deliveries']);
  return asObjects(delivery?.['parts']).map((part) => mastodon.statuses.find(asText(part['external_id'])));
};

/** Injects a fault into one of the next requests that publish a status or upload a file. */
const breakOne = (kind: FaultKind, path: '/api/v1/statuses' | '/api/v2/media', after = 0) =>
  mastodon.faults.add({ kind, match: { method: 'POST', path_prefix: path }, after });

describe('the hosted page', () => {
  test('needs no operator app, prompts for the server, and prompts again when it does not exist', async () => {
    const { url } = await startConnect();
    for (const instance of ['mastodon', 'http://169.254.169.254']) {
      const page = await submitConnectForm(openBrowser(), asText(url), 'oauth', { instance });
      expect(page.status).toBeGreaterThanOrEqual(400);
      expect(page.headers.get('location')).toBeNull();
      expect(page.text).toContain('Server');
    }
  });

  test('redirects to the server and returns with a connection', async () => {
    const session = await startConnect();
    const browser = openBrowser();
    const leaving = await submitConnectForm(browser, asText(session['url']), 'oauth', {
      instance: mastodon.url,
    });
    expect(getLocation(leaving).startsWith(`${mastodon.url}/oauth/authorize?`)).toBe(true);
    const consent = await browser.get(getLocation(leaving));
    const form = findForm(consent, ({ fields }) => fields['client_id'] !== undefined);
    const answered = await browser.post(form.action, { ...form.fields, account: ALICE, decision: 'approve' });
    expect((await browser.get(getLocation(answered))).status).toBe(200);
    const ended = await client.expect(200, 'GET', `/connect/sessions/${asText(session['id'])}`);
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
  test('may be as long as this server allows, and is rejected with one character more', async () => {
    const options = { visibility: 'unlisted', spoiler_text: 'Long' };
    const targets = [{ connection_id: connectionId, options }];
    const published = await post({ text: 'a'.repeat(996), targets });
    expect(published).toMatchObject({ status: 'published' });
    const [delivery] = asObjects(published['deliveries']);
    expect(mastodon.statuses.find(asText(delivery?.['external_id']))).toMatchObject({
      visibility: 'unlisted',
      spoilerText: 'Long',
      sensitive: true,
    });
    const tooLong = { text: 'a'.repeat(997), targets };
    expect(await client.expect(422, 'POST', '/social/posts', { body: tooLong })).toMatchObject({
      code: 'post.invalid',
      errors: [{ path: 'targets.0.options.spoiler_text', code: 'text.too_long' }],
    });
  });

  test('whose response is lost is found and exists once', async () => {
    const before = mastodon.statuses.createdCount();
    mastodon.faults.add({
      kind: 'reset-after-effect',
      match: { method: 'POST', path_prefix: '/api/v1/statuses' },
    });
    const published = await post({ text: 'Lost & <found>', link: 'https://example.com/a?b=c' });
    expect(published).toMatchObject({ status: 'published' });
    expect(mastodon.statuses.createdCount()).toBe(before + 1);
    const [delivery] = asObjects(published['deliveries']);
    expect(mastodon.statuses.find(asText(delivery?.['external_id']))?.text).toContain('<found>');
  });
});

test('metrics are exactly those that the server returns', async () => {
  const report = await client.expect(200, 'GET', '/social/analytics', {
    query: { connection_id: connectionId, group_by: 'post' },
  });
  expect(asObjects(report['groups'])).toHaveLength(2);
  expect(report['totals']).toMatchObject({ likes: 6, comments: 4, shares: 8, views: null, saves: null });
});

test('a like, a reply, the end of the like, and a post made elsewhere are reported as they happen', async () => {
  const published = await post({ text: 'How it is received' });
  const [delivery] = asObjects(published['deliveries']);
  const id = asText(delivery?.['external_id']);
  const read = async (query: Record<string, string> = {}) => {
    // A report reads metrics again after an hour.
    await queryRows(
      switchboard.databaseUrl,
      "UPDATE latest_metrics SET taken_at = now() - interval '2 hours' WHERE taken_at IS NOT NULL",
    );
    const report = await client.expect(200, 'GET', '/social/analytics', {
      query: { connection_id: connectionId, group_by: 'post', source: 'all', ...query },
    });
    expect(report['notes']).toEqual([]);
    return report;
  };
  const figures = async () => {
    const groups = asObjects((await read())['groups']);
    const group = groups.find(({ post: one }) => (one as JsonObject)['id'] === published['id']);
    const { likes, comments, shares } = asObject(group?.['metrics']);
    return [likes, comments, shares];
  };
  expect(await figures()).toEqual([3, 2, 4]);
  mastodon.statuses.engage(id, { favourites: 1 });
  expect(await figures()).toEqual([4, 2, 4]);
  mastodon.statuses.engage(id, { replies: 1 });
  expect(await figures()).toEqual([4, 3, 4]);
  mastodon.statuses.engage(id, { favourites: -2 });
  expect(await figures()).toEqual([2, 3, 4]);
  const { notes, totals } = await client.expect(200, 'GET', '/social/analytics', {
    query: { connection_id: connectionId, basis: 'activity', metrics: 'likes,comments' },
  });
  expect(asObjects(notes).map(({ code }) => code)).not.toContain('analytics.out_of_time');
  // Each of the three posts gained its first 3 likes and 2 replies; this one lost a like and gained a reply.
  expect(totals).toEqual({ likes: 8, comments: 7 });
  const before = (await read())['post_count'] as number;
  const { statuses } = mastodon;
  const [own] = statuses.list(({ id: one }) => one === id);
  if (!own) throw new Error('the status is missing');
  const { id: _id, createdAt: _at, ...content } = own;
  const elsewhere = statuses.post({ ...content, text: 'Written in the app', application: 'Web' }, '');
  await queryRows(switchboard.databaseUrl, "UPDATE post_listings SET listed_at = now() - interval '2 hours'");
  const report = await read();
  expect(report['post_count']).toBe(before + 1);
  expect(asObjects(report['groups']).map(({ post: one }) => one)).toContainEqual({
    id: null,
    text: 'Written in the app',
    published_at: elsewhere.createdAt.toISOString(),
    urls: [expect.stringContaining(elsewhere.id)],
  });
}, 120_000);

describe('metrics as a chart', () => {
  const read = (headers: Record<string, string> = {}, query = '') =>
    fetch(`${switchboard.url}/v1/social/analytics/chart.svg?connection_id=${connectionId}${query}`, {
      headers: { authorization: `Bearer ${switchboard.keys.full}`, ...headers },
    });

  test('are a document that runs nothing, with the values as a table', async () => {
    const response = await read({}, '&group_by=post&metrics=likes,shares&type=stacked');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    const svg = await response.text();
    expect(svg).toContain('<title');
    expect(svg).toContain('role="table"');
    expect(svg).not.toContain('<script');
  }, 120_000);

  test('are not sent again while they have not changed', async () => {
    const first = await read();
    const etag = first.headers.get('etag') ?? '';
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    const again = await read({ 'if-none-match': etag });
    expect([again.status, await again.text()]).toEqual([304, '']);
    expect((await read({ 'if-none-match': etag }, '&theme=dark')).status).toBe(200);
  }, 120_000);

  test.each(['application/json', 'text/csv', 'image/png'])('are not available as %s', async (accept) => {
    const response = await read({ accept });
    expect([response.status, await response.json()]).toMatchObject([
      406,
      { code: 'request.not_acceptable', detail: 'This response is available as image/svg+xml.' },
    ]);
  });

  test('are refused where they would mislead', async () => {
    const response = await read({}, '&type=line&granularity=total');
    expect([response.status, await response.json()]).toMatchObject([400, { code: 'request.invalid' }]);
  });

  test('are an image for MCP clients', async () => {
    const mcp = await connectMcpStdio(switchboard, switchboard.keys.full);
    const result = await mcp.call('get_analytics', { connection_id: connectionId, chart: 'bar' });
    await mcp.close();
    expect(result).toMatchObject({ isError: false, text: expect.stringContaining('likes') as unknown });
    expect(result.furtherBlocks).toMatchObject([
      { type: 'image', mimeType: 'image/png', data: expect.stringMatching(/^iVBORw0KGgo/) as unknown },
    ]);
  }, 120_000);
});

describe('metrics as CSV', () => {
  const read = (accept: string, query = '') =>
    fetch(`${switchboard.url}/v1/social/analytics?connection_id=${connectionId}${query}`, {
      headers: { authorization: `Bearer ${switchboard.keys.full}`, accept },
    });

  test('are returned to callers that prefer it, with the header names of the JSON', async () => {
    const response = await read('text/csv', '&metrics=likes,views');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(response.headers.get('vary')).toContain('Accept');
    expect(await response.text()).toBe(
      'key,platform,connection_id,post.id,post.text,post.published_at,post_count,views,likes\r\n' +
        'mastodon,mastodon,,,,,3,,8\r\n',
    );
  });

  test('are JSON for all other callers, and 406 where neither is accepted', async () => {
    for (const accept of ['*/*', 'application/json', 'text/csv;q=0.5, application/json']) {
      expect((await read(accept)).headers.get('content-type')).toBe('application/json; charset=utf-8');
    }
    const refused = await read('application/xml');
    expect([refused.status, await refused.json()]).toMatchObject([406, { code: 'request.not_acceptable' }]);
  });
});

describe('media', () => {
  afterEach(() => {
    mastodon.media.setProcessingPolls(0);
    mastodon.media.setProcessingFails(false);
    mastodon.faults.clear();
  });

  test('is published unchanged, with alternative text, unlisted and with the requested sensitivity', async () => {
    const [first, second] = [files.put('1.png', noisyPng(64, 48)), files.put('2.png', noisyPng(64, 48))];
    const published = await post({
      text: 'Two images',
      media: [
        { url: first.url, alt_text: 'Noise 🐈' },
        { url: second.url, alt_text: 'More noise' },
      ],
      targets: [{ connection_id: connectionId, options: { visibility: 'unlisted', sensitive: true } }],
    });
    expect(published).toMatchObject({ status: 'published' });
    expect(partsOf(published)).toMatchObject([
      {
        text: 'Two images',
        visibility: 'unlisted',
        sensitive: true,
        media: [
          { type: 'image', sha256: first.sha256, description: 'Noise 🐈' },
          { type: 'image', sha256: second.sha256, description: 'More noise' },
        ],
      },
    ]);
  });

  test('that is too large for this server is resized', async () => {
    const large = noisyPng(300, 300);
    expect(large.length).toBeGreaterThan(IMAGE_LIMIT);
    const published = await post({ media: [{ url: files.put('large.png', large).url }] });
    const [status] = partsOf(published);
    expect(status?.media).toHaveLength(1);
    expect(status?.media[0]?.bytes).toBeLessThan(IMAGE_LIMIT);
  });

  test('may have an alternative text as long as this server allows', async () => {
    const { url } = files.put('described.png', noisyPng(8, 8));
    const body = { media: [{ url, alt_text: 'a'.repeat(1_001) }], text: 'Too long a description' };
    expect(await client.expect(422, 'POST', '/social/posts', { body })).toMatchObject({
      code: 'post.invalid',
      errors: [{ path: 'media.0', code: 'media.alt_text_too_long' }],
    });
  });

  test('that is processed asynchronously is polled, and uploaded once despite lost responses', async () => {
    mastodon.media.setProcessingPolls(3);
    const before = mastodon.media.uploads();
    const [statuses, { url, sha256 }] = [
      mastodon.statuses.createdCount(),
      files.put('video.mp4', sampleVideo),
    ];
    breakOne('500-before', '/api/v2/media');
    const published = await post({ text: 'A video', media: [{ url, alt_text: 'Waves' }] });
    expect(published).toMatchObject({ status: 'published' });
    expect(partsOf(published)).toMatchObject([{ media: [{ type: 'video', sha256, description: 'Waves' }] }]);
    expect([mastodon.media.uploads(), mastodon.statuses.createdCount()]).toEqual([before + 1, statuses + 1]);
  });

  test('that the server cannot process fails with the server’s message', async () => {
    mastodon.media.setProcessingFails(true);
    const [made, { url }] = [mastodon.statuses.createdCount(), files.put('broken.mp4', sampleVideo)];
    const failed = await post({ text: 'A broken video', media: [{ url }] });
    expect(failed).toMatchObject({
      status: 'failed',
      deliveries: [
        {
          error: {
            code: 'platform.refused',
            platform: { message: 'Error processing thumbnail for uploaded media' },
          },
        },
      ],
    });
    expect(mastodon.statuses.createdCount()).toBe(made);
  });
});

describe('a thread', () => {
  afterEach(() => void mastodon.faults.clear());

  test('resumes after a lost response, publishes each part once and below the previous one, and the comment below the post', async () => {
    const [made, { url, sha256 }] = [
      mastodon.statuses.createdCount(),
      files.put('thread.png', noisyPng(16, 16)),
    ];
    breakOne('reset-after-effect', '/api/v1/statuses', 1);
    const published = await post({
      text: 'One',
      thread: [{ text: 'Two', media: [{ url, alt_text: 'In the middle' }] }, { text: 'Three' }],
      first_comment: { text: 'Sources below' },
      targets: [{ connection_id: connectionId, options: { visibility: 'unlisted', language: 'ca' } }],
    });
    expect(published).toMatchObject({ status: 'published' });
    const parts = partsOf(published);
    const [one, two] = parts;
    expect(parts).toMatchObject([
      { text: 'One', inReplyToId: null },
      { text: 'Two', inReplyToId: one?.id, media: [{ sha256, description: 'In the middle' }] },
      { text: 'Three', inReplyToId: two?.id },
      { text: 'Sources below', inReplyToId: one?.id },
    ]);
    for (const part of parts) expect(part).toMatchObject({ visibility: 'unlisted', language: 'ca' });
    expect(mastodon.statuses.createdCount()).toBe(made + 4);
  });
});

test('a request that never arrived is resent with the same idempotency key, after two read-backs half a minute apart', async () => {
  const asked = mastodon.exchanges().length;
  breakOne('reset-before-effect', '/api/v1/statuses');
  const begun = Date.now();
  const published = await post({ text: 'At the second attempt' });
  expect(published).toMatchObject({ status: 'published' });
  expect(Date.now() - begun).toBeGreaterThan(30_000);
  const [delivery] = asObjects(published['deliveries']);
  const seen = mastodon.exchanges().slice(asked);
  const sent = seen.filter(({ request }) => request.method !== 'GET');
  const looks = seen.filter(({ request }) => request.path === `/api/v1/accounts/${ALICE}/statuses`);
  expect(looks.length).toBeGreaterThanOrEqual(2);
  expect(sent).toMatchObject([{ request: { method: 'POST', path: '/api/v1/statuses' } }]);
  expect(sent[0]?.request.headers['idempotency-key']).toBe(`${asText(delivery?.['id'])}.0`);
});

test('a disconnected account has its token revoked', async () => {
  await client.expect(204, 'DELETE', `/connections/${connectionId}`);
  const token = await eventually('a token is revoked', async () => mastodon.oauth.revoked()[0] ?? null);
  expect(mastodon.oauth.grantOf(token)).toBeNull();
  const secrets = [token, ...mastodon.oauth.apps().map(({ clientSecret }) => clientSecret)];
  for (const secret of secrets) expect(switchboard.logs()).not.toContain(secret);
});
