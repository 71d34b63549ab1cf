import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { scopes } from '@switchboard/domain/access';
import type { Connection } from '@switchboard/domain/connections';
import type { McpHandlers } from '../protocol/mcp-handlers.js';
import { protocolServer } from '../protocol/protocol-server.js';
import { serverFactories, type ServerFactories } from '../protocol/server.js';
import { openMcpFixture, type McpFixture } from '../testing/open-mcp-fixture.js';
import {
  openHttpTestClient,
  rpc,
  type Headers,
  type HttpTestClient,
} from '../testing/open-http-test-client.js';

let fixture: McpFixture;
let wire: HttpTestClient;
let authorization: string;
beforeAll(async () => {
  fixture = await openMcpFixture('http', {
    SWITCHBOARD_MCP_PUBLIC_URL: 'https://mcp.example.com',
    SWITCHBOARD_MCP_ALLOWED_ORIGINS: 'https://app.example.com',
  });
  authorization = await fixture.keyWith(scopes);
  wire = await openHttpTestClient(fixture.service, authorization);
}, 30_000);
afterAll(async () => {
  await wire.close();
  await fixture.close();
});

const post: HttpTestClient['post'] = (...asked) => wire.post(...asked);
const send: HttpTestClient['send'] = (...asked) => wire.send(...asked);
const list = rpc('tools/list');
const initialize = rpc('initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
});

test('a real client connects, lists and calls, and every request is independent', async () => {
  const transport = new StreamableHTTPClientTransport(new URL(wire.url), {
    requestInit: { headers: { authorization } },
  });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  expect(client.getServerVersion()).toMatchObject({
    name: 'switchboard',
    version: fixture.service.config.version,
  });
  expect(client.getInstructions()).toContain('Call whoami first');
  expect(transport.sessionId).toBeUndefined();
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['whoami', 'create_post', 'list_connections']));
  expect(await client.callTool({ name: 'whoami' })).toMatchObject({
    isError: false,
    structuredContent: { workspace: { name: 'default' } },
  });
  await client.close();
});

test.each([
  ['no key', {}],
  ['a malformed key', { authorization: 'Bearer nonsense' }],
  ['an unknown key', { authorization: `Bearer swb_${'0'.repeat(61)}` }],
])('requires a key before anything else: %s', async (_what, headers) => {
  for (const body of [initialize, list, '{broken', 'x'.repeat(2 * 1024 * 1024)]) {
    const answer = await post(body, { authorization: undefined, ...headers });
    expect(answer).toMatchObject({
      status: 401,
      headers: {
        'www-authenticate': expect.stringMatching(
          /^Bearer resource_metadata="[^"]+", error="invalid_token", scope="[^"]+"$/,
        ),
        'content-type': expect.stringContaining('problem+json'),
      },
      json: { code: 'auth.invalid_key', effect: 'none' },
    });
  }
});

test('two authorization headers count as no key', async () => {
  const answer = await send('POST', list, ['authorization', authorization, 'authorization', authorization]);
  expect(answer.status).toBe(401);
});

test.each(['GET', 'DELETE', 'PUT', 'OPTIONS'])(
  'rejects %s and names the supported method',
  async (method) => {
    const answer = await send(method, undefined, []);
    expect(answer).toMatchObject({
      status: 405,
      headers: { allow: 'POST' },
      json: { code: 'route.method_not_allowed' },
    });
  },
);

test.each([
  ['evil.example', undefined, 403],
  ['127.0.0.1.evil.example', undefined, 403],
  ['localhost.evil', undefined, 403],
  ['127.0.0.1', 'http://localhost.evil', 403],
  ['localhost:9999', undefined, 200],
  ['[::1]:3001', undefined, 200],
  ['mcp.example.com', undefined, 200],
  ['127.0.0.1', 'https://evil.example', 403],
  ['127.0.0.1', 'null', 403],
  ['127.0.0.1', 'https://mcp.example.com.evil.example', 403],
  ['127.0.0.1', 'http://app.example.com', 403],
  ['127.0.0.1', 'http://localhost:6274', 200],
  ['127.0.0.1', 'https://mcp.example.com', 200],
  ['mcp.example.com', 'https://app.example.com', 200],
])('with the host %s and the origin %s, responds with %i', async (host, origin, status) => {
  const answer = await post(list, { host, origin });
  expect(answer.status).toBe(status);
  if (status === 403) expect(answer.json).toMatchObject({ code: 'request.origin_not_allowed' });
});

const preflight = [
  ...['access-control-request-method', 'POST'],
  ...['access-control-request-headers', 'authorization,content-type,mcp-protocol-version'],
];
const corsHeaders = (headers: Readonly<Record<string, unknown>>) =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'));

test.each(['/mcp', '/.well-known/oauth-protected-resource'])(
  'answers the preflight of %s to a listed origin only',
  async (path) => {
    const answer = await send(
      'OPTIONS',
      undefined,
      ['origin', 'https://app.example.com', ...preflight],
      path,
    );
    expect(answer).toMatchObject({
      status: 204,
      headers: {
        'access-control-allow-origin': 'https://app.example.com',
        'access-control-allow-methods': 'GET,POST',
        'access-control-allow-headers': 'authorization,content-type,mcp-protocol-version',
        vary: expect.stringContaining('Origin'),
      },
    });
    expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
    for (const origin of ['https://evil.example', 'null', 'http://localhost:6274']) {
      const refused = await send('OPTIONS', undefined, ['origin', origin, ...preflight], path);
      expect(corsHeaders(refused.headers)).toEqual([]);
    }
  },
);

test('shows its metrics on loopback only, without a token', async () => {
  await post(rpc('tools/call', { name: 'whoami' }), {});
  const answer = await send('GET', undefined, [], '/metrics');
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toContain('text/plain');
  const forwarded = await send('GET', undefined, ['x-forwarded-for', '203.0.113.9'], '/metrics');
  expect(forwarded.status).toBe(404);
});

test('without listed origins it starts, and answers no preflight', async () => {
  const config = { ...fixture.service.config, mcpAllowedOrigins: [] };
  const plain = await openHttpTestClient({ ...fixture.service, config }, authorization);
  try {
    const answer = await plain.send('OPTIONS', undefined, ['origin', 'http://localhost:6274', ...preflight]);
    expect([answer.status, corsHeaders(answer.headers), answer.headers['vary']]).toEqual([
      405,
      [],
      undefined,
    ]);
    expect(await plain.post(list, {})).toMatchObject({ status: 200 });
  } finally {
    await plain.close();
  }
});

test('answers no preflight under another host name', async () => {
  const pairs = ['host', 'evil.example', 'origin', 'https://app.example.com', ...preflight];
  const answer = await send('OPTIONS', undefined, pairs);
  expect([answer.status, corsHeaders(answer.headers)]).toEqual([403, []]);
});

test('a client in a page of a listed origin reads responses and the challenge of a 401', async () => {
  const origin = 'https://app.example.com';
  for (const [headers, status] of [
    [{ origin }, 200],
    [{ origin, authorization: 'Bearer nonsense' }, 401],
  ] as const) {
    expect(await post(list, headers)).toMatchObject({
      status,
      headers: {
        'access-control-allow-origin': origin,
        'access-control-expose-headers': expect.stringContaining('WWW-Authenticate'),
      },
    });
  }
  const local = await post(list, { origin: 'http://localhost:6274' });
  expect([local.status, corsHeaders(local.headers)]).toEqual([200, []]);
});

test('headers remove tools and never add one', async () => {
  const names = async (headers: Headers) => {
    const { json } = await post(list, headers);
    return (json['result'] as { tools: { name: string }[] }).tools.map(({ name }) => name);
  };
  const all = await names({});
  const connections = await names({ 'x-mcp-toolsets': 'connections, admin' });
  expect(connections).toContain('list_connections');
  expect(connections).not.toContain('create_post');
  const reading = await names({ 'x-mcp-readonly': 'true' });
  expect(reading).toContain('get_post');
  expect(reading).not.toContain('connect_account');
  expect([...connections, ...reading].filter((name) => !all.includes(name))).toEqual([]);
  expect(await names({ 'x-mcp-readonly': 'false' })).toEqual(all);
  expect(await post(list, { 'x-mcp-toolsets': 'sociable' })).toMatchObject({
    status: 400,
    json: { code: 'request.invalid' },
  });
});

const toolNames = async (pairs: readonly string[]) => {
  const usual = ['content-type', 'application/json', 'accept', 'application/json, text/event-stream'];
  const { json } = await send('POST', list, [...usual, 'authorization', authorization, ...pairs]);
  return (json['result'] as { tools: { name: string }[] }).tools.map(({ name }) => name);
};

test.each<[string, readonly string[], boolean]>([
  ['yes', ['yes'], true],
  ['an unknown value', ['indeed'], true],
  ['true twice', ['true', 'true'], true],
  ['true twice in one line', ['true, true'], true],
  ['false and then true', ['false', 'true'], true],
  ['true and then false', ['true', 'false'], true],
  ['false and true in one line', ['0,on'], true],
  ['no', ['False'], false],
  ['false twice', ['off', 'no'], false],
  ['nothing', [' '], false],
])('only a plain false keeps changes available: X-MCP-Readonly with %s', async (_what, said, isReadOnly) => {
  const names = await toolNames(said.flatMap((value) => ['x-mcp-readonly', value]));
  expect(names).toContain('get_post');
  expect(names.includes('create_post')).toBe(!isReadOnly);
});

test('two X-MCP-Toolsets headers leave the intersection of both', async () => {
  const names = await toolNames(['x-mcp-toolsets', 'social, connections', 'X-MCP-Toolsets', 'connections']);
  expect(names).toContain('list_connections');
  expect(names).not.toContain('get_post');
  const separateChunks = await toolNames(['x-mcp-toolsets', 'social', 'x-mcp-toolsets', 'connections']);
  expect(separateChunks).toContain('whoami');
  expect(separateChunks).not.toEqual(expect.arrayContaining(['list_connections']));
  expect(separateChunks).not.toEqual(expect.arrayContaining(['get_post']));
});

test('responds with JSON, and with a stream when the client requests progress', async () => {
  const plain = await post(rpc('tools/call', { name: 'whoami' }));
  expect(plain.headers['content-type']).toContain('application/json');
  const streamed = await post(rpc('tools/call', { name: 'whoami', _meta: { progressToken: 7 } }));
  expect(streamed.headers['content-type']).toContain('text/event-stream');
  expect(streamed.body).toContain('"structuredContent"');
});

test('a client that disconnects ends the waiting, and its post exists', async () => {
  const account = await connected();
  const text = 'Posted by a disconnected client';
  const given = { text, targets: [{ connection_id: account.id }], wait_seconds: 25 };
  const request = wire.startPost(
    rpc('tools/call', { name: 'create_post', arguments: given, _meta: { progressToken: 1 } }),
  );
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
  const [first] = (await once(response, 'data')) as [Buffer];
  expect(first.toString()).toContain('0 of 1 published.');
  const left = once(wire.ended, 'createPost');
  request.destroy();
  await left;
  const posts = await post(rpc('tools/call', { name: 'list_posts' }));
  expect(posts.body).toContain(text);
});

test('sends progress in the stream, and then the response', async () => {
  const due = fixture.build.post(fixture.profile, [await connected()]);
  await change((tx) => tx.posts.insert(due));
  const given = { id: due.id, wait_seconds: 1 };
  const { body } = await post(
    rpc('tools/call', { name: 'get_post', arguments: given, _meta: { progressToken: 'mine' } }),
  );
  const messages = body
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice('data: '.length)) as object);
  expect(messages).toMatchObject([
    { method: 'notifications/progress', params: { progressToken: 'mine', progress: 0, total: 1 } },
    { id: 1, result: { isError: false } },
  ]);
});

test.each([
  ['a body that is not JSON', '{broken', 'application/json', 400],
  ['a body that is not declared as JSON', list, 'text/plain', 415],
  ['a body of more than a mebibyte', JSON.stringify('x'.repeat(1024 * 1024)), 'application/json', 413],
  ['nothing', '', 'application/json', 400],
  ['JSON that is not a message', '{"jsonrpc":"2.0"}', 'application/json', 400],
])('refuses %s', async (_what, body, type, status) => {
  const answer = await post(body, { 'content-type': type });
  expect(answer.status).toBe(status);
  expect(answer.headers['x-request-id']).toMatch(/^req_/);
});

test('rejects an unsupported revision, and names the supported ones', async () => {
  const answer = await post(list, { 'mcp-protocol-version': '2027-01-01' });
  expect(answer).toMatchObject({ status: 400, json: { error: { code: -32022 } } });
  expect(answer.body).toMatch(/2026-07-28, 2025-11-25/);
});

const JSON_TYPE = 'application/json; charset=utf-8';
const calling = rpc('tools/call', { name: 'whoami', _meta: { progressToken: 7 } });
test.each([
  [undefined, list, 'application/json'],
  ['*/*', list, 'application/json'],
  ['application/*', list, 'application/json'],
  ['application/json', list, 'application/json'],
  ['text/event-stream, application/json;q=0.5', list, 'application/json'],
  ['application/json, text/event-stream', calling, 'text/event-stream'],
  ['text/event-stream', list, 'text/event-stream'],
  // A client that does not name a stream gets none, and no progress.
  ['application/json', calling, 'application/json'],
  ['*/*', calling, 'application/json'],
  [undefined, calling, 'application/json'],
  ['text/event-stream;q=0, application/json', calling, 'application/json'],
])('responds to a client that accepts %s with %s in %s', async (accept, body, type) => {
  const answer = await post(body, { accept });
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toContain(type);
  expect(answer.body).toContain('"result"');
});

test.each(['text/html', 'application/xml', 'application/json;q=0', 'text/plain;q=0.5'])(
  'a client that accepts only %s receives the supported types',
  async (accept) => {
    expect(await post(list, { accept })).toMatchObject({
      status: 406,
      headers: { 'content-type': JSON_TYPE },
      json: { id: null, error: { message: expect.stringContaining('Accept must include application/json') } },
    });
  },
);

test('sends no response to messages that need none', async () => {
  const response = await post(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
  expect(response).toMatchObject({ status: 202, body: '' });
});

test.each([
  ['one JSON response', {}],
  ['a stream', { _meta: { progressToken: 7 } }],
])('a client that disconnects while it waits for %s aborts its call', async (_what, more) => {
  const asked = Promise.withResolvers<AbortSignal>();
  const handlers = {
    callTool(_name, _given, { signal }) {
      asked.resolve(signal);
      return new Promise(() => undefined);
    },
  } satisfies Partial<McpHandlers> as unknown as McpHandlers;
  const factories: ServerFactories = {
    ...serverFactories(fixture.service),
    legacy: ({ toolFilter }) => protocolServer({ version: '1', toolFilter }, handlers),
  };
  const waiting = await openHttpTestClient(fixture.service, authorization, factories);
  const leaving = new AbortController();
  const left = fetch(waiting.url, {
    method: 'POST',
    headers: {
      authorization,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: rpc('tools/call', { name: 'whoami', ...more }),
    signal: leaving.signal,
  }).then((answer) => answer.text());
  const signal = await asked.promise;
  expect(signal.aborted).toBe(false);
  leaving.abort();
  await expect(left).rejects.toThrow();
  if (!signal.aborted) await once(signal, 'abort');
  await waiting.close();
});

test('the failure contains the request id of the header', async () => {
  const answer = await post(rpc('tools/call', { name: 'get_post', arguments: { id: 'pst_0' } }));
  const result = answer.json['result'] as { structuredContent: { request_id: string } };
  expect(result.structuredContent.request_id).toBe(answer.headers['x-request-id']);
});

test('the health checks are public, and other paths are not found', async () => {
  expect(await send('GET', undefined, [], '/healthz')).toMatchObject({ status: 200, json: { status: 'ok' } });
  expect(await send('GET', undefined, [], '/readyz')).toMatchObject({ status: 200, json: { ready: true } });
  expect(await send('POST', list, [], '/MCP')).toMatchObject({
    status: 404,
    json: { code: 'route.not_found' },
  });
});

type Tx = Parameters<Parameters<McpFixture['service']['ports']['transactions']['run']>[0]>[0];
const change = (work: (tx: Tx) => Promise<void>) =>
  fixture.service.ports.transactions.run(async (tx) => {
    await work(tx);
    return { ok: true, value: undefined };
  });

async function connected(): Promise<Connection> {
  const account = fixture.build.connection(fixture.profile, { platform: 'bluesky' });
  await change((tx) => tx.connections.insert(account));
  return account;
}
