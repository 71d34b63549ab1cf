import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Sandbox } from '../sandbox.js';
import { startSandbox } from '../sandbox.js';
import type { TokenSet } from '../testing/test-client.js';
import { testClient } from '../testing/test-client.js';

const folder = mkdtempSync(path.join(tmpdir(), 'sandbox-'));
const files = { stateFile: path.join(folder, 'state'), ledgerFile: path.join(folder, 'ledger') };
const GIF = Buffer.from('R0lGODlhCAAGAIAAAExpcQCAgCH5BAUAAAAALAAAAAAIAAYAAAIGjI+py30FADs=', 'base64');
const MP4 = Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from('ftypisom'), Buffer.alloc(100)]);

let sandbox: Sandbox;
let client: ReturnType<typeof testClient>;
let maren: TokenSet;

beforeAll(start);
afterAll(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true });
});

async function start() {
  sandbox = await startSandbox(files);
  client = testClient(fetch, sandbox.url, 'social');
  maren = await client.connect('maren-holt');
}

interface CreatedResource {
  id: string;
  url: string;
  reply_to: string | null;
  media: { id: string; type: string; url: string; alt_text: string | null }[];
}
const upload = (bytes: Uint8Array, as = maren) =>
  fetch(`${sandbox.url}/social/api/media`, {
    method: 'POST',
    body: new Uint8Array(bytes),
    headers: { authorization: `Bearer ${as.access_token}`, 'content-type': 'image/png' },
  });
const uploaded = async (bytes: Uint8Array, as = maren) =>
  ((await (await upload(bytes, as)).json()) as CreatedResource).id;
const send = (body: object) => client.call(maren, 'POST', '/posts', body);
const post = async (body: object) => (await (await send(body)).json()) as CreatedResource;
const code = async (response: Response) =>
  ((await response.json()) as { error?: { code: string } }).error?.code ?? 'ok';
const PDF = Buffer.from('%PDF-1.4');
const padded = (bytes: Uint8Array, length: number) =>
  Buffer.concat([bytes, Buffer.alloc(length - bytes.length)]);

describe('a file', () => {
  test('has the type of its bytes, regardless of the declared one, and is served byte for byte, also after a restart', async () => {
    const created = (await (await upload(GIF)).json()) as object;
    expect(created).toMatchObject({ type: 'image/gif', bytes: GIF.length, width: 8, height: 6 });
    const media = [{ id: await uploaded(GIF), alt_text: 'A teal field' }];
    const { id, media: reported } = await post({ media });
    await sandbox.close();
    await start();
    const again = (await (await client.call(maren, 'GET', `/posts/${id}`)).json()) as CreatedResource;
    expect(again.media).toEqual([{ ...reported[0], url: `${sandbox.url}/social/media/${media[0]?.id}` }]);
    const served = await fetch(again.media[0]?.url ?? '');
    expect(Buffer.from(await served.arrayBuffer())).toEqual(GIF);
    expect(served.headers.get('content-type')).toBe('image/gif');
    expect(served.headers.get('x-content-type-options')).toBe('nosniff');
  });

  const wide = Buffer.from(GIF);
  wide.writeUInt16LE(4097, 6);
  test.each([
    ['ok', 'an image of the maximum size', padded(GIF, 1_000_000)],
    ['media_too_large', 'an image one byte over the limit', padded(GIF, 1_000_001)],
    ['media_dimensions_too_large', 'an image that is too wide', wide],
    ['ok', 'a video larger than the image limit', padded(MP4, 2_000_000)],
    ['media_too_large', 'a video that is too large', padded(MP4, 20_000_001)],
    ['ok', 'a document larger than the image limit', padded(PDF, 2_000_000)],
    ['media_too_large', 'a document that is too large', padded(PDF, 20_000_001)],
    ['media_type_unsupported', 'another file type', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['media_type_unsupported', 'nothing', Buffer.alloc(0)],
  ])('is answered with %s: %s', async (expected, _what, bytes) => {
    expect(await code(await upload(bytes))).toBe(expected);
  });

  test('of another account, too many of them, and a video with an image are rejected', async () => {
    const images = await Promise.all([1, 2, 3, 4, 5].map(async () => ({ id: await uploaded(GIF) })));
    expect(await code(await send({ media: images }))).toBe('media_too_many');
    expect(await code(await send({ media: images.slice(1) }))).toBe('ok');
    const video = { id: await uploaded(MP4) };
    expect(await code(await send({ media: [video, images[0]] }))).toBe('media_mixed');
    expect(await code(await send({ media: [video] }))).toBe('ok');
    const pdf = { id: await uploaded(PDF) };
    expect(await code(await send({ media: [pdf, images[0]] }))).toBe('media_mixed');
    expect(await code(await send({ media: [pdf, pdf] }))).toBe('media_mixed');
    expect(await code(await send({ media: [pdf] }))).toBe('ok');
    const foreign = { id: await uploaded(GIF, await client.connect('tidal-museum')) };
    expect(await code(await send({ media: [foreign] }))).toBe('media_not_found');
    expect(await code(await send({ media: [{ ...images[0], alt_text: 'x'.repeat(1001) }] }))).toBe(
      'alt_text_too_long',
    );
  });
});

test('a thread is one card, each part below the previous one, with its comments', async () => {
  const first = await post({
    text: 'First of three',
    media: [{ id: await uploaded(GIF), alt_text: 'Teal "field"' }],
  });
  const second = await post({ text: 'Second of three', reply_to: first.id });
  const third = await post({ text: 'Third of three', reply_to: second.id });
  const commented = await client.call(maren, 'POST', `/posts/${first.id}/comments`, { text: 'Links below' });
  const comment = (await commented.json()) as CreatedResource;
  expect(comment.url).toBe(`${first.url}#${comment.id}`);
  for (const address of [first.url, `${sandbox.url}/social/feed/maren-holt`]) {
    const html = await (await fetch(address)).text();
    const card = html.split('class="card thread"').find((one) => one.includes('First of three')) ?? '';
    const order = [first, comment, second, third].map(({ id }) => card.indexOf(`id="${id}"`));
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(order[0]).toBeGreaterThan(0);
    expect(card).toContain('alt="Teal &#34;field&#34;"');
    expect(html.match(/First of three/g)).toHaveLength(1);
  }
});

describe('a comment', () => {
  test('is found by its reference, has its own effect, and is deleted once, or with its post', async () => {
    const { id } = await post({ text: 'Comment on me' });
    const comment = async (client_ref: string) =>
      (await (
        await client.call(maren, 'POST', `/posts/${id}/comments`, { text: 'Hello', client_ref })
      ).json()) as CreatedResource;
    const [one, two] = [await comment('ref-1'), await comment('ref-2')];
    const found = async (reference: string) =>
      (
        (await (await client.call(maren, 'GET', `/comments?client_ref=${reference}`)).json()) as {
          data: CreatedResource[];
        }
      ).data;
    expect(await found('ref-1')).toEqual([one]);
    expect((await client.call(maren, 'DELETE', `/comments/${one.id}`)).status).toBe(204);
    expect((await client.call(maren, 'DELETE', `/comments/${one.id}`)).status).toBe(404);
    expect(
      sandbox.ledger.entries({ reference: 'ref-1' }).map(({ effect, post_id }) => [effect, post_id]),
    ).toEqual([
      ['comment.created', id],
      ['comment.deleted', id],
    ]);
    expect((await client.call(maren, 'DELETE', `/posts/${id}`)).status).toBe(204);
    expect(await found('ref-2')).toEqual([]);
    expect((await client.call(maren, 'GET', `/comments/${two.id}`)).status).toBe(404);
  });

  test('has at most 300 characters and requires a post', async () => {
    const { id } = await post({ text: 'Be short' });
    const comment = (text: string, on = id) => client.call(maren, 'POST', `/posts/${on}/comments`, { text });
    expect(await code(await comment('🦋'.repeat(300)))).toBe('ok');
    expect(await code(await comment('🦋'.repeat(301)))).toBe('text_too_long');
    expect(await code(await comment(' '))).toBe('text_required');
    expect(await code(await comment('Hello', 'p404'))).toBe('not_found');
  });
});

describe('an account', () => {
  interface Options {
    topics: { id: string }[];
    posts_today: { used: number; limit: number; resets_at: string };
  }
  const options = async (as = maren) =>
    (await (await client.call(as, 'GET', '/publishing-options')).json()) as Options;

  test('has its own topics, and rejects those of another account', async () => {
    const [own] = (await options()).topics;
    const [foreign] = (await options(await client.connect('tidal-museum'))).topics;
    expect(await code(await send({ text: 'Sorted', topic: own?.id }))).toBe('ok');
    expect(await code(await send({ text: 'Sorted', topic: foreign?.id }))).toBe('topic_unknown');
  });

  test('has a daily limit of posts, which is reset the next day', async () => {
    const { used } = (await options()).posts_today;
    sandbox.control.changeSettings({ posts_per_day: used + 1 });
    expect(await code(await send({ text: 'The last one' }))).toBe('ok');
    const before = sandbox.ledger.entries().length;
    const refused = await send({ text: 'One too many' });
    expect(refused.status).toBe(422);
    expect(await code(refused)).toBe('daily_limit_reached');
    expect(sandbox.ledger.entries()).toHaveLength(before);
    expect((await options()).posts_today).toMatchObject({ used: used + 1, limit: used + 1 });

    sandbox.control.setClock(new Date((await options()).posts_today.resets_at));
    maren = await client.connect('maren-holt');
    expect((await options()).posts_today.used).toBe(0);
    expect(await code(await send({ text: 'A new day' }))).toBe('ok');
    sandbox.control.resetClock();
    sandbox.control.changeSettings({ posts_per_day: 10_000 });
  });
});

test('a post from a state file without media is shown unchanged', async () => {
  const stateFile = path.join(folder, 'older');
  const record = {
    id: 'p1',
    account_id: 'maren-holt',
    text: 'From before',
    link: null,
    visibility: 'public',
    reply_to: null,
    client_ref: null,
    created_at: '2026-01-01T00:00:00.000Z',
  };
  writeFileSync(stateFile, `${JSON.stringify({ in: 'social.posts', id: 'p1', record })}\n`);
  const older = await startSandbox({ stateFile });
  const page = await fetch(`${older.url}/social/posts/p1`);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('From before')]);
  await older.close();
});
