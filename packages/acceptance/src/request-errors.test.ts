import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { scopes } from '@switchboard/domain/access';
import { traceDatabase } from './support/database.js';
import { eventually } from './support/eventually.js';
import { asObjects, asText } from './support/json.js';
import { openOperator, type Operator } from './support/operator.js';
import { sendRaw } from './support/raw-http.js';
import { restClient, type RestClient } from './support/rest-client.js';
import type { Replica } from './support/installation.js';
import type { Program } from './support/program.js';
import { serveWithReplicas, type SwitchboardWithReplicas } from './support/serve-switchboard.js';
import { buildTestWorld, type TestWorld } from './support/test-world.js';

const MIB = 1024 * 1024;
const GROWTH_MAX_BYTES = 64 * MIB;

let switchboard: SwitchboardWithReplicas;
let operator: Operator;
let client: RestClient;
let world: TestWorld;
let foreign: TestWorld;
beforeAll(async () => {
  switchboard = await serveWithReplicas({ name: 'request_errors', mcp: true });
  operator = await openOperator(switchboard);
  const workspaceId = await operator.createWorkspace('elsewhere');
  const elsewhere = await operator.createKey({ scopes, workspaceId });
  const { url, keys } = switchboard;
  client = restClient(url, keys.full);
  world = await buildTestWorld(url, keys.full, { social: 'maren-holt', store: 'alder-oak' });
  foreign = await buildTestWorld(url, elsewhere.token, { social: 'lumen-coffee', store: 'kumo-paper' });
});
afterAll(async () => {
  await operator?.close();
  await switchboard?.stop();
});
afterEach(async () => {
  expect((await fetch(`${switchboard.url}/healthz`)).status).toBe(200);
});

/** No request writes anything except audit rows. */
async function expectNoChange(sendRequest: () => Promise<unknown>): Promise<void> {
  const before = await traceDatabase(switchboard.databaseUrl);
  await sendRequest();
  expect(await traceDatabase(switchboard.databaseUrl)).toEqual(before);
}

const json = { 'content-type': 'application/json' };
const writes = (): readonly (readonly [method: string, path: string, body: object])[] => [
  ['POST', '/profiles', { name: 'Half-written' }],
  ['PATCH', `/profiles/${world.profile}`, { name: 'Half-written' }],
  ['POST', '/connect/url', { platform: 'sandbox_social', profile_id: world.profile }],
  ['PATCH', `/connections/${world.social}`, { label: 'Half-written' }],
  ['POST', '/social/posts', { profile_id: world.profile, text: 'Half-written', targets: 'all' }],
  ['POST', `/ecommerce/orders/${world.order}/refund/quote`, { full: true }],
  ['POST', `/ecommerce/orders/${world.order}/refund`, { full: true }],
];

test('malformed JSON is one clear error and changes nothing', () =>
  expectNoChange(async () => {
    for (const [method, path, body] of writes()) {
      for (const broken of [JSON.stringify(body).slice(0, -1), "{'name': 1}", '{"a":1}}', '\u0000', 'null']) {
        const answer = await client.sendRequest(method, path, {
          body: broken,
          headers: { 'Idempotency-Key': 'broken' },
        });
        expect(answer.status).toBe(400);
        expect(['request.malformed_json', 'request.invalid']).toContain(answer.json['code']);
        expect(answer.json).toMatchObject({ effect: 'none', retryable: false, who_can_fix: 'caller' });
      }
    }
  }));

test('an unknown field, a missing scope and an unknown key change nothing', async () => {
  const powerless = restClient(switchboard.url, (await operator.createKey({ scopes: [] })).token);
  await expectNoChange(async () => {
    const unauthenticated = restClient(switchboard.url, `swb_${'0'.repeat(61)}`);
    for (const [method, path, body] of writes()) {
      const headers = { 'Idempotency-Key': 'refused' };
      const unknown = await client.sendRequest(method, path, { body: { ...body, colour: 'red' }, headers });
      expect([unknown.status, unknown.json['errors']]).toEqual([
        400,
        [expect.objectContaining({ path: 'colour', code: 'field.unknown' })],
      ]);
      expect((await powerless.sendRequest(method, path, { body, headers })).status).toBe(403);
      expect((await unauthenticated.sendRequest(method, path, { body, headers })).status).toBe(401);
    }
  });
});

test('IDs of another workspace change nothing in either workspace', () =>
  expectNoChange(async () => {
    const { profile, social, order, quote, refund, post } = foreign;
    const asked: readonly (readonly [string, string, object?])[] = [
      ['PATCH', `/profiles/${profile}`, { name: 'Mine now' }],
      ['DELETE', `/profiles/${profile}`],
      ['PATCH', `/connections/${social}`, { label: 'Mine now' }],
      ['PATCH', `/connections/${world.social}`, { profile_id: profile }],
      ['DELETE', `/connections/${social}`],
      ['POST', '/connect/url', { platform: 'sandbox_social', profile_id: profile }],
      ['POST', '/connect/url', { connection_id: social }],
      ['POST', '/social/posts', { profile_id: profile, text: 'Mine now' }],
      [
        'POST',
        '/social/posts',
        { profile_id: world.profile, text: 'Mine', targets: [{ connection_id: social }] },
      ],
      ['POST', `/social/posts/${post}/cancel`],
      ['DELETE', `/social/posts/${post}`],
      ['POST', `/ecommerce/orders/${order}/refund/quote`, { full: true }],
      ['POST', `/ecommerce/orders/${order}/refund`, { full: true }],
      ['POST', `/ecommerce/orders/${world.order}/refund`, { quote_id: quote }],
      ['POST', `/ecommerce/refunds/${refund}/recheck`],
      ['POST', `/ecommerce/refunds/${refund}/resolve`, { outcome: 'failed' }],
    ];
    for (const [method, path, body] of asked) {
      const answer = await client.sendRequest(method, path, {
        body,
        headers: { 'Idempotency-Key': 'foreign' },
      });
      expect([path, answer.status]).toEqual([path, 404]);
    }
  }));

describe('unknown properties (N11)', () => {
  test.each([
    ['tenantId', '{"name":"x","tenantId":"wsp_1"}'],
    ['status', '{"name":"x","status":"active"}'],
    ['isAdmin', '{"name":"x","isAdmin":true}'],
    ['__proto__', '{"name":"x","__proto__":{"isAdmin":true}}'],
    ['constructor', '{"name":"x","constructor":{"prototype":{"isAdmin":true}}}'],
    ['prototype', '{"name":"x","prototype":{"isAdmin":true}}'],
    ['toString', '{"name":"x","toString":"x"}'],
    ['hasOwnProperty', '{"name":"x","hasOwnProperty":1}'],
  ])('%s in a body is rejected by name', (name, body) =>
    expectNoChange(async () => {
      const answer = await client.sendRequest('POST', '/profiles', { body });
      expect([answer.status, answer.json['errors']]).toEqual([
        400,
        [expect.objectContaining({ path: name, code: 'field.unknown' })],
      ]);
    }),
  );

  test.each(['tenantId', 'isAdmin', '__proto__', 'constructor', 'toString', 'limit[$gt]'])(
    '%s in a query is rejected by name',
    async (name) => {
      const answer = await client.sendRequest('GET', `/profiles?${encodeURIComponent(name)}=1`);
      expect([answer.status, answer.json['errors']]).toEqual([
        400,
        [expect.objectContaining({ path: name, code: 'field.unknown' })],
      ]);
    },
  );

  test.each(['__proto__', 'constructor'])('%s in a target of a post is rejected', (name) =>
    expectNoChange(async () => {
      const body = `{"profile_id":"${world.profile}","text":"x","targets":[{"connection_id":"${world.social}","${name}":{"isAdmin":true}}]}`;
      const answer = await client.sendRequest('POST', '/social/posts', { body });
      expect([answer.status, answer.json['code']]).toEqual([400, 'request.invalid']);
    }),
  );

  test('as a key of metadata they are stored or rejected, never dropped, and never affect a prototype', async () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const answer = await client.sendRequest('POST', '/profiles', {
        body: `{"name":"Plain words","metadata":{"${name}":"kept"}}`,
      });
      if (answer.status !== 201)
        expect([answer.status, answer.json['code']]).toEqual([400, 'request.invalid']);
      else expect(answer.text).toContain(`"metadata":{"${name}":"kept"}`);
    }
    const clean = await client.expect(201, 'POST', '/profiles', { body: { name: 'Clean' } });
    expect(clean['metadata']).toEqual({});
    expect(await client.expect(200, 'GET', '/me')).not.toHaveProperty('isAdmin');
  });
});

describe('requests that proxies and servers may parse differently (N12)', () => {
  const host = () => new URL(switchboard.url).host;
  const createHeaders = () => `Authorization: Bearer ${switchboard.keys.full}`;
  const body = '{"name":"Smuggled"}';
  const lines = (...all: string[]) => `${all.join('\r\n')}\r\n\r\n`;
  const head = (...more: string[]) =>
    lines(
      'POST /v1/profiles HTTP/1.1',
      `Host: ${host()}`,
      createHeaders(),
      'Content-Type: application/json',
      ...more,
    );

  const cases: readonly (readonly [string, () => string])[] = [
    [
      'Content-Length and Transfer-Encoding',
      () => `${head(`Content-Length: ${body.length}`, 'Transfer-Encoding: chunked')}0\r\n\r\n${body}`,
    ],
    [
      'Transfer-Encoding and Content-Length',
      () => `${head('Transfer-Encoding: chunked', 'Content-Length: 4')}13\r\n${body}\r\n0\r\n\r\n`,
    ],
    ['two different lengths', () => `${head('Content-Length: 19', 'Content-Length: 4')}${body}`],
    ['a length with a sign', () => `${head('Content-Length: +19')}${body}`],
    [
      'an encoding that is not chunked',
      () => `${head('Transfer-Encoding: xchunked')}13\r\n${body}\r\n0\r\n\r\n`,
    ],
    ['chunked not last', () => `${head('Transfer-Encoding: chunked, identity')}13\r\n${body}\r\n0\r\n\r\n`],
    ['an invalid chunk size', () => `${head('Transfer-Encoding: chunked')}0x13\r\n${body}\r\n0\r\n\r\n`],
    ['a folded header', () => `${head('X-Folded: a', ' b', `Content-Length: ${body.length}`)}${body}`],
    ['a space before the colon', () => `${head('Content-Length : 19')}${body}`],
    ['bare line feeds', () => `${head(`Content-Length: ${body.length}`).replaceAll('\r\n', '\n')}${body}`],
    ['a bare line feed in a header', () => `${head(`X-A: 1\nContent-Length: ${body.length}`)}${body}`],
    [
      'two Host headers (finding 13)',
      () => `${head('Host: evil.example', `Content-Length: ${body.length}`)}${body}`,
    ],
    ['no Host header', () => `${head(`Content-Length: ${body.length}`).replace(/Host: .*\r\n/, '')}${body}`],
    [
      'an absolute URL of another host',
      () =>
        `${head(`Content-Length: ${body.length}`).replace('/v1/profiles', 'http://evil.example/v1/profiles')}${body}`,
    ],
    ['an authority', () => lines('CONNECT evil.example:443 HTTP/1.1', `Host: ${host()}`, createHeaders())],
    ['TRACE', () => lines('TRACE /v1/profiles HTTP/1.1', `Host: ${host()}`, createHeaders())],
    ['TRACE of MCP', () => lines('TRACE /mcp HTTP/1.1', `Host: ${host()}`, createHeaders())],
    ['an unknown method', () => lines('SMUGGLE /v1/profiles HTTP/1.1', `Host: ${host()}`, createHeaders())],
    ['NUL in a header', () => `${head('X-A: a\u0000b', `Content-Length: ${body.length}`)}${body}`],
  ];

  test.each(cases)('%s: rejected or disconnected, and nothing is written', (_what, bytes) =>
    expectNoChange(async () => {
      for (const url of [switchboard.url, switchboard.mcpUrl]) {
        const { status, text: answer, closed } = await sendRaw(url, bytes());
        const isRefusal = status !== null && [400, 404, 405, 411, 431, 501].includes(status);
        expect([isRefusal || (status === null && closed), answer.split('\r\n')[0]]).toEqual([
          true,
          expect.anything(),
        ]);
        expect(answer).not.toMatch(/HTTP\/1\.1 2\d\d/);
        expect(answer).not.toContain(switchboard.keys.full);
      }
    }),
  );

  test('a method cannot be overridden by a header or a field', () =>
    expectNoChange(async () => {
      const path = `/profiles/${world.profile}`;
      for (const name of ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override']) {
        expect((await client.get(path, { headers: { [name]: 'DELETE' } })).status).toBe(200);
        const posted = await client.sendRequest('POST', path, { body: {}, headers: { [name]: 'PATCH' } });
        expect([posted.status, posted.headers.get('allow')]).toEqual([405, expect.stringContaining('PATCH')]);
      }
      expect((await client.get(`${path}?_method=DELETE`)).status).toBe(400);
    }));
});

describe('oversized bodies (N13)', () => {
  /** A process of its own, whose memory is only that of the server. */
  let replica: Replica<Program>;
  beforeAll(async () => {
    replica = await switchboard.startReplica();
  });
  afterEach(async () => {
    expect((await fetch(`${replica.url}/healthz`)).status).toBe(200);
  });
  const rssBytes = async () => {
    const status = await readFile(`/proc/${replica.server.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024;
  };
  const send = async (body: string | Buffer | ReadableStream, headers: Record<string, string> = {}) => {
    const response = await fetch(`${replica.url}/v1/profiles`, {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${switchboard.keys.full}`, ...json, ...headers },
      ...(body instanceof ReadableStream && { duplex: 'half' as const }),
    });
    const answered = (await response.json()) as { code: string };
    return [response.status, answered.code];
  };
  const gzip = { 'content-encoding': 'gzip' };
  const bomb = gzipSync(Buffer.alloc(64 * MIB, 0x20));
  const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const endless = () => {
    let sent = 0;
    return new ReadableStream({
      pull(controller) {
        sent += 1;
        controller.enqueue(Buffer.alloc(64 * 1024, 0x20));
        if (sent > 64) controller.close();
      },
    });
  };

  const cases: readonly (readonly [string, () => Promise<unknown>, readonly [number, string]])[] = [
    ['a body over 1 MiB', () => send(`{"name":"${'x'.repeat(MIB)}"}`), [413, 'request.too_large']],
    ['a body over 1 MiB without a length', () => send(endless()), [413, 'request.too_large']],
    ['arrays ten thousand deep', () => send(`{"name":${deep(10_000)}}`), [400, 'request.invalid']],
    [
      'objects ten thousand deep',
      () => send('{"a":'.repeat(10_000) + '1' + '}'.repeat(10_000)),
      [400, 'request.invalid'],
    ],
    ['a megabyte of digits', () => send(`{"name":${'1'.repeat(MIB - 100)}}`), [400, 'request.invalid']],
    ['gzip with a ratio of 1000:1', () => send(bomb, gzip), [413, 'request.too_large']],
    ['invalid gzip', () => send('{"name":"x"}', gzip), [400, 'request.invalid']],
    ['truncated gzip', () => send(gzipSync('{"name":"x"}').subarray(0, 20), gzip), [400, 'request.invalid']],
    [
      'an unknown encoding',
      () => send('{"name":"x"}', { 'content-encoding': 'zebra' }),
      [415, 'request.unsupported_media_type'],
    ],
    [
      'UTF-16',
      () =>
        send(Buffer.from('{"name":"x"}', 'utf16le'), { 'content-type': 'application/json; charset=utf-16' }),
      [415, 'request.unsupported_media_type'],
    ],
    [
      'XML',
      () => send('<name>x</name>', { 'content-type': 'application/xml' }),
      [415, 'request.unsupported_media_type'],
    ],
    [
      'a form',
      () => send('name=x', { 'content-type': 'application/x-www-form-urlencoded' }),
      [415, 'request.unsupported_media_type'],
    ],
  ];

  test.each(cases)('%s is rejected repeatedly without memory growth', (_what, sendRequest, refusal) =>
    expectNoChange(async () => {
      await sendRequest();
      const before = await rssBytes();
      for (let time = 0; time < 10; time += 1) expect(await sendRequest()).toEqual(refusal);
      expect((await rssBytes()) - before).toBeLessThan(GROWTH_MAX_BYTES);
    }),
  );

  test('deep nesting in a free-form field is rejected as well, with an idempotency key too', () =>
    expectNoChange(async () => {
      const options = '{"a":'.repeat(150_000) + '1' + '}'.repeat(150_000);
      const body = `{"profile_id":"${world.profile}","text":"deep","targets":[{"connection_id":"${world.social}","options":${options}}]}`;
      for (const path of ['/social/posts', '/social/posts/validate']) {
        const answer = await restClient(replica.url, switchboard.keys.full).sendRequest('POST', path, {
          body,
          headers: { 'Idempotency-Key': 'deep' },
        });
        expect([answer.status, answer.json['code']]).toEqual([400, 'request.invalid']);
      }
    }));

  test('a body just within the limit and a gzip-compressed one are read', async () => {
    const room = MIB - Buffer.byteLength('{"name":""}');
    expect(await send(`{"name":"${'x'.repeat(room)}"}`)).toEqual([400, 'request.invalid']);
    const response = await fetch(`${switchboard.url}/v1/profiles`, {
      method: 'POST',
      body: gzipSync('{"name":"Small"}'),
      headers: { authorization: `Bearer ${switchboard.keys.full}`, ...json, ...gzip },
    });
    expect(response.status).toBe(201);
    expect(asText(((await response.json()) as { name: string }).name)).toBe('Small');
  });
});

describe('the same for MCP over HTTP', () => {
  const call = (given: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_profile","arguments":${given}}}`;
  const send = async (body: string | Buffer, headers: Record<string, string> = {}) => {
    const response = await fetch(switchboard.mcpUrl, {
      method: 'POST',
      body,
      headers: {
        authorization: `Bearer ${switchboard.keys.full}`,
        accept: 'application/json, text/event-stream',
        ...json,
        ...headers,
      },
    });
    return { status: response.status, answer: (await response.json()) as Record<string, unknown> };
  };

  test.each([
    ['a message over 1 MiB', () => send(call(`{"name":"${'x'.repeat(MIB)}"}`)), 413],
    [
      'gzip with a ratio of 1000:1',
      () => send(gzipSync(Buffer.alloc(64 * MIB, 0x20)), { 'content-encoding': 'gzip' }),
      413,
    ],
    ['invalid gzip', () => send(call('{"name":"x"}'), { 'content-encoding': 'gzip' }), 400],
    ['malformed JSON', () => send('{broken'), 400],
    ['XML', () => send('<name/>', { 'content-type': 'application/xml' }), 415],
    [
      'UTF-16',
      () =>
        send(Buffer.from(call('{"name":"x"}'), 'utf16le'), {
          'content-type': 'application/json; charset=utf-16',
        }),
      415,
    ],
  ])('%s is rejected, and nothing is written', (_what, sendRequest, status) =>
    expectNoChange(async () => {
      expect((await sendRequest()).status).toBe(status);
    }),
  );

  test.each([
    // At the top level the MCP SDK drops it before our code sees it.
    ['__proto__ in metadata', '{"name":"x","metadata":{"__proto__":"x"}}', 'metadata.__proto__'],
    ['constructor', '{"name":"x","constructor":{}}', 'constructor'],
    ['depth', `{"name":"x","metadata":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`, 'metadata.a.a'],
  ])('%s in the arguments of a tool is rejected with its path', (_what, given, path) =>
    expectNoChange(async () => {
      const { status, answer } = await send(call(given));
      const result = answer['result'] as { isError: boolean; structuredContent: Record<string, unknown> };
      expect([status, result.isError, result.structuredContent['code']]).toEqual([
        200,
        true,
        'request.invalid',
      ]);
      expect(asObjects(result.structuredContent['errors']).map((one) => one['path'])).toEqual([path]);
    }),
  );

  test('an absolute URL in the request line does not bypass the Host check', async () => {
    const { host } = new URL(switchboard.mcpUrl);
    const body = call('{"name":"Smuggled"}');
    const head = [
      'POST http://evil.example/mcp HTTP/1.1',
      `Host: ${host}`,
      `Authorization: Bearer ${switchboard.keys.full}`,
      'Content-Type: application/json',
      'Accept: application/json, text/event-stream',
      `Content-Length: ${body.length}`,
    ];
    const { status, closed } = await sendRaw(switchboard.mcpUrl, `${head.join('\r\n')}\r\n\r\n${body}`);
    expect([status, closed]).toEqual([400, true]);
  });
});

test('every error so far has a request ID that the log contains', async () => {
  const answer = await client.post('/profiles', { name: 7 });
  const id = answer.headers.get('x-request-id') ?? '';
  expect(answer.json['request_id']).toBe(id);
  // The log line may still be in transit: the response does not wait for it.
  await eventually('the log has the request', async () =>
    switchboard.rest.output().includes(id) ? true : null,
  );
  expect(asObjects(answer.json['errors'])).toHaveLength(1);
});
