import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as openRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Sandbox } from './sandbox.js';
import { startSandbox } from './sandbox.js';
import { testClient } from './testing/test-client.js';

let folder: string;
let open: Sandbox[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
  open = [];
});
afterEach(async () => {
  for (const sandbox of open) await sandbox.close();
  rmSync(folder, { recursive: true });
});

async function start(): Promise<Sandbox> {
  const sandbox = await startSandbox({
    ledgerFile: join(folder, 'ledger.jsonl'),
    stateFile: join(folder, 'state.jsonl'),
  });
  open.push(sandbox);
  return sandbox;
}

async function restart(sandbox: Sandbox): Promise<Sandbox> {
  await sandbox.close();
  open = open.filter((other) => other !== sandbox);
  return start();
}

test('restores grants, posts, refunds, settings and the ledger after a restart', async () => {
  const before = await start();
  const social = testClient(fetch, before.url, 'social');
  const store = testClient(fetch, before.url, 'store');
  const [maren, shop] = [await social.connect('maren-holt'), await store.connect('alder-oak')];
  const post = (await (await social.call(maren, 'POST', '/posts', { text: 'Still here' })).json()) as {
    id: string;
  };
  const deleted = (await (await social.call(maren, 'GET', '/posts?limit=1')).json()) as {
    data: { id: string }[];
  };
  expect(deleted.data[0]?.id).toBe(post.id);
  const found = (await (await store.call(shop, 'GET', '/orders?payment_status=paid&limit=100')).json()) as {
    data: { id: string; currency: string; payments: { id: string; online: boolean }[] }[];
  };
  const order = found.data.find((known) => known.payments[0]?.online)!;
  const body = { payment_id: order.payments[0]?.id, amount: 1, currency: order.currency, reference: 'kept' };
  expect((await store.call(shop, 'POST', `/orders/${order.id}/refunds`, body)).status).toBe(201);
  before.control.changeSettings({ access_token_seconds: 60 });
  const entries = before.ledger.entries();

  const after = await restart(before);
  const [socialAgain, storeAgain] = [
    testClient(fetch, after.url, 'social'),
    testClient(fetch, after.url, 'store'),
  ];
  expect(await (await socialAgain.call(maren, 'GET', `/posts/${post.id}`)).json()).toMatchObject({
    text: 'Still here',
  });
  const refunds = (await (await storeAgain.call(shop, 'GET', `/orders/${order.id}/refunds`)).json()) as {
    data: object[];
  };
  expect(refunds.data.at(-1)).toMatchObject({ reference: 'kept' });
  expect(await (await socialAgain.refresh(maren.refresh_token)).json()).toMatchObject({ expires_in: 60 });
  expect(after.ledger.entries().slice(0, entries.length)).toEqual(entries);
  expect(after.ledger.entries().at(-1)).toMatchObject({ seq: entries.length + 1, effect: 'token.issued' });
  expect((await socialAgain.call(maren, 'DELETE', `/posts/${post.id}`)).status).toBe(204);

  const last = await restart(after);
  expect((await testClient(fetch, last.url, 'social').call(maren, 'GET', `/posts/${post.id}`)).status).toBe(
    404,
  );
});

test('stores no token in plain text, neither in its files nor in its request log', async () => {
  const sandbox = await start();
  const client = testClient(fetch, sandbox.url, 'social');
  const tokens = await client.connect('maren-holt');
  await client.call(tokens, 'GET', '/me');
  const stored = ['ledger.jsonl', 'state.jsonl']
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join();
  expect(stored).toContain('maren-holt');
  expect(stored + JSON.stringify(sandbox.requests())).not.toMatch(/sbx_social_(at|rt|code)_/);
});

test('starts although the last lines of its files are torn', async () => {
  const sandbox = await start();
  const tokens = await testClient(fetch, sandbox.url, 'social').connect('maren-holt');
  await sandbox.close();
  open = [];
  for (const file of ['ledger.jsonl', 'state.jsonl']) {
    writeFileSync(join(folder, file), '{"in":"social.tok', { flag: 'a' });
  }
  const again = await start();
  expect(again.ledger.entries()).toHaveLength(1);
  const client = testClient(fetch, again.url, 'social');
  expect((await client.call(tokens, 'GET', '/me')).status).toBe(200);
  await client.call(tokens, 'POST', '/posts', { text: 'Next line' });
  const lines = readFileSync(join(folder, 'ledger.jsonl'), 'utf8').trim().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { seq: number }).seq)).toEqual([1, 2]);
});

test('writes the ledger entry to disk before the response arrives', async () => {
  const sandbox = await start();
  const client = testClient(fetch, sandbox.url, 'social');
  const tokens = await client.connect('maren-holt');
  const post = (await (
    await client.call(tokens, 'POST', '/posts', { text: 'Written', client_ref: 'w1' })
  ).json()) as { id: string };
  expect(readFileSync(join(folder, 'ledger.jsonl'), 'utf8')).toContain(`"id":"${post.id}","reference":"w1"`);
});

test('has no effect after close, even for a delayed request', async () => {
  const sandbox = await start();
  const client = testClient(fetch, sandbox.url, 'social');
  const tokens = await client.connect('maren-holt');
  sandbox.faults.add({ platform: 'social', kind: 'delay', delay_ms: 200 });
  const cut = expect(
    client.call(tokens, 'POST', '/posts', { text: 'Too late', client_ref: 'late' }),
  ).rejects.toThrow();
  await new Promise((waited) => setTimeout(waited, 50));
  await restart(sandbox);
  await cut;
  await new Promise((waited) => setTimeout(waited, 250));
  expect(open[0]?.ledger.entries({ reference: 'late' })).toEqual([]);
});

test('is controlled over HTTP as well as in-process', async () => {
  const sandbox = await start();
  const client = testClient(fetch, sandbox.url, 'social');
  const tokens = await client.connect('maren-holt');
  const control = (method: string, path: string, body?: object) =>
    fetch(`${sandbox.url}/_control${path}`, {
      method,
      ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
    });
  const fault = {
    platform: 'social',
    kind: '429',
    match: { path_prefix: '/social/api/me' },
    times: null,
    retry_after: 3,
  };
  const added = await control('POST', '/faults', fault);
  expect(added.status).toBe(201);
  expect(await added.json()).toMatchObject({ kind: '429', remaining: null });
  expect((await client.call(tokens, 'GET', '/me')).headers.get('retry-after')).toBe('3');
  expect((await control('DELETE', '/faults')).status).toBe(204);
  expect((await client.call(tokens, 'GET', '/me')).status).toBe(200);
  expect(await (await control('POST', '/tokens/expire', {})).json()).toEqual({ expired: 1 });
  expect((await client.call(tokens, 'GET', '/me')).status).toBe(401);
  expect(await (await control('POST', '/grants/revoke', { account: 'maren-holt' })).json()).toEqual({
    revoked: 1,
  });
  const ledger = (await (await control('GET', '/ledger?effect=token.revoked')).json()) as { data: object[] };
  expect(ledger.data).toMatchObject([{ account: 'maren-holt', reason: 'owner' }]);
  const moved = (await (await control('POST', '/clock', { now: '2030-01-01T00:00:00Z' })).json()) as {
    now: string;
  };
  expect(moved.now.startsWith('2030-01-01T00:00')).toBe(true);
  expect((await control('POST', '/settings', { lax_over_refund: 'perhaps' })).status).toBe(422);
  expect((await control('POST', '/faults', { ...fault, kind: 'earthquake' })).status).toBe(422);
});

test('accepts the forms of its page and reports the result', async () => {
  const sandbox = await start();
  const form = (path: string, fields: Record<string, string>) =>
    fetch(`${sandbox.url}/_control${path}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      redirect: 'manual',
    });
  const on = await form('/faults', {
    kind: 'delay',
    target: 'store POST /api/orders',
    times: 'always',
    delay_ms: '10',
  });
  expect([on.status, on.headers.get('location')]).toEqual([303, '/?done=fault']);
  expect(sandbox.faults.list()).toMatchObject([
    {
      platform: 'store',
      kind: 'delay',
      match: { method: 'POST', path_prefix: '/api/orders' },
      remaining: null,
      delay_ms: 10,
    },
  ]);
  await form('/settings', { access_token_seconds: '120', lax_over_refund: 'true', refresh_tokens: 'none' });
  expect(sandbox.control.settings()).toMatchObject({
    access_token_seconds: 120,
    lax_over_refund: true,
    refresh_tokens: 'none',
  });
  expect((await form('/clock', { advance_seconds: '' })).status).toBe(303);
  expect(await (await fetch(`${sandbox.url}/?done=fault`)).text()).toContain('The fault is enabled.');
  expect(await (await fetch(`${sandbox.url}/?done=%3Cb%3E`)).text()).not.toContain('<b>');
});

test('rejects form submissions of other sites and foreign host names', async () => {
  const sandbox = await start();
  const statusWith = (headers: Record<string, string>) =>
    new Promise<number | undefined>((resolve) =>
      openRequest(`${sandbox.url}/_control/faults`, { method: 'DELETE', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).end(),
    );
  expect(await statusWith({ origin: 'https://evil.example' })).toBe(403);
  expect(await statusWith({ 'sec-fetch-site': 'cross-site' })).toBe(403);
  expect(await statusWith({ host: 'evil.example' })).toBe(421);
  expect(await statusWith({ origin: sandbox.url, 'sec-fetch-site': 'same-origin' })).toBe(204);
});

test('leaves the state unchanged when its port is in use: the running sandbox keeps its state', async () => {
  const first = await start();
  const port = Number(new URL(first.url).port);
  const files = { ledgerFile: join(folder, 'ledger.jsonl'), stateFile: join(folder, 'state.jsonl') };
  await expect(startSandbox({ port, ...files })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  const social = testClient(fetch, first.url, 'social');
  const { access_token: token } = await social.connect('maren-holt');

  const after = await restart(first);
  const me = await fetch(`${after.url}/social/api/me`, { headers: { authorization: `Bearer ${token}` } });
  expect(me.status).toBe(200);
});

test('rejects a token that it has lost itself: the installation keeps its name without the state', async () => {
  const statusAfterLoss = async (installation: string) => {
    const first = await startSandbox({ installation: '/srv/one' });
    const tokens = await testClient(fetch, first.url, 'social').connect('maren-holt');
    await first.close();
    const second = await startSandbox({ installation });
    open.push(second);
    return (await testClient(fetch, second.url, 'social').call(tokens, 'GET', '/me')).status;
  };
  expect(await statusAfterLoss('/srv/one')).toBe(401);
  expect(await statusAfterLoss('/srv/two')).toBe(503);
});
