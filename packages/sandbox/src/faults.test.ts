import { request as openRequest } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { FaultKind } from './faults.js';
import { FAULT_KINDS } from './faults.js';
import type { Sandbox } from './sandbox.js';
import { startSandbox } from './sandbox.js';
import type { TokenSet } from './testing/test-client.js';
import { testClient } from './testing/test-client.js';

let sandbox: Sandbox;
let client: ReturnType<typeof testClient>;
let maren: TokenSet;

beforeAll(async () => {
  sandbox = await startSandbox();
  client = testClient(fetch, sandbox.url, 'social');
  maren = await client.connect('maren-holt');
});
beforeEach(() => void sandbox.faults.clear());
afterAll(() => sandbox.close());

/** Everything that a client observes of a response, including how it ended. */
interface Seen {
  status?: number;
  headers: Record<string, unknown>;
  bytes: Buffer;
  ended: 'whole' | 'cut' | 'reset' | 'silence';
}

function post(reference: string, waitMs = 400): Promise<Seen> {
  return new Promise((resolve) => {
    const seen: Seen = { headers: {}, bytes: Buffer.alloc(0), ended: 'silence' };
    const chunks: Buffer[] = [];
    const finish = (ended: Seen['ended']) => {
      clearTimeout(timer);
      resolve({ ...seen, bytes: Buffer.concat(chunks), ended });
      sent.destroy();
    };
    const sent = openRequest(
      `${sandbox.url}/social/api/posts`,
      {
        method: 'POST',
        agent: false,
        headers: { authorization: `Bearer ${maren.access_token}`, 'content-type': 'application/json' },
      },
      (response) => {
        seen.status = response.statusCode ?? 0;
        seen.headers = response.headers;
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => finish('whole'));
        response.on('error', () => finish('cut'));
      },
    );
    const timer = setTimeout(() => finish('silence'), waitMs);
    sent.on('error', (error: NodeJS.ErrnoException) => finish(error.code === 'ECONNRESET' ? 'reset' : 'cut'));
    sent.end(JSON.stringify({ text: `Fault ${reference}`, client_ref: reference }));
  });
}

const effects = (reference: string) => sandbox.ledger.entries({ effect: 'post.created', reference }).length;
const parse = ({ bytes }: Seen) => JSON.parse(bytes.toString()) as Record<string, unknown>;

const SHOWN: Readonly<Record<FaultKind, { effects: 0 | 1; ended: Seen['ended']; status?: number }>> = {
  delay: { effects: 1, ended: 'whole', status: 201 },
  'delay-after-effect': { effects: 1, ended: 'whole', status: 201 },
  hang: { effects: 0, ended: 'silence' },
  'hang-after-effect': { effects: 1, ended: 'silence' },
  'reset-before-effect': { effects: 0, ended: 'reset' },
  'reset-after-effect': { effects: 1, ended: 'reset' },
  '500-before': { effects: 0, ended: 'whole', status: 500 },
  '500-after': { effects: 1, ended: 'whole', status: 500 },
  '2xx-truncated': { effects: 1, ended: 'cut', status: 201 },
  '2xx-no-id': { effects: 1, ended: 'whole', status: 201 },
  '429': { effects: 0, ended: 'whole', status: 429 },
  '403': { effects: 0, ended: 'whole', status: 403 },
  garbage: { effects: 1, ended: 'whole', status: 201 },
  'slow-drip': { effects: 1, ended: 'silence', status: 201 },
  huge: { effects: 1, ended: 'whole', status: 201 },
  redirect: { effects: 0, ended: 'whole', status: 307 },
  'strange-words': { effects: 1, ended: 'whole', status: 201 },
};

test.each(FAULT_KINDS)('%s has the documented effect and response, and applies once', async (kind) => {
  const match = { method: 'POST', path_prefix: '/api/posts' };
  sandbox.faults.add({ platform: 'social', kind, match, ...(kind.startsWith('delay') && { delay_ms: 50 }) });
  const seen = await post(`struck ${kind}`, kind === 'huge' ? 20_000 : 400);
  const shown = SHOWN[kind];
  expect({ ended: seen.ended, status: seen.status }).toEqual({ ended: shown.ended, status: shown.status });
  expect(effects(`struck ${kind}`)).toBe(shown.effects);
  expect(sandbox.faults.list()).toEqual([]);
  expect((await post(`after ${kind}`)).status).toBe(201);
  expect(effects(`after ${kind}`)).toBe(1);
});

test('delays the effect as well as the response', async () => {
  sandbox.faults.add({ platform: 'social', kind: 'delay', delay_ms: 300 });
  const reply = post('late', 2000);
  await new Promise((waited) => setTimeout(waited, 100));
  expect(effects('late')).toBe(0);
  expect((await reply).status).toBe(201);
});

test('delays only the response', async () => {
  sandbox.faults.add({ platform: 'social', kind: 'delay-after-effect', delay_ms: 300 });
  const startedMs = performance.now();
  const reply = post('late response', 2000);
  await new Promise((waited) => setTimeout(waited, 100));
  expect(effects('late response')).toBe(1);
  expect((await reply).status).toBe(201);
  expect(performance.now() - startedMs).toBeGreaterThan(290);
});

test('truncates at half of the announced length', async () => {
  sandbox.faults.add({ platform: 'social', kind: '2xx-truncated' });
  const seen = await post('half');
  expect(seen.bytes.length).toBe(Math.floor(Number(seen.headers['content-length']) / 2));
});

test('replaces free-text fields only', async () => {
  sandbox.faults.add({ platform: 'social', kind: 'strange-words', words: 'Obey me' });
  const body = parse(await post('strange'));
  expect(body).toMatchObject({ text: 'Obey me', client_ref: 'strange' });
});

test('removes only the ID from a response without ID', async () => {
  sandbox.faults.add({ platform: 'social', kind: '2xx-no-id' });
  const body = parse(await post('nameless'));
  expect(body).toMatchObject({ client_ref: 'nameless' });
  expect(body).not.toHaveProperty('id');
});

test('returns 429 with Retry-After and 5xx as configured', async () => {
  sandbox.faults.add({ platform: 'social', kind: '429', retry_after: 7 });
  expect((await post('slow down')).headers['retry-after']).toBe('7');
  sandbox.faults.add({ platform: 'social', kind: '500-before', status: 503 });
  expect((await post('unavailable')).status).toBe(503);
});

test('announces JSON and sends other bytes as garbage', async () => {
  sandbox.faults.add({ platform: 'social', kind: 'garbage' });
  const seen = await post('garbled');
  expect(seen.headers['content-type']).toBe('application/json');
  expect(() => parse(seen)).toThrow();
});

test('sends a correct response byte by byte', async () => {
  sandbox.faults.add({ platform: 'social', kind: 'slow-drip', delay_ms: 1 });
  expect(parse(await post('dripped', 5000))).toMatchObject({ client_ref: 'dripped' });
});

test('pads a correct response to more than 64 MiB', async () => {
  sandbox.faults.add({ platform: 'social', kind: 'huge' });
  const seen = await post('huge', 20_000);
  expect(seen.bytes.length).toBeGreaterThan(64 * 1024 * 1024);
  expect(parse(seen)).toMatchObject({ client_ref: 'huge' });
});

test('redirects to a location that records followers', async () => {
  sandbox.faults.add({ platform: 'social', kind: 'redirect' });
  const seen = await post('sent away');
  expect(seen.headers['location']).toBe(`${sandbox.url}/_elsewhere`);
  await fetch(`${sandbox.url}/_elsewhere`, { method: 'POST' });
  expect(sandbox.requests().at(-1)).toMatchObject({ path: '/_elsewhere', status: 200 });
});

test('applies only to matching requests, after the configured number of skips, as often as configured', async () => {
  sandbox.faults.add({ platform: 'store', kind: '500-before', times: null });
  sandbox.faults.add({ platform: 'social', kind: '500-before', match: { method: 'DELETE' }, times: null });
  sandbox.faults.add({
    platform: 'social',
    kind: '500-before',
    match: { account: 'lumen-coffee' },
    times: null,
  });
  sandbox.faults.add({ platform: 'social', kind: '500-before', match: { token: 'another' }, times: null });
  sandbox.faults.add({
    platform: 'social',
    kind: '429',
    match: { token: maren.access_token },
    after: 1,
    times: 2,
  });
  const statuses: (number | undefined)[] = [];
  for (let index = 0; index < 4; index++) statuses.push((await post(`counted ${index}`)).status);
  expect(statuses).toEqual([201, 429, 429, 201]);
});

test('applies to the one post whose body contains the text', async () => {
  sandbox.faults.add({ platform: 'social', kind: '429', match: { body: '"Fault one of many"' } });
  const statuses = [await post('one'), await post('one of many'), await post('one of many')];
  expect(statuses.map(({ status }) => status)).toEqual([201, 429, 201]);
});

test('applies to the token endpoint too: the tokens exist, and no client received them', async () => {
  const before = sandbox.ledger.entries({ effect: 'token.issued' }).length;
  sandbox.faults.add({
    platform: 'social',
    kind: 'reset-after-effect',
    match: { path_prefix: '/oauth/token' },
  });
  await expect(client.refresh(maren.refresh_token)).rejects.toThrow();
  expect(sandbox.ledger.entries({ effect: 'token.issued' })).toHaveLength(before + 1);
  maren = await client.connect('maren-holt');
});
