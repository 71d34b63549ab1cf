import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ConnectionId } from '@switchboard/domain';
import type { Publishing, PublishItem, PublishMedia, Session } from '@switchboard/domain/ports';
import {
  startBlueskyPds,
  type BlueskyAccount,
  type BlueskyPds,
  type BlueskyRecord,
} from './support/bluesky-pds.js';
import { openBrowser } from './support/browser.js';
import { connectByAppPassword, connectByOAuth } from './support/connect-bluesky.js';
import { submitConnectForm } from './support/connect-sandbox.js';
import { expireAccess } from './support/expire-access.js';
import { eventually } from './support/eventually.js';
import { startFileServer, type FileServer } from './support/file-server.js';
import { asObjects, asText, type JsonObject } from './support/json.js';
import { openOperator, type Operator } from './support/operator.js';
import { restClient, type RestClient } from './support/rest-client.js';
import { sampleVideo, noisyPng } from './support/sample-media.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';

const INSTALL_AND_BOOT_MS = 6 * 60_000;
const POSTS = 'app.bsky.feed.post';
const PUT_RECORD = 'com.atproto.repo.putRecord';
const PASSWORD = 'through-the-looking-glass';
const APP_PASSWORD_NAME = 'switchboard';

let pds: BlueskyPds;
let files: FileServer;
let switchboard: Switchboard;
let operator: Operator;
let client: RestClient;
let bobsAppPassword: string;
const accounts = {} as Record<'alice' | 'bob', BlueskyAccount>;
const connections = {} as Record<'alice' | 'bob', ConnectionId>;

beforeAll(async () => {
  pds = await startBlueskyPds();
  files = await startFileServer();
  accounts.alice = await pds.createAccount('alice.test', PASSWORD);
  accounts.bob = await pds.createAccount('bob.test', PASSWORD);
  bobsAppPassword = await pds.createAppPassword('bob.test', PASSWORD, APP_PASSWORD_NAME);
  switchboard = await serveSwitchboard({
    name: 'bluesky_posts',
    env: {
      SWITCHBOARD_BLUESKY_PLC_URL: pds.plcUrl,
      SWITCHBOARD_BLUESKY_HANDLE_RESOLVER_URL: pds.url,
      SWITCHBOARD_ALLOW_PRIVATE_HOSTS: [
        ...[pds.url, pds.plcUrl].map((url) => new URL(url).host),
        files.host,
      ].join(','),
    },
  });
  operator = await openOperator(switchboard);
  client = restClient(switchboard.url, switchboard.keys.full);
  connections.alice = await connectByOAuth(client, 'alice.test', PASSWORD);
  connections.bob = await connectByAppPassword(client, pds, 'bob.test', bobsAppPassword);
}, INSTALL_AND_BOOT_MS);
afterAll(async () => {
  await operator?.close();
  await switchboard?.stop();
  await files?.close();
  await pds?.stop();
});

async function waitUntilSettled(who: keyof typeof connections, body: JsonObject): Promise<JsonObject> {
  const created = await client.expect(201, 'POST', '/social/posts', {
    body: { targets: [{ connection_id: connections[who] }], ...body },
  });
  return eventually('a post settles', async () => {
    const now = await client.expect(200, 'GET', `/social/posts/${asText(created['id'])}`);
    return ['publishing', 'scheduled'].includes(asText(now['status'])) ? null : now;
  });
}

const deliveryOf = (post: JsonObject) => asObjects(post['deliveries'])[0] as JsonObject;

/** The PDS records of every part of a post's delivery, in the order of the parts. */
async function getRecords(post: JsonObject): Promise<readonly BlueskyRecord[]> {
  const parts = asObjects(deliveryOf(post)['parts']);
  return Promise.all(parts.map(({ external_id: uri }) => recordAt(asText(uri))));
}

async function recordAt(uri: string): Promise<BlueskyRecord> {
  const [, , did = '', , rkey = ''] = uri.split('/');
  const record = await pds.getRecord(did, rkey);
  if (!record) throw new Error(`the PDS has no ${uri}`);
  return record;
}

/** The digest of a blob as the PDS serves it publicly. */
async function computeDigest(who: keyof typeof accounts, blob: unknown): Promise<string> {
  const { ref } = blob as { ref: { $link: string } };
  const bytes = await pds.getBlob(accounts[who].did, ref.$link);
  return createHash('sha256').update(bytes).digest('hex');
}

describe.each(['alice', 'bob'] as const)('posting as %s', (who) => {
  test('publishes images byte for byte, in order, with alternative text, below a text with facets', async () => {
    const [first, second] = [noisyPng(64, 48), noisyPng(30, 40)].map((bytes, at) =>
      files.put(`${who}-${at}.png`, bytes),
    );
    const words = 'Zwei Bilder 🐈 @bob.test #katzen';
    const post = await waitUntilSettled(who, {
      text: words,
      media: [{ url: first?.url, alt_text: 'Rauschen' }, { url: second?.url }],
    });
    expect(post).toMatchObject({ status: 'published' });
    const [record] = await getRecords(post);
    expect(record?.value).toMatchObject({
      text: words,
      facets: [
        { features: [{ $type: 'app.bsky.richtext.facet#mention', did: accounts.bob.did }] },
        { features: [{ $type: 'app.bsky.richtext.facet#tag', tag: 'katzen' }] },
      ],
      embed: {
        $type: 'app.bsky.embed.images',
        images: [
          { alt: 'Rauschen', aspectRatio: { width: 64, height: 48 }, image: { mimeType: 'image/png' } },
          { alt: '', aspectRatio: { width: 30, height: 40 } },
        ],
      },
    });
    const { images } = (record?.value['embed'] ?? {}) as { images: readonly { image: unknown }[] };
    expect(await Promise.all(images.map(({ image }) => computeDigest(who, image)))).toEqual([
      first?.sha256,
      second?.sha256,
    ]);
  });

  test('resizes an image that is too large', async () => {
    const large = noisyPng(1000, 750);
    expect(large.length).toBeGreaterThan(2_000_000);
    const post = await waitUntilSettled(who, { media: [{ url: files.put(`${who}-large.png`, large).url }] });
    expect(post).toMatchObject({ status: 'published' });
    const [record] = await getRecords(post);
    const { images } = (record?.value['embed'] ?? {}) as { images: readonly { image: { size: number } }[] };
    expect(images[0]?.image.size).toBeLessThanOrEqual(2_000_000);
  });

  test('publishes a video unchanged', async () => {
    const { url, sha256 } = files.put(`${who}.mp4`, sampleVideo);
    const post = await waitUntilSettled(who, { text: 'Moving', media: [{ url, alt_text: 'Waves' }] });
    expect(post).toMatchObject({ status: 'published' });
    const [record] = await getRecords(post);
    const embed = record?.value['embed'] as { video: unknown };
    expect(embed).toMatchObject({
      $type: 'app.bsky.embed.video',
      alt: 'Waves',
      aspectRatio: { width: 640, height: 360 },
    });
    expect(await computeDigest(who, embed.video)).toBe(sha256);
  });

  test('publishes a link as the card of its page and removes the link from the text', async () => {
    const imageRecord = files.put(`${who}-card.png`, noisyPng(120, 63));
    const { url } = files.put(
      `${who}.html`,
      `<title>No</title><meta property="og:title" content="Ein Titel &amp; mehr">
       <meta property="og:description" content="Worum es geht"><meta property="og:image" content="/${who}-card.png">`,
    );
    const body = { text: 'Lies das', link: url, targets: [{ connection_id: connections[who] }] };
    const checked = await client.expect(200, 'POST', '/social/posts/validate', { body });
    expect(checked).toMatchObject({ valid: true, targets: [{ final_text: 'Lies das' }] });
    const post = await waitUntilSettled(who, body);
    const [record] = await getRecords(post);
    expect(record?.value).toMatchObject({
      text: 'Lies das',
      embed: {
        $type: 'app.bsky.embed.external',
        external: { uri: url, title: 'Ein Titel & mehr', description: 'Worum es geht' },
      },
    });
    const { external } = (record?.value['embed'] ?? {}) as { external: { thumb: unknown } };
    expect(await computeDigest(who, external.thumb)).toBe(imageRecord.sha256);
  });

  test('publishes a link card for a page that has no metadata or must not be fetched', async () => {
    for (const link of [`http://${files.host}/missing-${who}`, 'http://169.254.169.254/latest/meta-data/']) {
      const post = await waitUntilSettled(who, { text: 'Lies das', link });
      expect(post).toMatchObject({ status: 'published' });
      const [record] = await getRecords(post);
      expect(record?.value['embed']).toEqual({
        $type: 'app.bsky.embed.external',
        external: { uri: link, title: link, description: '' },
      });
    }
  });

  test('resumes a thread after a lost response, publishes each part once, and adds the first comment below the post', async () => {
    const { url, sha256 } = files.put(`${who}-thread.png`, noisyPng(16, 16));
    const before = (await pds.listRecords(accounts[who].did)).length;
    await pds.dropNext('response', PUT_RECORD);
    const post = await waitUntilSettled(who, {
      text: 'Eins',
      thread: [{ text: 'Zwei', media: [{ url, alt_text: 'Mittendrin' }] }, { text: 'Drei' }],
      first_comment: { text: 'Quellen' },
    });
    expect(post).toMatchObject({ status: 'published' });
    const records = await getRecords(post);
    const [one, two] = records;
    const ref = (record: BlueskyRecord | undefined) => ({ uri: record?.uri, cid: record?.cid });
    expect(records.map(({ value }) => [value['text'], value['reply']])).toEqual([
      ['Eins', undefined],
      ['Zwei', { root: ref(one), parent: ref(one) }],
      ['Drei', { root: ref(one), parent: ref(two) }],
      ['Quellen', { root: ref(one), parent: ref(one) }],
    ]);
    const times = records.map(({ value }) => Date.parse(asText(value['createdAt'])));
    expect(times).toEqual([0, 1, 2, 3].map((later) => (times[0] ?? 0) + later));
    const { images } = (two?.value['embed'] ?? {}) as { images: readonly { image: unknown }[] };
    expect(await computeDigest(who, images[0]?.image)).toBe(sha256);
    expect(await pds.listRecords(accounts[who].did)).toHaveLength(before + 4);
  });

  test('deletes all parts again', async () => {
    const post = await waitUntilSettled(who, { text: 'Kurz', thread: [{ text: 'und weg' }] });
    const uris = asObjects(deliveryOf(post)['parts']).map((part) => asText(part['external_id']));
    await client.expect(200, 'POST', `/social/posts/${asText(post['id'])}/unpublish`, { body: {} });
    await eventually('all records are deleted', async () => {
      const left = (await pds.listRecords(accounts[who].did)).filter(({ uri }) => uris.includes(uri));
      return left.length === 0 ? true : null;
    });
  });
});

test('a file that this server does not accept is rejected before anything is sent', async () => {
  const { url } = files.put('long.mp4', Buffer.concat([sampleVideo, Buffer.alloc(5_300_000)]));
  const media = await client.expect(201, 'POST', '/social/media', { body: { url } });
  await eventually('the video is ready', async () => {
    const { status } = await client.expect(200, 'GET', `/social/media/${asText(media['id'])}`);
    return status === 'ready' ? true : null;
  });
  const body = {
    targets: [{ connection_id: connections.bob }],
    media: [{ media_id: media['id'] }],
  };
  expect(await client.expect(422, 'POST', '/social/posts', { body })).toMatchObject({
    code: 'post.invalid',
    errors: [{ path: 'media.0', code: 'media.too_large' }],
  });
});

describe.each(['alice', 'bob'] as const)('the server response %s', (who) => {
  let session: Session;
  let publishing: Publishing;
  beforeAll(async () => {
    const { connections: stored, platforms, sessions } = operator.service.ports;
    const connection = await stored.find(operator.workspaceId, connections[who]);
    const found = platforms.find('bluesky')?.publishing;
    if (!connection || !found) throw new Error('not connected');
    const opened = await sessions.open(
      connection,
      { purpose: 'publish', actor: 'system:worker' },
      new AbortController().signal,
    );
    if (!opened.ok) throw new Error(opened.failure.code);
    [session, publishing] = [opened.value, found];
  });

  let items = 0;
  const createItem = (words: string, more: Partial<PublishItem> = {}): PublishItem => ({
    kind: 'post',
    title: null,
    text: words,
    link: null,
    options: {},
    card: null,
    replyTo: null,
    reference: `dlv_${who}_${++items}.0`,
    createdAt: new Date('2026-11-21T12:00:00.000Z'),
    media: [],
    mediaCount: more.media?.length ?? 0,
    receipt: {},
    ...more,
  });
  const createMedia = (kind: PublishMedia['kind'], content: Uint8Array): PublishMedia => ({
    kind,
    bytes: content.length,
    width: 1,
    height: 1,
    durationSeconds: null,
    animated: false,
    altText: null,
    type: kind === 'image' ? 'image/png' : 'video/mp4',
    sha256: createHash('sha256').update(content).digest('hex'),
    fileName: 'file',
    async *read() {
      for (let at = 0; at < content.length; at += 65_536) yield content.subarray(at, at + 65_536);
    },
    publicUrl: () => 'https://example.com/file',
  });
  const publish = (item: PublishItem) => publishing.publish(session, item, async () => undefined);
  const value = <Value>(result: { ok: true; value: Value } | { ok: false; failure: object }): Value => {
    if (!result.ok) throw new Error(JSON.stringify(result.failure));
    return result.value;
  };
  const made = async () => (await pds.listRecords(accounts[who].did)).length;

  test('to a repeated putRecord: the record exists once, while createRecord would duplicate it', async () => {
    const item = createItem('Once');
    const first = value(await publish(item));
    const before = await made();
    expect(value(await publish(item))).toEqual(first);
    expect(value((await publishing.find?.(session, item)) ?? { ok: false, failure: {} })).toEqual(first);
    const twice = await session.request({
      method: 'POST',
      path: '/xrpc/com.atproto.repo.createRecord',
      json: {
        repo: accounts[who].did,
        collection: POSTS,
        rkey: first.externalId.split('/').at(-1),
        record: { $type: POSTS, text: 'Twice', createdAt: '2026-11-21T12:00:00.000Z' },
      },
      effect: 'write',
    });
    expect(twice).toMatchObject({ ok: false, failure: { code: 'platform.outcome_unknown' } });
    expect(await made()).toBe(before);
  });

  test('to different text at an existing record key: the existing post stays unchanged', async () => {
    const item = createItem('First words');
    const first = value(await publish(item));
    expect(value(await publish({ ...item, text: 'Other words' }))).toEqual(first);
    expect((await recordAt(first.externalId)).value).toMatchObject({ text: 'First words' });
  });

  test.each<[string, () => PublishItem, string]>([
    ['a text that is too long', () => createItem('x'.repeat(301)), 'grapheme too big (maximum 300, got 301)'],
    [
      'an image that is too large for Bluesky',
      () => createItem('Big', { media: [createMedia('image', noisyPng(850, 850))] }),
      'blob too big (maximum 2000000',
    ],
    [
      'a file that is too large for the server',
      () =>
        createItem('Big', {
          media: [createMedia('video', Buffer.concat([sampleVideo, Buffer.alloc(5_300_000)]))],
        }),
      'request entity too large',
    ],
    [
      'five images',
      () =>
        createItem('Five', { media: Array.from({ length: 5 }, () => createMedia('image', noisyPng(4, 4))) }),
      'array too big (maximum 4, got 5)',
    ],
  ])('to %s: an error with the server’s message, and nothing is published', async (_, item, words) => {
    const before = await made();
    expect(await publish(item())).toMatchObject({
      ok: false,
      failure: {
        code: 'platform.refused',
        platform: { name: 'Bluesky', message: expect.stringContaining(words) },
      },
    });
    expect(await made()).toBe(before);
  });

  test('to a record without createdAt: an error, which is why every record has one', async () => {
    const json = {
      repo: accounts[who].did,
      collection: POSTS,
      rkey: '3m64vzjzq2k2a',
      record: { $type: POSTS, text: 'No time' },
    };
    const answer = await session.request({
      method: 'POST',
      path: `/xrpc/${PUT_RECORD}`,
      json,
      effect: 'write',
    });
    expect(answer).toMatchObject({
      ok: true,
      value: {
        status: 400,
        json: { error: 'InvalidRequest', message: expect.stringContaining('Missing required key') },
      },
    });
  });

  test('to a blob that it has discarded: the blob is uploaded again and the post is published', async () => {
    const image = createMedia('image', noisyPng(12, 12));
    const lost = {
      $type: 'blob',
      ref: { $link: 'bafkreibjfgx2gprinfvicegelk5kosd6y2frmqpqzwqkg7usac74l3t2v4' },
      mimeType: 'image/png',
      size: image.bytes,
    };
    const item = createItem('Late', { media: [image], receipt: { [image.sha256]: JSON.stringify(lost) } });
    const { externalId } = value(await publish(item));
    const { images } = (await recordAt(externalId)).value['embed'] as { images: { image: unknown }[] };
    expect(await computeDigest(who, images[0]?.image)).toBe(image.sha256);
  });

  test('to a deleted post: not found, and deleting it again succeeds', async () => {
    const item = createItem('For a moment');
    const part = value(await publish(item));
    for (let times = 0; times < 2; times++) {
      expect(await publishing.remove?.(session, part)).toMatchObject({ ok: true });
    }
    expect(await publishing.find?.(session, item)).toEqual({ ok: true, value: null });
    const params = {
      repo: accounts[who].did,
      collection: POSTS,
      rkey: part.externalId.split('/').at(-1) ?? '',
    };
    expect(await pds.xrpc('GET', 'com.atproto.repo.getRecord', { params })).toMatchObject({
      status: 400,
      body: { error: 'RecordNotFound' },
    });
  });

  test('to a metrics request without an app view: temporarily unavailable', async () => {
    const { platforms } = operator.service.ports;
    const asked = await platforms.find('bluesky')?.analytics?.ofPosts?.(session, ['at://did:plc:x/y/z']);
    expect(asked).toMatchObject({ ok: false, failure: { code: 'platform.unavailable' } });
  });
});

test('to a wrong password connects nothing, and the page reports it', async () => {
  const session = await client.expect(201, 'POST', '/connect/url', { body: { platform: 'bluesky' } });
  const typed = { handle: 'bob.test', server: pds.url, password: 'wrong-wron-wron-wron' };
  const page = await submitConnectForm(openBrowser(), asText(session['url']), 'app_password', typed);
  expect(page.status).toBe(422);
  const answer = await pds.xrpc('POST', 'com.atproto.server.createSession', {
    body: { identifier: 'bob.test', password: typed.password },
  });
  expect(answer).toMatchObject({ status: 401, body: { error: 'AuthenticationRequired' } });
});

// Runs last because it disconnects bob.
test('to a revoked app password blocks the post until the account is reconnected', async () => {
  const { body } = await pds.xrpc('POST', 'com.atproto.server.createSession', {
    body: { identifier: 'bob.test', password: PASSWORD },
  });
  const { body: own } = await pds.xrpc('POST', 'com.atproto.server.createSession', {
    body: { identifier: 'bob.test', password: bobsAppPassword },
  });
  const readToken = (answer: unknown, name: string) => asText((answer as JsonObject)[name]);
  await pds.xrpc('POST', 'com.atproto.server.revokeAppPassword', {
    body: { name: APP_PASSWORD_NAME },
    token: readToken(body, 'accessJwt'),
  });
  expect(
    await pds.xrpc('POST', 'com.atproto.server.refreshSession', { token: readToken(own, 'refreshJwt') }),
  ).toMatchObject({ status: 400, body: { error: 'ExpiredToken', message: 'Token has been revoked' } });

  await expireAccess(operator, connections.bob);
  const created = await client.expect(201, 'POST', '/social/posts', {
    body: { text: 'Still me', targets: [{ connection_id: connections.bob }] },
  });
  const blocked = await eventually('the post is blocked', async () => {
    const now = await client.expect(200, 'GET', `/social/posts/${asText(created['id'])}`);
    return deliveryOf(now)['status'] === 'blocked' ? now : null;
  });
  expect(deliveryOf(blocked)).toMatchObject({ error: { code: 'connection.needs_reauth' } });
  expect(await client.expect(200, 'GET', `/connections/${connections.bob}`)).toMatchObject({
    status: 'needs_reauth',
  });
  expect(
    (await pds.listRecords(accounts.bob.did)).filter(({ value }) => value['text'] === 'Still me'),
  ).toEqual([]);
});
