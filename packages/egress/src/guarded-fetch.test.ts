import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from '@jest/globals';
import { guardedFetch } from './guarded-fetch.js';
import { OutboundError } from './outbound-error.js';
import { serveHttp } from './testing/servers.js';
import { undiciOutbound } from './undici-outbound.js';

const outbound = undiciOutbound({ allowPrivateHosts: ['127.0.0.1'], userAgent: 'test' });
const fetch = guardedFetch(outbound, { deadlineSeconds: 2 });
afterAll(() => outbound.close());

test('behaves like fetch for a JSON exchange', async () => {
  const server = await serveHttp(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const answer = JSON.stringify({
      method: request.method,
      dpop: request.headers.dpop,
      body: Buffer.concat(chunks).toString(),
    });
    response.writeHead(401, {
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      'dpop-nonce': 'n1',
    });
    response.end(gzipSync(answer));
  });
  const response = await fetch(
    new Request(`${server.url}/token`, { method: 'POST', body: new URLSearchParams({ a: 'b c' }) }),
    {
      headers: { dpop: 'proof' },
    },
  );
  expect(response.status).toBe(401);
  expect(response.url).toBe(`${server.url}/token`);
  expect(response.headers.get('dpop-nonce')).toBe('n1');
  expect(response.headers.has('content-encoding')).toBe(false);
  expect(await response.json()).toEqual({ method: 'POST', dpop: 'proof', body: 'a=b+c' });
  await server.close();
});

test('returns empty responses without a body', async () => {
  const server = await serveHttp((_request, response) => response.writeHead(204).end());
  expect((await fetch(server.url)).status).toBe(204);
  await server.close();
});

test('reports the outcome of a request without a response', async () => {
  const server = await serveHttp((request) => request.socket.resetAndDestroy());
  await expect(fetch(server.url, { method: 'POST', body: 'x' })).rejects.toMatchObject({
    outcome: { kind: 'unknown', reason: 'reset' },
  });
  await server.close();
  await expect(fetch(server.url)).rejects.toBeInstanceOf(OutboundError);
  await expect(fetch('http://10.0.0.1/')).rejects.toMatchObject({
    outcome: { kind: 'not_sent', reason: 'address_refused' },
  });
});

test('never follows a redirect', async () => {
  const server = await serveHttp((request, response) => {
    response.writeHead(request.url === '/' ? 302 : 200, { location: '/next' }).end();
  });
  await expect(fetch(server.url)).rejects.toThrow('redirects are not followed');
  expect((await fetch(server.url, { redirect: 'manual' })).status).toBe(302);
  await server.close();
});

test('keeps credentials out of its errors', async () => {
  const error = await fetch('https://10.0.0.1/?token=canary-query', {
    headers: { authorization: 'Bearer canary-token' },
  }).catch((thrown: unknown) => thrown);
  expect(`${String(error)} ${(error as Error).stack ?? ''} ${JSON.stringify(error)}`).not.toContain('canary');
});
