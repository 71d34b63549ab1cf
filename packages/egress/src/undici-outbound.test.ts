import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import type http from 'node:http';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { Secret } from '@switchboard/domain';
import { serveHttp, serveRaw, type RequestHandler, type TestServer } from './testing/servers.js';
import { undiciOutbound } from './undici-outbound.js';

const outbound = undiciOutbound({
  allowPrivateHosts: ['127.0.0.1', 'localhost'],
  userAgent: 'switchboard-test/1',
});
let servers: TestServer[] = [];
afterAll(() => outbound.close());
afterEach(async () => {
  await Promise.all(servers.map((server) => server.close()));
  servers = [];
});
const serve = async (answer: RequestHandler) => {
  const server = await serveHttp(answer);
  servers.push(server);
  return server;
};
const serveBytes = async (answer: Parameters<typeof serveRaw>[0]) => {
  const server = await serveRaw(answer);
  servers.push(server);
  return server;
};
const get = (url: string, more: { deadlineSeconds?: number; maxBytes?: number; signal?: AbortSignal } = {}) =>
  outbound.request({ method: 'GET', url, pool: 'tests', ...more });

test.each([
  ['a new connection', 0],
  ['one that is open already', 1],
])('a request aborted at the last moment sends nothing on %s', async (_what, before) => {
  let requests = 0;
  const server = await serve((_request, response) => {
    requests += 1;
    response.end('{}');
  });
  for (let at = 0; at < before; at += 1) await get(server.url);
  const post = (maySend: () => boolean) =>
    outbound.request({ pool: 'tests', method: 'POST', url: server.url, body: '{}', maySend });
  expect(await post(() => false)).toEqual({ kind: 'not_sent', reason: 'aborted' });
  expect(requests).toBe(before);
  expect(await post(() => true)).toMatchObject({ kind: 'answered', status: 200 });
  expect(requests).toBe(before + 1);
});

describe('a server that echoes the received credential', () => {
  const token = 'at_0Zq8/kx+2Fb9-longer-than-that';
  const password = 'cs_81"ü-und-noch-mehr';
  const basic = Buffer.from(`me:${password}`).toString('base64');
  const repeating = (status: number) =>
    serve((request, response) => {
      const echoed = [request.headers.authorization, token, password, encodeURIComponent(token), basic];
      response
        .writeHead(status, { 'x-echoed': request.headers.authorization ?? '' })
        .end(JSON.stringify(echoed));
    });
  const said = async (status: number, authorization: string) => {
    const server = await repeating(status);
    const outcome = await outbound.request({ method: 'GET', url: server.url, headers: { authorization } });
    if (outcome.kind !== 'answered') throw new Error(outcome.reason);
    return {
      echoed: outcome.headers['x-echoed'],
      body: JSON.parse(Buffer.from(outcome.body).toString()) as unknown,
    };
  };

  test('is redacted in a rejection, in body and headers', async () => {
    const bearer = await said(400, `Bearer ${token}`);
    expect(bearer).toEqual({
      echoed: 'Bearer [secret]',
      body: ['Bearer [secret]', '[secret]', password, '[secret]', basic],
    });
  });

  test('is redacted with the password of Basic, in either encoding', async () => {
    const { echoed, body } = await said(401, `Basic ${basic}`);
    expect([echoed, body]).toEqual([
      'Basic [secret]',
      [
        'Basic [secret]',
        token,
        expect.not.stringContaining('und-noch-mehr'),
        encodeURIComponent(token),
        '[secret]',
      ],
    ]);
  });

  test('is not redacted in a successful response', async () => {
    expect(await said(200, `Bearer ${token}`)).toMatchObject({ echoed: `Bearer ${token}` });
  });
});

describe('a key that belongs into the path', () => {
  const key = '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw';
  const asked: (string | undefined)[] = [];
  const ask = async (path: string, status = 200, keyInPath = new Secret(key)) => {
    const server = await serve((request, response) => {
      asked.push(request.url);
      response.writeHead(status, { location: request.url ?? '' }).end(JSON.stringify([request.url, key]));
    });
    return outbound.request({ method: 'GET', url: server.url + path, keyInPath });
  };

  test('is inserted there, once and unescaped', async () => {
    await ask('/bot:key/getMe?of=:key');
    await ask('/webhooks/1/:key/messages', 200, new Secret('a/b?c#d e'));
    expect(asked.splice(0)).toEqual([`/bot${key}/getMe?of=:key`, '/webhooks/1/a%2Fb%3Fc%23d%20e/messages']);
  });

  test('is not sent without its placeholder', async () => {
    await ask('/getMe');
    expect(asked.splice(0)).toEqual(['/getMe']);
  });

  test('is redacted when a server echoes the requested URL', async () => {
    const outcome = await ask('/bot:key/getMe', 404);
    if (outcome.kind !== 'answered') throw new Error(outcome.reason);
    expect(outcome.headers['location']).toBe('/bot[secret]/getMe');
    expect(JSON.parse(Buffer.from(outcome.body).toString())).toEqual(['/bot[secret]/getMe', '[secret]']);
  });
});

test('a key that belongs into the query is added there, and redacted when a server echoes it', async () => {
  const server = await serve((request, response) =>
    response.writeHead(404).end(JSON.stringify([request.url])),
  );
  const ask = async (path: string) => {
    const keyInQuery = { name: 'api key', key: new Secret('k&e=y/with spaces') };
    const outcome = await outbound.request({ method: 'GET', url: server.url + path, keyInQuery });
    return outcome.kind === 'answered' && (JSON.parse(Buffer.from(outcome.body).toString()) as unknown);
  };
  expect(await ask('/posts')).toEqual(['/posts?api%20key=[secret]']);
  expect(await ask('/posts?page=2')).toEqual(['/posts?page=2&api%20key=[secret]']);
});

test.each([
  [{ parameters: { retry_after: 35 } }, {}, '35'],
  [{ parameters: { retry_after: 0.5 } }, {}, '1'],
  [{ parameters: { retry_after: 35 } }, { 'retry-after': '7' }, '7'],
  [{ parameters: null }, {}, undefined],
  [['35'], {}, undefined],
])('a 429 with the body %j and the headers %j asks to wait %s seconds', async (body, headers, seconds) => {
  const server = await serve((_request, response) =>
    response.writeHead(429, headers).end(JSON.stringify(body)),
  );
  const outcome = await outbound.request({ method: 'GET', url: server.url });
  expect(outcome.kind === 'answered' && outcome.headers['retry-after']).toBe(seconds);
});

describe('a body that is a stream', () => {
  const half = Buffer.alloc(300_000, 'x');
  const send = async (length: number, stream: () => AsyncIterable<Uint8Array>) => {
    const seen = { length: '', received: 0 };
    const server = await serve(async (request, response) => {
      seen.length = request.headers['content-length'] ?? '';
      for await (const chunk of request) seen.received += (chunk as Buffer).length;
      response.end('{}');
    });
    return {
      seen,
      outcome: await outbound.request({ method: 'PUT', url: server.url, body: { length, stream } }),
    };
  };
  async function* halves(count: number) {
    for (let sent = 0; sent < count; sent++) yield half;
  }

  test('arrives complete, with its length declared before', async () => {
    const { seen, outcome } = await send(600_000, () => halves(2));
    expect([outcome.kind, seen.length, seen.received]).toEqual(['answered', '600000', 600_000]);
  });

  test.each([
    ['shorter', () => halves(1)],
    ['longer', () => halves(3)],
  ])('that is %s than declared is not reported as sent', async (_, stream) => {
    expect((await send(600_000, stream)).outcome.kind).toBe('unknown');
  });

  test('that breaks off may have had an effect', async () => {
    async function* broken() {
      yield half;
      throw new Error('the disk is gone');
    }
    expect((await send(600_000, broken)).outcome.kind).toBe('unknown');
  });
});

test('sends method, body and headers and returns the response', async () => {
  const seen: {
    method?: string | undefined;
    headers?: http.IncomingHttpHeaders;
    body?: string;
    url?: string | undefined;
  } = {};
  const server = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    Object.assign(seen, {
      method: request.method,
      url: request.url,
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    });
    response.writeHead(201, [
      ['X-Twice', 'a'],
      ['x-twice', 'b'],
      ['Set-Cookie', 'session=1'],
    ] as unknown as http.OutgoingHttpHeaders);
    response.end('grüße');
  });
  const outcome = await outbound.request({
    method: 'PATCH',
    url: `${server.url}/a/b?c=d#e`,
    headers: {
      Authorization: 'Bearer t',
      'Content-Type': 'text/plain',
      Host: 'elsewhere',
    },
    body: 'ü',
  });
  expect(outcome).toMatchObject({ kind: 'answered', status: 201, headers: { 'x-twice': 'a, b' } });
  if (outcome.kind !== 'answered') return;
  expect(Buffer.from(outcome.body).toString()).toBe('grüße');
  expect(outcome.headers).not.toHaveProperty('set-cookie');
  expect(seen).toMatchObject({ method: 'PATCH', url: '/a/b?c=d', body: 'ü' });
  expect(seen.headers).toMatchObject({
    authorization: 'Bearer t',
    'content-length': '2',
    'user-agent': 'switchboard-test/1',
    host: `127.0.0.1:${server.port}`,
  });
});

test('a request can set its own user agent', async () => {
  let seen: string | undefined;
  const server = await serve((request, response) => {
    seen = request.headers['user-agent'];
    response.end();
  });
  await outbound.request({ method: 'GET', url: server.url, headers: { 'User-Agent': 'web:pots:v1' } });
  expect(seen).toBe('web:pots:v1');
});

test('an error status is a response', async () => {
  const server = await serve((_request, response) => response.writeHead(503).end('later'));
  expect(await get(server.url)).toMatchObject({ kind: 'answered', status: 503 });
});

test('a redirect is a response and is not followed', async () => {
  const elsewhere = await serve((_request, response) => response.end('secret'));
  const server = await serve((_request, response) =>
    response.writeHead(307, { location: elsewhere.url }).end(),
  );
  expect(await get(server.url)).toMatchObject({
    kind: 'answered',
    status: 307,
    headers: { location: elsewhere.url },
  });
  expect(elsewhere.connections()).toBe(0);
});

test('a refused connection was not sent', async () => {
  const server = await serve((_request, response) => response.end());
  await server.close();
  expect(await get(server.url)).toEqual({ kind: 'not_sent', reason: 'connect' });
});

test('an unresolvable name was not sent', async () => {
  const lost = undiciOutbound({
    allowPrivateHosts: [],
    userAgent: 'test',
    resolve: () => Promise.reject(new Error('ENOTFOUND')),
  });
  expect(await lost.request({ method: 'POST', url: 'https://nowhere.example.com/' })).toEqual({
    kind: 'not_sent',
    reason: 'dns',
  });
  await lost.close();
});

test('a server that does not support TLS receives no request', async () => {
  let requests = 0;
  const server = await serve((_request, response) => {
    requests += 1;
    response.end();
  });
  expect(await get(`https://localhost:${server.port}/`)).toEqual({ kind: 'not_sent', reason: 'tls' });
  expect(requests).toBe(0);
});

test.each([
  ['before headers', ''],
  ['within headers', 'HTTP/1.1 200 OK\r\ncontent-le'],
])('a connection reset %s leaves the outcome unknown', async (_when, bytes) => {
  const server = await serveBytes((socket) => socket.write(bytes, () => socket.resetAndDestroy()));
  expect(await outbound.request({ method: 'POST', url: server.url, body: 'x' })).toEqual({
    kind: 'unknown',
    reason: 'reset',
  });
});

test.each([
  ['reset', (socket: { resetAndDestroy(): unknown }) => socket.resetAndDestroy()],
  ['closed', (socket: { end(): unknown }) => socket.end()],
])('a body cut short by a %s connection is truncated', async (_how, cut) => {
  const server = await serveBytes((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"id":');
    setTimeout(() => cut(socket), 30);
  });
  expect(await outbound.request({ method: 'POST', url: server.url, body: 'x' })).toEqual({
    kind: 'unknown',
    reason: 'truncated',
  });
});

test('a chunked body without its end is truncated', async () => {
  const server = await serveBytes((socket) => {
    socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n');
  });
  expect(await get(server.url)).toEqual({ kind: 'unknown', reason: 'truncated' });
});

test('a response that is not HTTP is a protocol error', async () => {
  const server = await serveBytes((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
  expect(await get(server.url)).toEqual({ kind: 'unknown', reason: 'protocol' });
});

test.each([
  ['gzip', gzipSync('hello')],
  ['deflate', deflateSync('hello')],
  ['deflate', deflateRawSync('hello')],
  ['br', brotliCompressSync('hello')],
  ['gzip, br', brotliCompressSync(gzipSync('hello'))],
  ['identity', Buffer.from('hello')],
])('a body encoded as %s is decoded', async (coding, bytes) => {
  const server = await serve((_request, response) =>
    response.writeHead(200, { 'content-encoding': coding }).end(bytes),
  );
  const outcome = await get(server.url);
  expect(outcome.kind === 'answered' && Buffer.from(outcome.body).toString()).toBe('hello');
});

test.each([
  ['gzip', gzipSync(Buffer.alloc(64 * 1024 * 1024))],
  ['br', brotliCompressSync(Buffer.alloc(64 * 1024 * 1024))],
  ['gzip, gzip', gzipSync(gzipSync(Buffer.alloc(64 * 1024 * 1024)))],
])('a decompression bomb encoded as %s is stopped at the limit', async (coding, bytes) => {
  expect(bytes.length).toBeLessThan(100_000);
  const server = await serve((_request, response) =>
    response.writeHead(200, { 'content-encoding': coding }).end(bytes),
  );
  expect(await get(server.url, { maxBytes: 100_000 })).toEqual({ kind: 'unknown', reason: 'too_large' });
});

test.each([
  ['an unfinished gzip', 'gzip', gzipSync(Buffer.from('hello '.repeat(100))).subarray(0, 20), 'truncated'],
  ['garbage as gzip', 'gzip', Buffer.from('not gzip at all'), 'protocol'],
  ['an unknown coding', 'zstd', Buffer.from('x'), 'protocol'],
])('%s is not a response', async (_what, coding, bytes, reason) => {
  const server = await serve((_request, response) =>
    response.writeHead(200, { 'content-encoding': coding }).end(bytes),
  );
  expect(await get(server.url)).toEqual({ kind: 'unknown', reason });
});

test.each([['announced'], ['unannounced']])(
  'an %s body above the limit is not read to its end',
  async (how) => {
    let sent = 0;
    const server = await serve((_request, response) => {
      if (how === 'announced') response.setHeader('content-length', 1_000_000_000);
      const more = () => {
        if (response.destroyed) return;
        sent += 65_536;
        if (sent < 100_000_000) response.write(Buffer.alloc(65_536), () => setImmediate(more));
      };
      more();
    });
    expect(await get(server.url, { maxBytes: 100_000 })).toEqual({ kind: 'unknown', reason: 'too_large' });
    expect(sent).toBeLessThan(20_000_000);
  },
);

test('a body of exactly the limit is read', async () => {
  const server = await serve((_request, response) => response.end(Buffer.alloc(1_000)));
  expect(await get(server.url, { maxBytes: 1_000 })).toMatchObject({ kind: 'answered' });
  expect(await get(server.url, { maxBytes: 999 })).toEqual({ kind: 'unknown', reason: 'too_large' });
});

test('the deadline holds against a slowly sending server', async () => {
  const server = await serveBytes((socket) => {
    // Complete after ten deadlines: a deadline that each byte extends would end in a response.
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 150\r\n\r\n');
    const drip = setInterval(() => socket.write('x'), 20);
    socket.on('close', () => clearInterval(drip));
  });
  expect(await get(server.url, { deadlineSeconds: 0.3 })).toEqual({ kind: 'unknown', reason: 'timeout' });
});

test('the deadline holds against a silent server', async () => {
  const server = await serveBytes(() => undefined);
  expect(await get(server.url, { deadlineSeconds: 0.2 })).toEqual({ kind: 'unknown', reason: 'timeout' });
});

test('an abort before sending was not sent, and one after may have had an effect', async () => {
  const server = await serveBytes(() => undefined);
  expect(await get(server.url, { signal: AbortSignal.abort() })).toEqual({
    kind: 'not_sent',
    reason: 'aborted',
  });
  expect(server.connections()).toBe(0);
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 100);
  expect(await get(server.url, { signal: controller.signal })).toEqual({
    kind: 'unknown',
    reason: 'aborted',
  });
});

test('an abort during name resolution means that nothing is sent later', async () => {
  let requests = 0;
  const server = await serve((_request, response) => {
    requests += 1;
    response.end();
  });
  let found: (addresses: string[]) => void = () => undefined;
  const slow = undiciOutbound({
    allowPrivateHosts: ['localhost'],
    userAgent: 'test',
    resolve: () => new Promise((resolve) => (found = resolve)),
  });
  const controller = new AbortController();
  const outcome = slow.request({
    method: 'POST',
    url: `http://localhost:${server.port}/`,
    signal: controller.signal,
  });
  controller.abort();
  expect(await outcome).toEqual({ kind: 'not_sent', reason: 'aborted' });
  found(['127.0.0.1']);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(requests).toBe(0);
  await slow.close();
});

test('connections are reused', async () => {
  const server = await serve((_request, response) => response.end('x'));
  for (let at = 0; at < 10; at++) await get(server.url);
  // The first may still be closing when the second begins.
  expect(server.connections()).toBeLessThanOrEqual(2);
});

test('a header with a line break is an error that does not quote its value', async () => {
  const server = await serve((_request, response) => response.end());
  const attempt = outbound.request({
    method: 'GET',
    url: server.url,
    headers: { authorization: 'Bearer canary-token\r\nx-injected: 1' },
  });
  await expect(attempt).rejects.toThrow();
  const error: unknown = await attempt.catch((thrown: unknown) => thrown);
  expect(error instanceof Error && error.stack).toEqual(expect.not.stringContaining('canary-token'));
  expect(server.connections()).toBe(0);
});

describe('the address that a browser is redirected to (finding 13)', () => {
  const checking = undiciOutbound({
    allowPrivateHosts: ['127.0.0.1:8080', 'shop.internal'],
    userAgent: 'switchboard-test/1',
    resolve: async (host) => {
      if (host === 'public.example') return ['8.8.8.8', '2606:4700::1111'];
      if (host === 'private.example') return ['10.0.0.7'];
      if (host === 'mixed.example') return ['8.8.8.8', '169.254.169.254'];
      throw new Error('ENOTFOUND');
    },
  });
  afterAll(() => checking.close());

  test.each([
    ['https://public.example/wc-auth', null],
    ['http://127.0.0.1:8080/', null],
    ['http://shop.internal/', null],
    ['http://public.example/', 'address_refused'],
    ['https://private.example/', 'address_refused'],
    ['https://mixed.example/', 'address_refused'],
    ['https://10.0.0.7/', 'address_refused'],
    ['https://[fd00::1]/', 'address_refused'],
    ['http://127.0.0.1:8081/', 'address_refused'],
    ['https://localhost/', 'address_refused'],
    ['https://nowhere.example/', 'dns'],
    ['javascript:alert(1)', 'invalid_url'],
  ])('%s: %s', async (url, expected) => {
    expect(await checking.checkAddress(url)).toBe(expected);
  });
});
