import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { scopes } from '@switchboard/domain/access';
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
  fixture = await openMcpFixture('http_attacks', {
    SWITCHBOARD_TOOLSETS: 'social,commerce,connections,admin',
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

/** A call of a tool that leaves a trace when it runs. */
const change = (id = 1): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'create_profile', arguments: { name: `Created by call ${id}` } },
});
const introduction = JSON.parse(
  rpc('initialize', {
    protocolVersion: '2025-03-26',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  }),
) as object;
const body = JSON.stringify(change());
const runs = async (): Promise<number> => {
  const { items } = await fixture.service.ports.profiles.list(
    fixture.workspace.id,
    { reach: null },
    { limit: 100 },
  );
  return items.filter(({ name }) => name.startsWith('Created by call')).length;
};
let before: number;
beforeEach(async () => {
  before = await runs();
});

test('a request as every client sends it runs the tool', async () => {
  expect(await wire.post(body)).toMatchObject({ status: 200, json: { result: { isError: false } } });
  expect(await runs()).toBe(before + 1);
});

test.each<[string, Headers, number]>([
  ['a foreign origin', { origin: 'https://evil.example' }, 403],
  ['the origin null', { origin: 'null' }, 403],
  ['an empty origin', { origin: '' }, 403],
  ['an origin that starts like ours', { origin: 'https://mcp.example.com.evil.example' }, 403],
  ['an origin that ends like ours', { origin: 'https://evil-mcp.example.com' }, 403],
  ['an allowed origin without TLS', { origin: 'http://app.example.com' }, 403],
  ['an origin that starts like the local machine', { origin: 'http://localhost.evil' }, 403],
  ['an origin with user info before the host', { origin: 'http://localhost@evil.example' }, 403],
  ['a foreign host', { host: 'evil.example' }, 403],
  ['a host that starts like the local machine', { host: 'localhost.evil' }, 403],
  ['a host that contains our address', { host: '127.0.0.1.evil.example' }, 403],
  ['a host with user info before it', { host: 'localhost@evil.example' }, 403],
  ['an empty host', { host: '' }, 403],
  ['a future revision', { 'mcp-protocol-version': '2026-07-28' }, 400],
  ['a revision that never existed', { 'mcp-protocol-version': '1.0' }, 400],
  ['an empty revision', { 'mcp-protocol-version': '' }, 400],
  ['two revisions', { 'mcp-protocol-version': '2025-11-25, 2025-06-18' }, 400],
  ['another method in the header', { 'mcp-method': 'tools/list' }, 400],
  ['another tool in the header', { 'mcp-method': 'tools/call', 'mcp-name': 'whoami' }, 400],
  ['no acceptable response type', { accept: 'text/html' }, 406],
  ['another content type', { 'content-type': 'text/plain' }, 415],
  ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
  ['no content type', { 'content-type': undefined }, 415],
  ['another character set', { 'content-type': 'application/json; charset=utf-16' }, 415],
  ['no key', { authorization: undefined }, 401],
  ['a key in another scheme', { authorization: 'Basic c3diOg==' }, 401],
])('with %s nothing runs', async (_what, headers, status) => {
  expect((await wire.post(body, headers)).status).toBe(status);
  expect(await runs()).toBe(before);
});

test.each<[string, Headers]>([
  ['the supported revision', { 'mcp-protocol-version': '2025-11-25' }],
  ['headers that match the message', { 'mcp-method': 'tools/call', 'mcp-name': 'create_profile' }],
  ['an allowed origin', { host: 'mcp.example.com', origin: 'https://app.example.com' }],
  ['an unknown session id', { 'mcp-session-id': 'session-1' }],
])('with %s it runs', async (_what, headers) => {
  expect(await wire.post(body, headers)).toMatchObject({ status: 200 });
  expect(await runs()).toBe(before + 1);
});

test.each<[string, readonly object[], Headers]>([
  [
    'of two calls, in a revision without batches',
    [change(2), change(3)],
    { 'mcp-protocol-version': '2025-06-18' },
  ],
  ['of one call, in a revision without batches', [change(2)], { 'mcp-protocol-version': '2025-11-25' }],
  ['of no messages', [], {}],
  ['of more than a hundred', Array.from({ length: 101 }, (_, index) => change(index)), {}],
  ['that contains initialize beside a call', [introduction, change(2)], {}],
  ['with an element that is not a message', [change(2), { hello: 'world' }], {}],
  ['within a batch', [[change(2)]], {}],
])('a batch %s runs nothing', async (_what, messages, headers) => {
  const answer = await wire.post(JSON.stringify(messages), headers);
  expect(answer.status).toBe(400);
  expect(answer.json).toMatchObject({ error: { code: expect.any(Number), message: expect.any(String) } });
  expect(await runs()).toBe(before);
});

test.each<[string, unknown, { id: unknown; error: { message: RegExp } }]>([
  ['without a version', { id: 7, method: 'ping' }, { id: 7, error: { message: /jsonrpc/ } }],
  ['with parameters in a list', { ...change(7), params: [] }, { id: 7, error: { message: /params/ } }],
  ['with an id of another type', { ...change(7), id: {} }, { id: null, error: { message: /id/ } }],
  ['that is a number', 7, { id: null, error: { message: /must be an object/ } }],
  ['that is a batch with such an element', [{ hello: 1 }], { id: null, error: { message: /method/ } }],
])('a message %s is rejected with our own words', async (_what, message, { id, error }) => {
  const answer = await wire.post(JSON.stringify(message));
  expect(answer).toMatchObject({
    status: 400,
    json: { jsonrpc: '2.0', id, error: { code: -32600, message: expect.stringMatching(error.message) } },
  });
});

test('in the revision with batches, a batch runs every call of it once', async () => {
  const messages = [change(2), change(3)];
  const answer = await wire.post(JSON.stringify(messages), { 'mcp-protocol-version': '2025-03-26' });
  expect(JSON.parse(answer.body)).toMatchObject([
    { id: 2, result: {} },
    { id: 3, result: {} },
  ]);
  expect(await runs()).toBe(before + 2);
});

test.each([
  ['GET', undefined],
  ['DELETE', undefined],
  ['PUT', body],
  ['PATCH', body],
])('%s responds with the supported method, also with a valid key', async (method, sent) => {
  const answer = await wire.send(method, sent, [
    'authorization',
    authorization,
    'accept',
    'text/event-stream',
  ]);
  expect(answer).toMatchObject({
    status: 405,
    headers: { allow: 'POST' },
    json: { code: 'route.method_not_allowed' },
  });
  expect(await runs()).toBe(before);
});

const raw = (version: string, ...headers: string[]) =>
  [
    `POST /mcp HTTP/${version}`,
    ...[`Authorization: ${authorization}`, 'Content-Type: application/json'],
    ...['Accept: application/json, text/event-stream', `Content-Length: ${Buffer.byteLength(body)}`],
    ...['Connection: close', ...headers],
    ...['', body],
  ].join('\r\n');

test.each([
  ['no host', () => raw('1.1'), 400],
  ['no host, as in HTTP/1.0', () => raw('1.0'), 403],
  ['two hosts', () => raw('1.1', `Host: localhost:${wire.port}`, 'Host: evil.example'), 400],
  [
    'a foreign origin beside ours',
    () => raw('1.1', 'Host: localhost', 'Origin: http://localhost', 'Origin: http://evil.example'),
    403,
  ],
  ['two lengths', () => raw('1.1', 'Host: localhost', 'Content-Length: 4'), 400],
])('a request with %s runs nothing', async (_what, bytes, status) => {
  const socket = connect(wire.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(bytes());
  expect(await text(socket)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(await runs()).toBe(before);
});

test('a request without a body is rejected as not being JSON', async () => {
  const socket = connect(wire.port, '127.0.0.1');
  socket.write(
    [
      ...['POST /mcp HTTP/1.1', 'Host: localhost', `Authorization: ${authorization}`],
      ...['Accept: application/json, text/event-stream', 'Connection: close', '', ''],
    ].join('\r\n'),
  );
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toContain('"code":"request.malformed_json"');
});
