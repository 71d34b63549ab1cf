import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { specTypeSchemas } from '@modelcontextprotocol/server';
import { scopes } from '@switchboard/domain/access';
import { openMcpFixture, type McpFixture } from '../testing/open-mcp-fixture.js';
import { openHttpTestClient, type Headers, type HttpTestClient } from '../testing/open-http-test-client.js';
import { modernRequest, type ModernTestRequest } from '../testing/modern-request.js';
import { modernServer } from './modern-server.js';
import { serverFactories } from './server.js';
import type { McpHandlers } from './mcp-handlers.js';

/** Revision 2026-07-28 over HTTP, message by message: docs/decisions/035. */
let fixture: McpFixture;
let wire: HttpTestClient;
let authorization: string;
beforeAll(async () => {
  fixture = await openMcpFixture('modern_revision');
  authorization = await fixture.keyWith(scopes);
  wire = await openHttpTestClient(fixture.service, authorization);
}, 30_000);
afterAll(async () => {
  await wire.close();
  await fixture.close();
});

const bodyOf = (message: object) => JSON.stringify({ jsonrpc: '2.0', ...message });
const send = ({ message, headers }: ModernTestRequest, more: Headers = {}) =>
  wire.post(bodyOf(message), { ...headers, ...more });
const resultOf = async (request: ModernTestRequest) => {
  const { status, json } = await send(request);
  expect(status).toBe(200);
  return json['result'] as Record<string, unknown>;
};
const serverInfo = () => ({
  'io.modelcontextprotocol/serverInfo': {
    name: 'switchboard',
    title: 'Switchboard',
    version: fixture.service.config.version,
  },
});

test('server/discover states the revision, the capabilities, the instructions and the server', async () => {
  expect(await resultOf(modernRequest('server/discover'))).toEqual({
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
    instructions: expect.stringContaining('Call whoami first'),
    ttlMs: 300_000,
    cacheScope: 'private',
    _meta: serverInfo(),
  });
});

test.each<[string, object, number | undefined]>([
  ['tools/list', {}, 300_000],
  ['prompts/list', {}, 300_000],
  ['resources/templates/list', {}, 300_000],
  ['resources/list', {}, 0],
  ['resources/read', { uri: 'switchboard://platforms/bluesky' }, 0],
  ['tools/call', { name: 'whoami' }, undefined],
  ['prompts/get', { name: 'plan_week', arguments: { goals: 'Spring' } }, undefined],
])(
  'the result of %s is complete, names the server, and states how long it may be cached, and for this key only',
  async (method, params, ttlMs) => {
    const { resultType, _meta, ...result } = await resultOf(modernRequest(method, { ...params }));
    expect([resultType, _meta]).toEqual(['complete', serverInfo()]);
    expect([result['ttlMs'], result['cacheScope']]).toEqual([
      ttlMs,
      ttlMs === undefined ? undefined : 'private',
    ]);
  },
);

test('a list of tools is in the same order each time, and fits the types of the specification', async () => {
  const first = await resultOf(modernRequest('tools/list'));
  expect(await resultOf(modernRequest('tools/list'))).toEqual(first);
  const checked = specTypeSchemas.ListToolsResult['~standard'].validate(first);
  expect(checked.issues).toBeUndefined();
  expect(Buffer.byteLength(JSON.stringify(first))).toBeLessThanOrEqual(30_000);
});

test('an older revision gets none of these fields', async () => {
  const { json } = await wire.post(bodyOf({ id: 1, method: 'tools/list' }));
  expect(Object.keys(json['result'] as object)).toEqual(['tools']);
});

describe('a request is rejected before anything runs', () => {
  const list = modernRequest('tools/list');
  const call = modernRequest('tools/call', { name: 'whoami' });
  const read = modernRequest('resources/read', { uri: 'switchboard://platforms/bluesky' });
  const without = (name: string): Headers => ({ [name]: undefined });
  const withEnvelope = (_meta: object): ModernTestRequest => modernRequest('tools/list', { _meta });
  const version = 'io.modelcontextprotocol/protocolVersion';
  const capabilities = 'io.modelcontextprotocol/clientCapabilities';

  test.each<[string, ModernTestRequest, Headers, number, number]>([
    ['MCP-Protocol-Version is missing', list, without('mcp-protocol-version'), 400, -32020],
    ['MCP-Protocol-Version differs', list, { 'mcp-protocol-version': '2025-11-25' }, 400, -32020],
    ['Mcp-Method is missing', list, without('mcp-method'), 400, -32020],
    ['Mcp-Method differs', list, { 'mcp-method': 'tools/call' }, 400, -32020],
    ['Mcp-Method differs in case', list, { 'mcp-method': 'Tools/List' }, 400, -32020],
    ['Mcp-Name is missing for a tool', call, without('mcp-name'), 400, -32020],
    ['Mcp-Name is missing for a resource', read, without('mcp-name'), 400, -32020],
    ['Mcp-Name differs', call, { 'mcp-name': 'list_profiles' }, 400, -32020],
    ['Mcp-Name is malformed Base64', call, { 'mcp-name': '=?base64?d2hv%YW1p?=' }, 400, -32020],
    ['it states no capabilities', withEnvelope({ [capabilities]: undefined }), {}, 400, -32602],
    ['its capabilities are no object', withEnvelope({ [capabilities]: 'all' }), {}, 400, -32602],
    ['it states nothing, and the header does', withEnvelope({ [version]: undefined }), {}, 400, -32602],
    ['its revision is no text', withEnvelope({ [version]: 7 }), {}, 400, -32020],
    [
      'its revision is unsupported and the header differs',
      withEnvelope({ [version]: '2099-01-01' }),
      {},
      400,
      -32020,
    ],
    ['its method does not exist', modernRequest('tools/drop'), {}, 404, -32601],
    ['its method was removed', modernRequest('ping'), {}, 404, -32601],
    ['it begins a session', modernRequest('initialize'), {}, 404, -32601],
    ['its parameters do not match', modernRequest('resources/read', { uri: 7 }), {}, 200, -32602],
    ['its tool does not exist', modernRequest('tools/call', { name: 'drop_tables' }), {}, 200, -32602],
  ])('when %s', async (_what, request, headers, status, code) => {
    expect(await send(request, headers)).toMatchObject({ status, json: { id: 1, error: { code } } });
  });

  test.each([
    ['in the message', modernRequest('tools/list', { _meta: { [version]: '2099-01-01' } }), '2099-01-01'],
    [
      'in the header only',
      { message: { id: 1, method: 'tools/list', params: {} }, headers: {} },
      '1900-01-01',
    ],
  ])(
    'with the supported revisions when its revision, %s, is unsupported',
    async (_where, request, requested) => {
      const answer = await send(request, { 'mcp-protocol-version': requested });
      const data = { supported: ['2026-07-28'], requested };
      const message = expect.stringContaining('2025-11-25');
      expect(answer).toMatchObject({ status: 400, json: { id: 1, error: { code: -32022, message, data } } });
    },
  );

  test('in a batch', async () => {
    const answer = await wire.post(`[${bodyOf(list.message)}]`, list.headers);
    expect(answer).toMatchObject({ status: 400, json: { error: { code: -32600 } } });
  });
});

test('names that a header cannot carry are compared decoded', async () => {
  const uri = 'switchboard://posts/ä';
  const encoded = `=?base64?${Buffer.from(uri).toString('base64')}?=`;
  const answer = await send(modernRequest('resources/read', { uri }), { 'mcp-name': encoded });
  expect(answer).toMatchObject({ status: 200, json: { error: { code: -32602 } } });
});

test('a resource that does not exist is an invalid parameter, with the failure as data', async () => {
  const answer = await send(modernRequest('resources/read', { uri: 'switchboard://platforms/nowhere' }));
  expect(answer).toMatchObject({
    status: 200,
    json: {
      error: { code: -32602, data: { code: 'platform.not_found', uri: 'switchboard://platforms/nowhere' } },
    },
  });
  const unknown = await send(modernRequest('resources/read', { uri: 'test://nothing' }));
  expect(unknown).toMatchObject({ json: { error: { code: -32602, data: { uri: 'test://nothing' } } } });
});

test('there is no session: an id that a client sends is ignored, and none is returned', async () => {
  const answer = await send(modernRequest('tools/list'), { 'mcp-session-id': 'one', 'last-event-id': '7' });
  expect(answer.status).toBe(200);
  expect(answer.headers['mcp-session-id']).toBeUndefined();
});

test('a request without an identity of its client is served', async () => {
  const info = { 'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' } };
  expect((await send(modernRequest('tools/list', { _meta: info }))).status).toBe(200);
  expect((await send(modernRequest('tools/list'))).status).toBe(200);
});

test('a notification gets no response', async () => {
  const { headers } = modernRequest('notifications/cancelled');
  const message = { method: 'notifications/cancelled', params: { requestId: 7 } };
  expect(await wire.post(bodyOf(message), headers)).toMatchObject({ status: 202, body: '' });
});

const eventsOf = (body: string) =>
  body
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice('data: '.length)) as object);

test('a subscription is acknowledged without any notification, and ends', async () => {
  const filter = { toolsListChanged: true, resourceSubscriptions: ['switchboard://posts/pst_0'] };
  const answer = await send(modernRequest('subscriptions/listen', { notifications: filter }, { id: 9 }));
  expect(answer.headers['content-type']).toBe('text/event-stream');
  const subscription = { 'io.modelcontextprotocol/subscriptionId': 9 };
  expect(eventsOf(answer.body)).toEqual([
    {
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: {}, _meta: subscription },
    },
    {
      jsonrpc: '2.0',
      id: 9,
      result: { resultType: 'complete', _meta: { ...serverInfo(), ...subscription } },
    },
  ]);
  expect(await send(modernRequest('subscriptions/listen'))).toMatchObject({
    json: { error: { code: -32602 } },
  });
});

describe('progress', () => {
  const _meta = { progressToken: 'mine' };
  const waiting = async () => {
    const account = fixture.build.connection(fixture.profile, { platform: 'bluesky' });
    const post = fixture.build.post(fixture.profile, [account]);
    await fixture.service.ports.transactions.run(async (tx) => {
      await tx.connections.insert(account);
      await tx.posts.insert(post);
      return { ok: true, value: undefined };
    });
    return modernRequest('tools/call', {
      name: 'get_post',
      arguments: { id: post.id, wait_seconds: 1 },
      _meta,
    });
  };

  test('is sent in a stream, and then the response', async () => {
    const answer = await send(await waiting());
    expect(answer.headers).toMatchObject({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
    expect(eventsOf(answer.body)).toMatchObject([
      { method: 'notifications/progress', params: { progressToken: 'mine', progress: 0, total: 1 } },
      { id: 1, result: { resultType: 'complete', isError: false } },
    ]);
  });

  test.each([
    ['that accepts no stream', { accept: 'application/json' }, true],
    ['whose call reports none', {}, false],
  ])('a client %s gets one JSON document', async (_who, headers, waits) => {
    const request = waits ? await waiting() : modernRequest('tools/call', { name: 'whoami', _meta });
    const answer = await send(request, headers);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.json).toMatchObject({ id: 1, result: { isError: false } });
  });

  test('a client that accepts only a stream gets one', async () => {
    const answer = await send(modernRequest('tools/list'), { accept: 'text/event-stream' });
    expect(answer.headers['content-type']).toBe('text/event-stream');
    expect(eventsOf(answer.body)).toMatchObject([{ id: 1, result: { resultType: 'complete' } }]);
  });
});

test.each([
  ['one JSON document', {}],
  ['a stream', { progressToken: 7 }],
])('a client that disconnects while it waits for %s aborts its call', async (_what, _meta) => {
  const called = Promise.withResolvers<AbortSignal>();
  const handlers = {
    callTool(_name, _given, { signal, onProgress }) {
      onProgress?.({ done: 0, total: null, message: 'Started.' });
      called.resolve(signal);
      return new Promise(() => undefined);
    },
  } satisfies Partial<McpHandlers> as unknown as McpHandlers;
  const waiting = await openHttpTestClient(fixture.service, authorization, {
    ...serverFactories(fixture.service),
    modern: ({ toolFilter }) => modernServer({ version: '1', toolFilter }, handlers),
  });
  const { message, headers } = modernRequest('tools/call', { name: 'whoami', _meta });
  const request = waiting.startPost(bodyOf(message), headers);
  request.on('error', () => undefined);
  if ('progressToken' in _meta) {
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.on('error', () => undefined);
  }
  const signal = await called.promise;
  expect(signal.aborted).toBe(false);
  request.destroy();
  if (!signal.aborted) await once(signal, 'abort');
  await waiting.close();
});

test('a key is required, and its scopes decide what is listed', async () => {
  expect((await send(modernRequest('server/discover'), { authorization: undefined })).status).toBe(401);
  const reader = await fixture.keyWith(['posts:read']);
  const answer = await send(modernRequest('tools/list'), { authorization: reader });
  const { tools } = answer.json['result'] as { tools: { name: string }[] };
  const names = tools.map(({ name }) => name);
  expect(names).toContain('get_post');
  expect(names).not.toContain('create_post');
});
