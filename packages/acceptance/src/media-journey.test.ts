import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { MediaId } from '@switchboard/domain';
import { scopes } from '@switchboard/domain/access';
import { startS3 } from '@switchboard/media/testing';
import { freePort } from '@switchboard/persistence/testing';
import { asObjects, asText, type JsonObject } from './support/json.js';
import { connectMcpHttp } from './support/mcp-client.js';
import { openOperator, type Operator } from './support/operator.js';
import { restClient, type RestClient } from './support/rest-client.js';
import { pdfDocument } from './support/sample-media.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';

/** A red pixel as PNG and a white pixel as GIF. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
  'base64',
);
const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

let switchboard: Switchboard;
let operator: Operator;
let client: RestClient;
/** A third-party web server that the operator allowed, and one that is not on the allow-list. */
let web: Server;
let webUrl: string;
let closed: Server;
let closedUrl: string;
let asked = 0;

beforeAll(async () => {
  web = createServer((request, response) => {
    switch (request.url) {
      case '/cat.png':
        return response.writeHead(200, { 'content-type': 'text/plain' }).end(PNG);
      case '/moved':
        return response.writeHead(302, { location: '/cat.png' }).end();
      case '/inside':
        return response.writeHead(302, { location: `${closedUrl}/cat.png` }).end();
      case '/page.png':
        return response.writeHead(200, { 'content-type': 'image/png' }).end('<html>');
      default:
        return response.writeHead(404).end();
    }
  });
  closed = createServer((_request, response) => {
    asked++;
    response.end(PNG);
  });
  webUrl = await listening(web);
  closedUrl = await listening(closed);
  switchboard = await serveSwitchboard({
    name: 'media_journey',
    mcp: true,
    env: { SWITCHBOARD_ALLOW_PRIVATE_HOSTS: new URL(webUrl).host },
  });
  operator = await openOperator(switchboard);
  client = restClient(switchboard.url, switchboard.keys.full);
});
afterAll(async () => {
  await operator?.close();
  await switchboard?.stop();
  for (const server of [web, closed]) await new Promise((done) => server.close(done));
});

async function listening(server: Server): Promise<string> {
  const port = await freePort();
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  return `http://127.0.0.1:${port}`;
}

async function upload(
  bytes: Buffer,
  key = switchboard.keys.full,
  headers = {},
  url = switchboard.url,
): Promise<JsonObject> {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(bytes)], { type: 'text/html' }), '../../cat.html');
  form.set('alt_text', 'A cat');
  const response = await fetch(`${url}/v1/social/media`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, ...headers },
    body: form,
  });
  const json = (await response.json()) as JsonObject;
  if (response.status !== 201) throw new Error(JSON.stringify(json));
  return json;
}
const get = (id: unknown) => client.expect(200, 'GET', `/social/media/${asText(id)}`);
async function waitUntilSettled(id: unknown): Promise<JsonObject> {
  for (;;) {
    const media = await get(id);
    if (media['status'] !== 'processing') return media;
    await new Promise((done) => setTimeout(done, 100));
  }
}
const put = (url: unknown, bytes: Buffer) =>
  fetch(asText(url), { method: 'PUT', body: new Uint8Array(bytes) });

test('a file is uploaded with the request, listed, read, linked, read in ranges, and deleted', async () => {
  const media = await upload(PNG);
  expect(media).toMatchObject({ status: 'ready', type: 'image/png', bytes: PNG.length, sha256: sha256(PNG) });
  expect(await get(media['id'])).toEqual(media);
  const { data } = await client.expect(200, 'GET', '/social/media', { query: { limit: 1 } });
  expect(asObjects(data)).toEqual([media]);

  const { ports } = operator.service;
  const stored = await ports.media.find(operator.workspaceId, asText(media['id']) as MediaId);
  const url = ports.mediaLinks.publicUrl(stored?.file ?? { name: '', type: '', bytes: 0 });
  const whole = await fetch(url);
  expect(Buffer.from(await whole.arrayBuffer()).equals(PNG)).toBe(true);
  const tail = await fetch(url, { headers: { range: 'bytes=-10' } });
  expect([tail.status, Buffer.from(await tail.arrayBuffer())]).toEqual([206, PNG.subarray(-10)]);

  expect((await client.sendRequest('DELETE', `/social/media/${asText(media['id'])}`)).status).toBe(204);
  expect((await fetch(url)).status).toBe(404);
  expect((await client.get(`/social/media/${asText(media['id'])}`)).json['code']).toBe('media.not_found');
});

test('a URL is fetched in the background, over redirects to allowed addresses only', async () => {
  const add = async (url: string) =>
    (await client.expect(201, 'POST', '/social/media', { body: { url, alt_text: 'A cat' } }))['id'];
  for (const path of ['/cat.png', '/moved']) {
    expect(await waitUntilSettled(await add(webUrl + path))).toMatchObject({
      status: 'ready',
      type: 'image/png',
      sha256: sha256(PNG),
      alt_text: 'A cat',
    });
  }
  const failures = [
    [`${webUrl}/page.png`, 'media.type_unsupported'],
    [`${webUrl}/nothing`, 'media.fetch_failed'],
    [`${webUrl}/inside`, 'platform.address_refused'],
    [`${closedUrl}/cat.png`, 'platform.address_refused'],
    ['http://169.254.169.254/latest/meta-data', 'platform.address_refused'],
  ] as const;
  for (const [url, code] of failures) {
    expect([url, await waitUntilSettled(await add(url))]).toMatchObject([
      url,
      { status: 'failed', error: { code } },
    ]);
  }
  expect(asked).toBe(0);
});

test('an agent requests an upload URL, and the holder of the file uploads to it once', async () => {
  const agent = await connectMcpHttp(switchboard, switchboard.keys.agent);
  const { isError, json: made } = await agent.call('create_media_upload', {
    type: 'image/gif',
    bytes: GIF.length,
    alt_text: 'A point',
  });
  expect([isError, made]).toMatchObject([false, { method: 'PUT', headers: { 'Content-Type': 'image/gif' } }]);
  expect((await put(made['url'], PNG)).status).toBe(422);
  const sent = await put(made['url'], GIF);
  expect([sent.status, await sent.json()]).toMatchObject([
    200,
    { id: made['media_id'], status: 'ready', type: 'image/gif', sha256: sha256(GIF), alt_text: 'A point' },
  ]);
  expect((await put(made['url'], GIF)).status).toBe(409);
  expect((await agent.call('get_media', { id: made['media_id'] })).json).toEqual(await get(made['media_id']));
  expect((await agent.call('create_media_upload', { type: 'image/svg+xml', bytes: 10 })).json).toMatchObject({
    status: 415,
    code: 'media.type_unsupported',
  });
  await agent.close();
});

test('a file used by a draft cannot be deleted and does not expire', async () => {
  const media = await upload(PNG);
  const body = { text: 'Soon', draft: true, media: [{ media_id: media['id'] }] };
  const { data } = await client.expect(200, 'GET', '/profiles');
  const post = await client.expect(201, 'POST', '/social/posts', {
    body: { ...body, profile_id: asObjects(data)[0]?.['id'] },
  });
  expect((await get(media['id']))['expires_at']).toBeNull();
  const refused = await client.sendRequest('DELETE', `/social/media/${asText(media['id'])}`);
  expect([refused.status, refused.json['code']]).toEqual([409, 'media.in_use']);
  await client.sendRequest('DELETE', `/social/posts/${asText(post['id'])}`);
});

test('another workspace, and a key bound to profiles, cannot see it', async () => {
  const media = await upload(PNG);
  const elsewhere = await operator.createKey({
    scopes,
    workspaceId: await operator.createWorkspace('elsewhere'),
  });
  const { data } = await client.expect(200, 'GET', '/profiles');
  const profileIds = [asText(asObjects(data)[0]?.['id'])] as never;
  const narrow = ['posts:read', 'posts:write'] as const;
  const bound = await operator.createKey({ scopes: narrow, policy: { profileIds } });
  const own = await upload(GIF, bound.token);
  for (const { token } of [elsewhere, bound]) {
    const other = restClient(switchboard.url, token);
    const missing = await other.get('/social/media/med_01kah3v5w8e2m6r9t0x4y7z1ab');
    for (const method of ['GET', 'DELETE']) {
      const answer = await other.sendRequest(method, `/social/media/${asText(media['id'])}`);
      expect([answer.status, { ...answer.json, request_id: '' }]).toEqual([
        404,
        { ...missing.json, request_id: '' },
      ]);
    }
  }
  const seen = async (token: string) =>
    asObjects((await restClient(switchboard.url, token).expect(200, 'GET', '/social/media'))['data']).map(
      ({ id }) => id,
    );
  expect(await seen(elsewhere.token)).toEqual([]);
  expect(await seen(bound.token)).toEqual([own['id']]);
  expect(await seen(switchboard.keys.full)).toEqual(expect.arrayContaining([own['id'], media['id']]));
});

test('a process with a different media disk is not ready and accepts no uploads', async () => {
  await upload(PNG);
  const replica = await switchboard.startReplica();
  const ready = await fetch(`${replica.url}/readyz`);
  expect([ready.status, await ready.json()]).toMatchObject([503, { checks: { media: 'different store' } }]);
  expect((await (await fetch(`${switchboard.url}/readyz`)).json()) as JsonObject).toMatchObject({
    ready: true,
  });
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(PNG)]), 'cat.png');
  const refused = await fetch(`${replica.url}/v1/social/media`, {
    method: 'POST',
    headers: { authorization: `Bearer ${switchboard.keys.full}` },
    body: form,
  });
  expect(refused.status).toBe(500);
});

test('processes on two machines share files in a bucket', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 's3-'));
  const s3 = await startS3(folder, 'media');
  const both = await serveSwitchboard({
    name: 'media_s3',
    env: {
      SWITCHBOARD_MEDIA_S3_BUCKET: 'media',
      SWITCHBOARD_MEDIA_S3_ENDPOINT: s3.url,
      SWITCHBOARD_MEDIA_S3_ACCESS_KEY_ID: s3.credentials.accessKeyId,
      SWITCHBOARD_MEDIA_S3_SECRET_ACCESS_KEY: s3.credentials.secretAccessKey,
      SWITCHBOARD_MEDIA_S3_PREFIX: 'switchboard',
    },
  });
  try {
    const replica = await both.startReplica();
    for (const url of [both.url, replica.url]) expect((await fetch(`${url}/readyz`)).status).toBe(200);
    const media = await upload(PNG, both.keys.full, {}, both.url);
    expect(await upload(pdfDocument, both.keys.full, {}, replica.url)).toMatchObject({
      type: 'application/pdf',
    });
    const other = await openOperator(both);
    const stored = await other.service.ports.media.find(other.workspaceId, asText(media['id']) as MediaId);
    const link = other.service.ports.mediaLinks.publicUrl(stored?.file ?? { name: '', type: '', bytes: 0 });
    await other.close();
    const read = await fetch(new URL(new URL(link).pathname, replica.url), {
      headers: { range: 'bytes=1-' },
    });
    expect([read.status, Buffer.from(await read.arrayBuffer())]).toEqual([206, PNG.subarray(1)]);
    const missingFile = await restClient(replica.url, both.keys.full).sendRequest(
      'DELETE',
      `/social/media/${asText(media['id'])}`,
    );
    expect(missingFile.status).toBe(204);
    expect((await fetch(link)).status).toBe(404);
  } finally {
    await both.stop();
    await s3.close();
    await rm(folder, { recursive: true });
  }
});
