import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { request as send, type IncomingHttpHeaders } from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { testDatabase } from '@switchboard/persistence/testing';
import { startRest, type RunningRest } from '../testing/running-rest.js';

let rest: RunningRest;
beforeAll(async () => {
  rest = await startRest(await testDatabase('media'));
});
afterAll(() => rest.close());

interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly json: Record<string, unknown>;
}

/**
 * Sends a request over its own connection; `pieces` are sent one after the other, and an exception among them
 * disconnects.
 */
function ask(
  method: string,
  to: string,
  headers: Readonly<Record<string, string>> = {},
  pieces: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array> = [],
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const request = send(new URL(to, rest.url), { method, headers, agent: false }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        const body = Buffer.concat(parts);
        const isJson = /json/.test(response.headers['content-type'] ?? '');
        const json = isJson ? (JSON.parse(body.toString()) as Record<string, unknown>) : {};
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body, json });
      });
    });
    request.on('error', reject);
    const closed = once(request, 'close').catch(() => undefined);
    const write = async () => {
      for await (const piece of pieces) {
        if (request.destroyed) return;
        if (!request.write(piece)) await Promise.race([once(request, 'drain'), closed]);
      }
      request.end();
    };
    write().catch(() => request.destroy());
  });
}
const authorized = () => ({ authorization: `Bearer ${rest.key}` });
const BOUNDARY = 'a-boundary';
const multipart = () => ({ ...authorized(), 'content-type': `multipart/form-data; boundary=${BOUNDARY}` });
const part = (disposition: string, type?: string) =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n${type ? `Content-Type: ${type}\r\n` : ''}\r\n`;
const END = `\r\n--${BOUNDARY}--\r\n`;
const filePart = part('name="file"; filename="cat.png"', 'image/png');
const upload = (
  pieces: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
  headers: Readonly<Record<string, string>> = {},
) => ask('POST', '/v1/social/media', { ...multipart(), ...headers }, pieces);
const json = (body: object, headers: Readonly<Record<string, string>> = {}) =>
  ask('POST', '/v1/social/media', { ...authorized(), 'content-type': 'application/json', ...headers }, [
    JSON.stringify(body),
  ]);

/** One red pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
  'base64',
);
const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

const stored = async () => {
  const folder = path.join(rest.service.config.dataDir, 'media');
  const files: string[] = [];
  for (const inner of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    if (inner.isDirectory()) files.push(...(await readdir(path.join(folder, inner.name))));
  }
  return files.sort();
};

describe('an upload', () => {
  test('is inspected, regardless of the declared type, and is returned byte for byte', async () => {
    const lying = part('name="file"; filename="../../../etc/cron.d/cat.svg"', 'image/svg+xml');
    const { status, json: media } = await upload([part('name="alt_text"'), 'A cat\r\n', lying, PNG, END]);
    expect([status, media]).toEqual([
      201,
      {
        id: expect.stringMatching(/^med_/) as unknown,
        status: 'ready',
        type: 'image/png',
        width: 1,
        height: 1,
        duration_seconds: null,
        bytes: PNG.length,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
        alt_text: 'A cat',
        error: null,
        created_at: expect.any(String) as unknown,
        expires_at: expect.any(String) as unknown,
      },
    ]);
    const { json: read } = await ask('GET', `/v1/social/media/${String(media['id'])}`, authorized());
    expect(read).toEqual(media);
    const { json: list } = await ask('GET', '/v1/social/media?limit=1', authorized());
    expect(list['data']).toEqual([media]);
    for (const name of await stored()) expect(name).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  test.each<[string, readonly (string | Uint8Array)[], number, string]>([
    [
      'HTML as JPEG',
      [part('name="file"; filename="a.jpg"', 'image/jpeg'), '<html><script>1</script>', END],
      415,
      'media.type_unsupported',
    ],
    ['SVG', [filePart, '<svg xmlns="http://www.w3.org/2000/svg"/>', END], 415, 'media.type_unsupported'],
    ['nothing', [filePart, END], 415, 'media.type_unsupported'],
    ['a truncated PNG', [filePart, PNG.subarray(0, 50), END], 422, 'media.unreadable'],
    ['two files', [filePart, PNG, '\r\n', filePart, PNG, END], 400, 'request.invalid'],
    [
      'a file with another field name',
      [part('name="image"; filename="a.png"'), PNG, END],
      400,
      'request.invalid',
    ],
    ['an unknown field', [part('name="title"'), 'Cat\r\n', filePart, PNG, END], 400, 'request.invalid'],
    [
      'a repeated field',
      [part('name="alt_text"'), 'a\r\n', part('name="alt_text"'), 'b\r\n', filePart, PNG, END],
      400,
      'request.invalid',
    ],
    [
      'a field with a hostile name',
      [part('name="__proto__"'), 'a\r\n', filePart, PNG, END],
      400,
      'request.invalid',
    ],
    ['a field instead of a file', [part('name="file"'), 'text', END], 400, 'request.invalid'],
    [
      'a file and a URL',
      [part('name="url"'), 'https://files.example/a.png\r\n', filePart, PNG, END],
      400,
      'request.invalid',
    ],
    [
      'a field of 64 KiB plus one byte',
      [part('name="alt_text"'), 'x'.repeat(65_537), '\r\n', filePart, PNG, END],
      413,
      'request.too_large',
    ],
    ['no final boundary', [filePart, PNG], 400, 'request.invalid'],
    [
      'another boundary',
      [
        '--other\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n',
        PNG,
        '\r\n--other--\r\n',
      ],
      400,
      'request.invalid',
    ],
    ['no parts', [`--${BOUNDARY}--\r\n`], 400, 'request.invalid'],
    ['an empty body', [''], 400, 'request.invalid'],
    [
      'a part without a name',
      [`--${BOUNDARY}\r\nContent-Type: image/png\r\n\r\n`, PNG, END],
      400,
      'request.invalid',
    ],
  ])('of %s is rejected and leaves nothing behind', async (_what, pieces, status, code) => {
    const before = await stored();
    const answer = await upload(pieces);
    expect([answer.status, answer.json['code']]).toEqual([status, code]);
    expect(await stored()).toEqual(before);
  });

  test.each([
    ['multipart/form-data', 400, 'request.invalid'],
    ['multipart/form-data; boundary=', 400, 'request.invalid'],
    ['image/png', 415, 'request.unsupported_media_type'],
    ['application/x-www-form-urlencoded', 415, 'request.unsupported_media_type'],
    ['multipart/mixed; boundary=a', 415, 'request.unsupported_media_type'],
  ])('as %s is rejected', async (type, status, code) => {
    const answer = await upload([PNG], { 'content-type': type });
    expect([answer.status, answer.json['code']]).toEqual([status, code]);
  });

  test('of an image of 26 MiB is rejected before it is fully read', async () => {
    const before = await stored();
    let sent = 0;
    function* endless() {
      yield filePart;
      yield PNG;
      for (; sent < 600; sent++) yield Buffer.alloc(1024 * 1024);
      yield END;
    }
    const answer = await upload(endless());
    expect([answer.status, answer.json['code'], answer.json['details']]).toEqual([
      413,
      'request.too_large',
      { max_bytes: 25 * 1024 * 1024 },
    ]);
    expect(answer.json['detail']).toContain('25 MiB');
    expect(sent).toBeLessThan(300);
    expect(await stored()).toEqual(before);
  });

  test('that disconnects leaves nothing behind', async () => {
    const before = await stored();
    async function* broken() {
      yield filePart;
      yield PNG;
      yield Buffer.alloc(1024 * 1024);
      await new Promise((resolve) => setTimeout(resolve, 200));
      throw new Error('disconnect');
    }
    await expect(upload(broken())).rejects.toThrow();
    for (let turn = 0; turn < 100 && (await stored()).length > before.length; turn++)
      await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await stored()).toEqual(before);
  });

  test('is not read before the key is known and authorized', async () => {
    let sent = 0;
    function* endless() {
      yield filePart;
      for (; sent < 600; sent++) yield Buffer.alloc(1024 * 1024);
    }
    const answer = await upload(endless(), { authorization: 'Bearer swb_wrong' });
    expect([answer.status, answer.json['code']]).toEqual([401, 'auth.invalid_key']);
    expect(sent).toBeLessThan(300);
  });

  test('uses little memory however large it is', async () => {
    const before = process.memoryUsage().rss;
    let most = 0;
    function* large() {
      yield filePart;
      // The beginning of an MP4 whose only box has no end.
      yield Buffer.from('0000001c6674797069736f6d0000020069736f6d69736f32617663316d703431', 'hex');
      for (let nth = 0; nth < 150; nth++) {
        most = Math.max(most, process.memoryUsage().rss);
        yield Buffer.alloc(1024 * 1024);
      }
      yield END;
    }
    expect((await upload(large())).json['code']).toBe('media.unreadable');
    expect(most - before).toBeLessThan(100 * 1024 * 1024);
  });

  test('is the same request with an idempotency key when its bytes are the same, and is stored once', async () => {
    const key = { 'idempotency-key': 'upload-1' };
    const first = await upload([filePart, PNG, END], key);
    const before = await stored();
    const again = await upload([part('name="file"; filename="other.png"'), PNG, END], key);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect([again.status, again.json]).toEqual([201, first.json]);
    const other = await upload([filePart, GIF, END], key);
    expect([other.status, other.json['code']]).toEqual([422, 'idempotency.key_reused']);
    expect(await stored()).toEqual(before);
  });
});

describe('a URL', () => {
  test('creates media that is fetched later', async () => {
    const { status, json: media } = await json({ url: 'https://files.invalid/cat.png', alt_text: 'A cat' });
    expect([status, media]).toMatchObject([201, { status: 'processing', alt_text: 'A cat', type: null }]);
  });

  test.each<[object, number, string]>([
    [{}, 400, 'request.invalid'],
    [{ url: 'ftp://files.example/a.png' }, 422, 'media.url_invalid'],
    [{ url: 'https://a:b@files.example/a.png' }, 422, 'media.url_invalid'],
    [
      { url: 'https://files.example/a.png', file: { sha256: 'a', bytes: 1, type: 'image/png' } },
      400,
      'request.invalid',
    ],
    [{ file: 'a' }, 400, 'request.invalid'],
    [{ url: 7 }, 400, 'request.invalid'],
    [{ url: 'https://files.example/a.png', title: 'a' }, 400, 'request.invalid'],
  ])('%j is rejected', async (body, status, code) => {
    const answer = await json(body);
    expect([answer.status, answer.json['code']]).toEqual([status, code]);
  });

  test('that leads to this machine is not fetched', async () => {
    const { json: media } = await json({ url: `${rest.url.replace('http', 'https')}/healthz` });
    let read: Record<string, unknown> = {};
    for (let turn = 0; turn < 100 && read['status'] !== 'failed'; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      read = (await ask('GET', `/v1/social/media/${String(media['id'])}`, authorized())).json;
    }
    expect(read).toMatchObject({ status: 'failed', error: { code: 'platform.address_refused' } });
  });
});

describe('a presigned URL', () => {
  const announce = async (body: object) => {
    const headers = { ...authorized(), 'content-type': 'application/json' };
    return ask('POST', '/v1/social/media/uploads', headers, [JSON.stringify(body)]);
  };
  const put = (url: unknown, pieces: Iterable<string | Uint8Array>, headers = {}) =>
    ask('PUT', new URL(String(url)).pathname, headers, pieces);

  test('accepts the announced file without a key, once', async () => {
    const { status, json: made } = await announce({
      type: 'image/png',
      bytes: PNG.length,
      alt_text: 'A cat',
    });
    expect([status, made]).toMatchObject([201, { method: 'PUT', headers: { 'Content-Type': 'image/png' } }]);
    const wrong = await put(made['url'], [GIF]);
    expect([wrong.status, wrong.json['code']]).toEqual([422, 'media.not_as_announced']);
    const sent = await put(made['url'], [PNG], { 'content-type': 'text/html' });
    expect([sent.status, sent.json]).toMatchObject([
      200,
      { id: made['media_id'], status: 'ready', type: 'image/png', alt_text: 'A cat' },
    ]);
    const again = await put(made['url'], [PNG]);
    expect([again.status, again.json['code']]).toEqual([409, 'media.already_uploaded']);
  });

  test('does not accept more than was announced, nor a compressed body', async () => {
    const { json: made } = await announce({ type: 'image/png', bytes: PNG.length });
    const before = await stored();
    const more = await put(made['url'], [PNG, Buffer.alloc(10_000_000)]);
    expect([more.status, more.json['code']]).toEqual([422, 'media.not_as_announced']);
    const packed = await put(made['url'], [PNG], { 'content-encoding': 'gzip' });
    expect(packed.status).toBe(415);
    expect(await stored()).toEqual(before);
  });

  test('with a forged token is not found', async () => {
    const { json: made } = await announce({ type: 'image/png', bytes: PNG.length });
    const url = String(made['url']);
    for (const forged of [`${url.slice(0, -1)}A`, `${url}A`, url.replace('uploads', 'uploads/x')]) {
      expect((await put(forged, [PNG])).status).toBe(404);
    }
  });
});

describe('a public URL', () => {
  const link = async (bytes: Buffer) => {
    const { json: media } = await upload([filePart, bytes, END]);
    const found = await rest.service.ports.media.find(
      (await rest.service.ports.workspaces.list())[0]?.id as never,
      media['id'] as never,
    );
    if (!found?.file) throw new Error('the media is not ready');
    return { path: new URL(rest.service.ports.mediaLinks.publicUrl(found.file)).pathname, media };
  };

  test('serves the bytes with their type and nothing else', async () => {
    const { path: to } = await link(PNG);
    const got = await ask('GET', to);
    expect(got.status).toBe(200);
    expect(got.body.equals(PNG)).toBe(true);
    expect(got.headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(PNG.length),
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining('sandbox') as unknown,
      'content-disposition': 'inline; filename="media.png"',
    });
    const head = await ask('HEAD', to);
    expect([head.status, head.headers['content-length'], head.body.length]).toEqual([
      200,
      String(PNG.length),
      0,
    ]);
  });

  test.each([
    ['bytes=0-3', 0, 4],
    ['bytes=10-', 10, PNG.length],
    ['bytes=-5', PNG.length - 5, PNG.length],
    ['bytes=0-99999', 0, PNG.length],
  ])('serves %s', async (range, from, to) => {
    const { path: url } = await link(PNG);
    const got = await ask('GET', url, { range });
    expect([got.status, got.headers['content-range']]).toEqual([
      206,
      `bytes ${from}-${to - 1}/${PNG.length}`,
    ]);
    expect(got.body.equals(PNG.subarray(from, to))).toBe(true);
  });

  test('rejects unsatisfiable ranges, and serves everything for an invalid range', async () => {
    const { path: url } = await link(PNG);
    const beyond = await ask('GET', url, { range: 'bytes=5000-' });
    expect([beyond.status, beyond.headers['content-range'], beyond.body.length]).toEqual([
      416,
      `bytes */${PNG.length}`,
      0,
    ]);
    for (const range of ['bytes=0-1,3-4', 'lines=1-2', 'nonsense']) {
      expect((await ask('GET', url, { range })).status).toBe(200);
    }
  });

  test('leaves no file open when the client does not read its bytes', async () => {
    const { path: url } = await link(PNG);
    const files = async () => (await readdir('/dev/fd')).length;
    const before = await files();
    for (let n = 0; n < 10; n++) {
      await ask('HEAD', url);
      await ask('GET', url, { range: 'bytes=5000-' });
    }
    expect((await files()) - before).toBeLessThan(10);
  });

  test('with a forged token, or whose media was deleted, is not found', async () => {
    const { path: url, media } = await link(PNG);
    expect((await ask('GET', `${url.slice(0, -1)}A`)).status).toBe(404);
    expect((await ask('GET', '/media/nothing')).json['code']).toBe('media.not_found');
    const gone = await ask('DELETE', `/v1/social/media/${String(media['id'])}`, authorized());
    expect(gone.status).toBe(204);
    expect((await ask('GET', url)).status).toBe(404);
    expect((await ask('GET', `/v1/social/media/${String(media['id'])}`, authorized())).status).toBe(404);
  });
});
