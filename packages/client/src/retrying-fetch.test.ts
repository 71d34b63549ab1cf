import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createClient } from './index.js';

type Reply = (response: ServerResponse, request: IncomingMessage) => void;
interface Attempt {
  readonly key: string | undefined;
  readonly body: string;
  readonly at: number;
}

let server: Server;
let baseUrl: string;
let replies: Reply[];
let attempts: Attempt[];
beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const key = request.headers['idempotency-key'];
      attempts.push({ key: key?.toString(), body, at: performance.now() });
      (replies.shift() ?? ok)(response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  replies = [];
  attempts = [];
});
afterAll(() => void server.close());

const ok: Reply = (response) => response.setHeader('Content-Type', 'application/json').end('{"id":"prf_1"}');
const disconnect: Reply = (response) => response.destroy();
const problem =
  (status: number, facts: object, headers: Record<string, string> = {}): Reply =>
  (response) =>
    response
      .writeHead(status, { 'Content-Type': 'application/problem+json', ...headers })
      .end(JSON.stringify({ status, code: 'some.code', detail: 'Why.', ...facts }));
const later = { retryable: true, effect: 'none' };
const gateway: Reply = (response) =>
  response.writeHead(502, { 'Content-Type': 'text/html' }).end('<p>Bad</p>');

const client = (options = {}) => createClient({ baseUrl, apiKey: 'swb_test', ...options });
const post = (options?: object) => client(options).POST('/v1/profiles', { body: { name: 'Lumen' } });
const patch = () =>
  client().PATCH('/v1/profiles/{id}', { params: { path: { id: 'prf_1' } }, body: { name: 'Lumen' } });
const get = () => client().GET('/v1/me');

test('repeats a POST whose connection was lost, with the same generated idempotency key and body', async () => {
  replies = [disconnect, gateway];
  expect((await post()).data).toEqual({ id: 'prf_1' });
  expect(attempts).toHaveLength(3);
  const [{ key } = { key: '' }] = attempts;
  expect(key).toMatch(/^[0-9a-f]{32}$/);
  for (const attempt of attempts) expect(attempt).toMatchObject({ key, body: '{"name":"Lumen"}' });
  await post();
  expect(attempts.at(-1)?.key).not.toBe(key);
});

test('keeps the idempotency key of the caller, and adds none to other methods', async () => {
  await client().POST('/v1/profiles', {
    params: { header: { 'Idempotency-Key': 'mine' } },
    body: { name: 'Lumen' },
  });
  await patch();
  expect(attempts.map(({ key }) => key)).toEqual(['mine', undefined]);
});

test('waits as long as the response demands', async () => {
  replies = [problem(429, later, { 'Retry-After': '1' })];
  expect((await get()).response.status).toBe(200);
  const [first, second] = attempts.map(({ at }) => at);
  expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(990);
});

test('returns a response that demands a longer wait than the caller accepts', async () => {
  replies = [problem(429, later, { 'Retry-After': '61' })];
  expect((await get()).response.status).toBe(429);
  expect(attempts).toHaveLength(1);
});

test.each([
  ['a PATCH that changed nothing', patch, problem(503, later), 2],
  ['a PATCH with an unknown effect', patch, problem(503, { retryable: true, effect: 'unknown' }), 1],
  ['a PATCH whose connection was lost', patch, disconnect, 1],
  ['a PATCH without problem details', patch, gateway, 1],
  ['a GET whose connection was lost', get, disconnect, 2],
  ['a GET without problem details', get, gateway, 2],
  ['a POST in progress', post, problem(409, later), 2],
  ['a failure that will recur', get, problem(500, { retryable: false, effect: 'none' }), 1],
  ['an unknown outcome', post, problem(502, { retryable: false, effect: 'unknown' }), 1],
])('repeats only where it is safe and useful: %s', async (_, call, reply, count) => {
  replies = [reply];
  await Promise.allSettled([call()]);
  expect(attempts).toHaveLength(count);
});

test('returns the last failure after the configured repetitions', async () => {
  replies = [problem(503, later), problem(503, later), problem(503, later)];
  const { error, response } = await post({ retries: 1 });
  expect([response.status, attempts.length]).toEqual([503, 2]);
  expect(error).toMatchObject({ code: 'some.code' });
});

test('ends a wait when the caller aborts', async () => {
  replies = [problem(429, later, { 'Retry-After': '30' })];
  const signal = AbortSignal.timeout(100);
  await expect(client().GET('/v1/me', { signal })).rejects.toThrow(/timeout/);
  expect(attempts).toHaveLength(1);
});
