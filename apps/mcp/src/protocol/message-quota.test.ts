import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { scopes } from '@switchboard/domain/access';
import { modernRequest } from '../testing/modern-request.js';
import { openMcpFixture, type McpFixture } from '../testing/open-mcp-fixture.js';
import { openHttpTestClient, rpc, type HttpTestClient } from '../testing/open-http-test-client.js';

const QUOTA = 8;
const program = path.resolve(import.meta.dirname, '../../bin/switchboard-mcp.mjs');

let fixture: McpFixture;
let wire: HttpTestClient;
beforeAll(async () => {
  fixture = await openMcpFixture('message_quota', { SWITCHBOARD_RATE_LIMIT: `${QUOTA}/600s` });
}, 30_000);
afterAll(() => fixture.close());
afterEach(() => wire?.close());

/** MCP over HTTP with a new key that has made no request. */
async function fresh() {
  const authorization = await fixture.keyWith(scopes);
  wire = await openHttpTestClient(fixture.service, authorization);
  return authorization;
}
const left = (headers: IncomingHttpHeaders) =>
  Number(/"key";r=(\d+)/.exec(String(headers['ratelimit']))?.[1]);
const call = rpc('tools/call', { name: 'whoami', arguments: {} });

test('every protocol message over HTTP counts once, and a message over the quota is rejected (finding 5)', async () => {
  await fresh();
  const messages = [
    rpc('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    }),
    rpc('tools/list'),
    rpc('ping'),
    rpc('resources/templates/list'),
    rpc('prompts/list'),
    rpc('no/such/method'),
    call,
  ];
  for (const [at, message] of messages.entries()) {
    const answered = await wire.post(message);
    expect([answered.status, left(answered.headers)]).toEqual([200, QUOTA - 1 - at]);
  }
  const notification = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
  expect((await wire.post(notification)).status).toBe(202);
  for (const message of [rpc('ping'), rpc('tools/list'), notification]) {
    const refused = await wire.post(message);
    expect([refused.status, refused.json]).toEqual([
      429,
      expect.objectContaining({ code: 'rate_limit.exceeded', details: { quota: 'key' } }),
    ]);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(left(refused.headers)).toBe(0);
  }
  const refusedCall = await wire.post(call);
  expect([refusedCall.status, refusedCall.json]).toEqual([
    200,
    expect.objectContaining({
      result: expect.objectContaining({
        isError: true,
        structuredContent: expect.objectContaining({ code: 'rate_limit.exceeded' }),
      }),
    }),
  ]);
});

test('a batch counts each of its messages, and is rejected as a whole when they exceed the quota (finding 5)', async () => {
  await fresh();
  const one = JSON.parse(rpc('tools/list')) as object;
  const batch = (count: number) => JSON.stringify(Array.from({ length: count }, (_, id) => ({ ...one, id })));
  expect((await wire.post(batch(5))).status).toBe(200);
  expect((await wire.post(batch(100))).status).toBe(429);
});

test('a call of an unknown tool and a malformed message count too', async () => {
  await fresh();
  for (const message of [
    rpc('tools/call', { name: 'no_such_tool', arguments: {} }),
    rpc('tools/call', { arguments: 7 }),
    rpc('resources/read', { uri: 'nonsense:' }),
  ])
    await wire.post(message);
  expect(left((await wire.post(rpc('ping'))).headers)).toBe(QUOTA - 4);
});

test('messages over stdio count like those over HTTP', async () => {
  const authorization = await fixture.keyWith(scopes);
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [program],
      env: { PATH: process.env['PATH'] ?? '', ...fixture.env, SWITCHBOARD_API_KEY: authorization.slice(7) },
      stderr: 'inherit',
    }),
  );
  try {
    // Follows `initialize` and `notifications/initialized`.
    const codes: unknown[] = [];
    for (let n = 0; n < QUOTA; n++) {
      // A call over the quota returns a result instead of an error, so the last messages over it are pings.
      const asked = n % 2 || n > 5 ? client.ping() : client.callTool({ name: 'whoami' });
      codes.push(
        await asked.then(
          () => 'ok',
          (error: { code: number }) => error.code,
        ),
      );
    }
    expect(codes).toEqual(['ok', 'ok', 'ok', 'ok', 'ok', 'ok', -32000, -32000]);
    expect(await client.callTool({ name: 'whoami' })).toMatchObject({
      isError: true,
      structuredContent: { code: 'rate_limit.exceeded' },
    });
    await expect(client.listTools()).rejects.toMatchObject({
      code: -32000,
      data: { code: 'rate_limit.exceeded', retry_after_seconds: expect.any(Number) as unknown },
    });
  } finally {
    await client.close();
  }
}, 60_000);

test('messages of revision 2026-07-28 count too, and are rejected with a code that it leaves to servers', async () => {
  const authorization = await fresh();
  const list = modernRequest('tools/list');
  const body = JSON.stringify({ jsonrpc: '2.0', ...list.message });
  expect(left((await wire.post(body, list.headers)).headers)).toBe(QUOTA - 1);
  const child = spawn(process.execPath, [program], {
    env: { PATH: process.env['PATH'] ?? '', ...fixture.env, SWITCHBOARD_API_KEY: authorization.slice(7) },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const heard = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const send = async (method: string, params: object, id: number) => {
    const { message } = modernRequest(method, { ...params }, { id });
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    return JSON.parse((await heard.next()).value as string) as Record<string, unknown>;
  };
  // Messages before the first call are counted when it opens the service.
  await send('tools/call', { name: 'whoami' }, 1);
  for (let id = 2; id < QUOTA; id++) {
    expect(await send('server/discover', {}, id)).toMatchObject({ id, result: { resultType: 'complete' } });
  }
  expect(await send('server/discover', {}, QUOTA)).toMatchObject({
    id: QUOTA,
    error: { code: 429, data: { code: 'rate_limit.exceeded', retry_after_seconds: expect.any(Number) } },
  });
  expect(await send('tools/call', { name: 'whoami' }, QUOTA + 1)).toMatchObject({
    result: { isError: true, structuredContent: { code: 'rate_limit.exceeded' } },
  });
  const ended = once(child, 'close');
  child.stdin.end();
  await ended;
}, 60_000);
