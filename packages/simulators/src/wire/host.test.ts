import { afterEach, describe, expect, test } from '@jest/globals';
import { FAULT_KINDS, type FaultKind, type FaultSpec } from '@switchboard/fault-injection';
import { okResponse } from './exchange.js';
import { createRouter, requireScopes, type Routes } from './routes.js';
import { startServer, type SimulatedServer } from './start-server.js';

let server: SimulatedServer;
let effects = 0;
afterEach(() => server.close());

/** A server whose every processed request is an effect. */
async function open(...faults: readonly FaultSpec[]): Promise<void> {
  effects = 0;
  server = await startServer(({ body }) => {
    effects++;
    return { ...okResponse({ id: effects, body }), headers: { location: '/1' } };
  });
  for (const fault of faults) server.faults.add(fault);
}
const post = (path = '/posts', body: object = { text: 'hello' }) =>
  fetch(server.url + path, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(300),
  });

describe('a fault', () => {
  const WITHOUT_EFFECT: readonly FaultKind[] = [
    'hang',
    'reset-before-effect',
    '500-before',
    '429',
    '403',
    'redirect',
  ];

  test.each(FAULT_KINDS)('%s lets the effect happen exactly if it is defined to', async (kind) => {
    await open({ kind, delay_ms: 1 });
    await (await post().catch(() => null))?.text().catch(() => '');
    expect(effects).toBe(WITHOUT_EFFECT.includes(kind) ? 0 : 1);
    expect(server.received()).toHaveLength(1);
    expect(server.faults.list()).toEqual([]);
  });

  test.each(['hang', 'hang-after-effect', 'reset-before-effect', 'reset-after-effect'] as const)(
    '%s sends no response',
    async (kind) => {
      await open({ kind });
      await expect(post()).rejects.toThrow();
    },
  );

  test.each([
    ['500-before', {}, 500, {}],
    ['500-after', { status: 503 }, 503, {}],
    ['429', { retry_after: 7 }, 429, { 'retry-after': '7' }],
    ['redirect', {}, 307, { location: 'http://127.0.0.1:9/' }],
  ] as const)('%s has its own response', async (kind, more, status, headers) => {
    await open({ kind, ...more });
    const response = await post();
    expect(response.status).toBe(status);
    expect(Object.fromEntries(response.headers)).toMatchObject(headers);
  });

  test('without an ID leaves neither a body field nor a header of the response', async () => {
    await open({ kind: '2xx-no-id' });
    const response = await post();
    expect([response.status, await response.json(), response.headers.get('location')]).toEqual([
      200,
      {},
      null,
    ]);
  });

  test.each(['2xx-truncated', 'garbage'] as const)('%s is not JSON', async (kind) => {
    await open({ kind });
    await expect(post().then((response) => response.json())).rejects.toThrow();
  });

  test.each(['slow-drip', 'delay', 'delay-after-effect'] as const)(
    '%s ends with the correct response',
    async (kind) => {
      await open({ kind, delay_ms: 1 });
      expect(await (await post()).json()).toMatchObject({ id: 1 });
    },
  );

  test('applies to matching requests, after those that it skips, as often as it states', async () => {
    await open({
      kind: '500-before',
      match: { method: 'POST', path_prefix: '/posts', body: 'hello' },
      after: 1,
      times: 2,
    });
    const statuses = [];
    for (const path of ['/posts', '/other', '/posts/1', '/posts', '/posts'])
      statuses.push((await post(path)).status);
    expect(statuses).toEqual([200, 200, 500, 500, 200]);
    expect((await post('/posts', { text: 'other' })).status).toBe(200);
  });

  test('stays until it is cleared', async () => {
    await open({ kind: '500-before', times: null });
    expect([(await post()).status, (await post()).status]).toEqual([500, 500]);
    server.faults.clear();
    expect((await post()).status).toBe(200);
  });
});

test('a request is parsed by its media type, and logged with its response', async () => {
  await open();
  const send = async (
    body: string | URLSearchParams | FormData | Uint8Array<ArrayBuffer>,
    type?: string,
  ): Promise<unknown> => {
    const headers = type === undefined ? {} : { 'content-type': type };
    return (await fetch(server.url, { method: 'PUT', body, headers })).json();
  };
  expect(await send('{"a":1}', 'application/json')).toMatchObject({ body: { a: 1 } });
  expect(await send(new URLSearchParams({ a: '1' }))).toMatchObject({ body: { a: '1' } });
  const form = new FormData();
  form.set('file', new Blob(['abc'], { type: 'image/png' }), 'a.png');
  await send(form);
  expect(server.exchanges().at(-1)?.request.body).toMatchObject({
    file: { fileName: 'a.png', type: 'image/png', bytes: new Uint8Array([97, 98, 99]) },
  });
  await send(new Uint8Array([1, 2]), 'video/mp4');
  expect(server.exchanges().at(-1)).toMatchObject({
    request: { body: new Uint8Array([1, 2]) },
    answer: { status: 200 },
  });
});

test('a route is found by method, path, query and scope', () => {
  const needs = requireScopes((scope) => ({ status: 403, json: scope }));
  const routes: Routes<string, { readonly scopes: readonly string[] }> = {
    'GET /items': (state) => okResponse(state),
    'GET /items/:id': (_, { params }) => okResponse(params),
    'POST /items?action=close': needs(['write'], () => okResponse('closed')),
  };
  const route = createRouter(routes);
  const ask = (method: string, address: string, scopes: readonly string[] = []) => {
    const { pathname: path, searchParams: query } = new URL(address, 'http://127.0.0.1');
    return route('state', { method, path, query, headers: {}, body: undefined }, { scopes });
  };
  expect(ask('GET', '/items')).toEqual(okResponse('state'));
  expect(ask('GET', '/items/a%2Fb')).toEqual(okResponse({ id: 'a/b' }));
  expect(ask('GET', '/items/1/more')).toBeNull();
  expect(ask('POST', '/items', ['write'])).toBeNull();
  expect(ask('POST', '/items?action=close')).toEqual({ status: 403, json: 'write' });
  expect(ask('POST', '/items?action=close', ['write'])).toEqual(okResponse('closed'));
});
