import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { connectAccount } from './support/sandbox-store.js';
import { startFileServer, type FileServer } from './support/file-server.js';
import { asObject, asObjects, asText, type JsonObject } from './support/json.js';
import { restClient, type RestClient } from './support/rest-client.js';
import { noisyPng, pdfDocument } from './support/sample-media.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';

/**
 * The complete path of a document: upload, inspection, a post with its title, and identical bytes at the
 * platform.
 */
const sha256 = createHash('sha256').update(pdfDocument).digest('hex');

let files: FileServer;
let switchboard: Switchboard;
let client: RestClient;
let connection: string;
beforeAll(async () => {
  files = await startFileServer();
  switchboard = await serveSwitchboard({
    name: 'documents',
    env: { SWITCHBOARD_ALLOW_PRIVATE_HOSTS: files.host },
  });
  client = restClient(switchboard.url, switchboard.keys.full);
  connection = await connectAccount(client, 'sandbox_social', 'maren-holt');
});
afterAll(async () => {
  await switchboard?.stop();
  await files?.close();
});

async function upload(bytes: Buffer, altText: string): Promise<JsonObject & { status: number }> {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(bytes)], { type: 'image/png' }), 'image.png');
  form.set('alt_text', altText);
  const answer = await fetch(`${switchboard.url}/v1/social/media`, {
    method: 'POST',
    headers: { authorization: `Bearer ${switchboard.keys.full}` },
    body: form,
  });
  return { ...((await answer.json()) as JsonObject), status: answer.status };
}

/** The media that the sandbox shows for the latest published post. */
async function describeMedia(media: readonly JsonObject[]): Promise<{ title: string; bytes: Buffer }> {
  const post = await client.sendRequest('POST', '/social/posts', {
    headers: { prefer: 'wait=20' },
    body: { text: 'Our report', targets: [{ connection_id: connection }], media, allow_duplicate: true },
  });
  expect(post.json).toMatchObject({ status: 'published' });
  const [delivery] = asObjects(post.json['deliveries']);
  const page = await (await fetch(asText(asObject(delivery)['url']))).text();
  const [, path, title = ''] = /class="document"><a href="([^"]+)">([^<]*)</.exec(page) ?? [];
  const served = await fetch(new URL(path ?? '', switchboard.sandboxUrl));
  expect(served.headers.get('content-type')).toBe('application/pdf');
  return { title, bytes: Buffer.from(await served.arrayBuffer()) };
}

test('an uploaded document is recognized by its bytes, has no dimensions, and is posted with its title', async () => {
  const media = await upload(pdfDocument, 'Annual report');
  const facts = { type: 'application/pdf', bytes: pdfDocument.length, sha256, alt_text: 'Annual report' };
  const size = { width: null, height: null, duration_seconds: null };
  expect(media).toMatchObject({ ...facts, ...size, status: 201 });
  expect(await client.expect(200, 'GET', `/social/media/${asText(media['id'])}`)).toMatchObject({
    ...facts,
    ...size,
    status: 'ready',
  });
  expect(await describeMedia([{ media_id: media['id'] }])).toEqual({
    title: 'Annual report',
    bytes: pdfDocument,
  });
});

test('a document fetched from its URL is posted unchanged', async () => {
  const { url } = files.put('report', pdfDocument);
  expect(await describeMedia([{ url, alt_text: 'From afar' }])).toEqual({
    title: 'From afar',
    bytes: pdfDocument,
  });
});

test('an account’s document limits are listed in advance, and an image next to a document is rejected with its path', async () => {
  const documents = { max: 1, types: ['application/pdf'], max_bytes: 20_000_000 };
  const platform = await client.expect(200, 'GET', '/platforms/sandbox_social');
  expect(platform).toMatchObject({ limits: { media: { documents } } });
  const options = await client.expect(200, 'GET', `/connections/${connection}/publishing`);
  expect(options).toMatchObject({ media: { documents } });
  const bluesky = await client.expect(200, 'GET', '/platforms/bluesky');
  expect(bluesky).toMatchObject({ limits: { media: { documents: null } } });

  const replicaPair = [await upload(pdfDocument, 'A report'), await upload(noisyPng(4, 4), 'Noise')];
  const media = replicaPair.map(({ id }) => ({ media_id: id }));
  const body = { text: 'Both', targets: [{ connection_id: connection }], media };
  const mcpResult = await client.expect(200, 'POST', '/social/posts/validate', { body });
  const message = 'Sandbox Social allows a document alone, without images or videos.';
  expect(mcpResult).toMatchObject({
    valid: false,
    targets: [{ problems: [{ path: 'media', code: 'media.too_many', message }] }],
  });
});

test('an encrypted or truncated document is rejected with the reason', async () => {
  const sealed = Buffer.from(
    pdfDocument.toString('latin1').replace('/Root', '/Encrypt 6 0 R /Root'),
    'latin1',
  );
  const message = 'The document is encrypted: save it without a password or restrictions.';
  expect(await upload(sealed, 'Sealed')).toMatchObject({ code: 'media.unreadable', detail: message });
  expect(await upload(pdfDocument.subarray(0, 400), 'Half')).toMatchObject({
    code: 'media.unreadable',
    detail: 'The document is corrupted or truncated: its cross-reference table is invalid.',
  });
});
