import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from '@jest/globals';
import type { DownloadOutcome } from '@switchboard/domain/ports';
import { serveHttp, serveRaw, type RequestHandler, type TestServer } from './testing/servers.js';
import { undiciDownloads } from './undici-downloads.js';

const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of closing.splice(0)) await each.close();
});
const serve = async (answer: RequestHandler): Promise<TestServer> => {
  const server = await serveHttp(answer);
  closing.push(server);
  return server;
};
const open = (url: string, over: { deadlineSeconds?: number; signal?: AbortSignal } = {}) => {
  const downloads = undiciDownloads({ allowPrivateHosts: ['127.0.0.1'], userAgent: 'Switchboard/test' });
  closing.push(downloads);
  return downloads.open({ url, deadlineSeconds: 10, signal: new AbortController().signal, ...over });
};
async function read(outcome: DownloadOutcome): Promise<Buffer> {
  if (outcome.kind !== 'opened') throw new Error(JSON.stringify(outcome));
  const pieces: Uint8Array[] = [];
  for await (const piece of outcome.bytes) pieces.push(piece);
  return Buffer.concat(pieces);
}

test('streams the unmodified bytes and sends no credentials', async () => {
  const server = await serve((request, response) => {
    expect(request.headers).toMatchObject({
      'user-agent': 'Switchboard/test',
      'accept-encoding': 'identity',
    });
    expect(request.headers).not.toHaveProperty('authorization');
    expect(request.headers).not.toHaveProperty('cookie');
    response.end(Buffer.alloc(300_000, 7));
  });
  expect((await read(await open(server.url))).equals(Buffer.alloc(300_000, 7))).toBe(true);
});

test('fetches only as much as is read', async () => {
  let sent = 0;
  const server = await serve((_request, response) => {
    const more = () => {
      while (sent < 200_000_000 && response.write(Buffer.alloc(100_000))) sent += 100_000;
    };
    response.on('drain', more);
    more();
  });
  const outcome = await open(server.url);
  if (outcome.kind !== 'opened') throw new Error(outcome.kind);
  for await (const piece of outcome.bytes) {
    expect(piece.length).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 300));
    break;
  }
  expect(sent).toBeLessThan(50_000_000);
});

test('three redirects are followed, a fourth is not', async () => {
  const server = await serve((request, response) => {
    const left = Number(request.url?.slice(1));
    if (left > 0) response.writeHead(302, { location: `./${left - 1}` }).end('moved');
    else response.end('here');
  });
  expect((await read(await open(`${server.url}/3`))).toString()).toBe('here');
  expect(await open(`${server.url}/4`)).toEqual({ kind: 'failed', reason: 'too_many_redirects' });
});

test.each([
  ['http://[', 'invalid_url'],
  ['file:///etc/passwd', 'invalid_url'],
  ['http://ada:secret@127.0.0.1/', 'invalid_url'],
  ['http://10.0.0.1/', 'address_refused'],
  ['https://169.254.169.254/latest/meta-data', 'address_refused'],
  ['http://www.example.com/', 'address_refused'],
])('a redirect to %s is not followed', async (location, reason) => {
  const server = await serve((_request, response) => response.writeHead(301, { location }).end());
  expect(await open(server.url)).toEqual({ kind: 'failed', reason });
});

test.each([304, 400, 404, 500, 503])('%d is reported and its body is not read', async (status) => {
  const server = await serve((_request, response) => response.writeHead(status).end());
  expect(await open(server.url)).toEqual({ kind: 'refused', status });
});

test('a compressed body is rejected', async () => {
  const server = await serve((_request, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(1_000_000))),
  );
  expect(await open(server.url)).toEqual({ kind: 'refused', status: 415 });
});

test('a truncated body throws', async () => {
  const server = await serveRaw((socket) => {
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nonly this');
  });
  closing.push(server);
  await expect(read(await open(server.url))).rejects.toThrow();
});

test('the deadline covers the head and every byte', async () => {
  const silent = await serve(() => undefined);
  expect(await open(silent.url, { deadlineSeconds: 0.3 })).toEqual({ kind: 'failed', reason: 'unreachable' });
  const slow = await serve((_request, response) => {
    const timer = setInterval(() => response.write('x'), 50);
    response.on('close', () => clearInterval(timer));
  });
  await expect(read(await open(slow.url, { deadlineSeconds: 0.5 }))).rejects.toThrow();
});

test('the reader can abort the download', async () => {
  const stop = new AbortController();
  const silent = await serve(() => stop.abort());
  expect(await open(silent.url, { signal: stop.signal })).toEqual({ kind: 'failed', reason: 'aborted' });
});

test('an unreachable server is reported', async () => {
  const server = await serveHttp(() => undefined);
  await server.close();
  expect(await open(server.url)).toEqual({ kind: 'failed', reason: 'unreachable' });
});
