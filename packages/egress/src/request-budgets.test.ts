import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import type { OutboundBudget } from '@switchboard/domain/ports';
import { serveHttp, type RequestHandler, type TestServer } from './testing/servers.js';
import { requestBudgets } from './request-budgets.js';
import { undiciOutbound } from './undici-outbound.js';

const outbound = undiciOutbound({
  allowPrivateHosts: ['127.0.0.1'],
  userAgent: 'test',
  queueTimeoutMs: 300,
  concurrencyTimeoutMs: 1_000,
});
let servers: TestServer[] = [];
afterAll(() => outbound.close());
afterEach(async () => {
  await Promise.all(servers.map((server) => server.close()));
  servers = [];
});
const serve = async (answer: RequestHandler) => {
  const server = await serveHttp(answer);
  servers.push(server);
  return server;
};

let accounts = 0;
const account = (over: Partial<OutboundBudget> = {}): OutboundBudget => ({
  key: `account ${(accounts += 1)}`,
  platform: 'some',
  concurrent: 4,
  perMinute: null,
  ...over,
});
const ask = (url: string, budget: OutboundBudget, method: 'GET' | 'POST' = 'GET', signal?: AbortSignal) =>
  outbound.request({ method, url, budget, signal, pool: 'tests' });
const soon = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A server that counts requests and delays every response. */
async function busyServer(ms: number) {
  const seen = { now: 0, most: 0, all: 0 };
  const server = await serve((_request, response) => {
    seen.all += 1;
    seen.most = Math.max(seen.most, (seen.now += 1));
    setTimeout(() => {
      seen.now -= 1;
      response.end('{}');
    }, ms);
  });
  return { url: server.url, seen };
}

describe('an account', () => {
  test('has a limited number of concurrent requests; the others wait', async () => {
    const { url, seen } = await busyServer(30);
    const patient = undiciOutbound({
      allowPrivateHosts: ['127.0.0.1'],
      userAgent: 'test',
      concurrencyTimeoutMs: 600_000,
    });
    const budget = account({ concurrent: 3 });
    const send = () => patient.request({ method: 'GET', url, budget, pool: 'tests' });
    const outcomes = await Promise.all(Array.from({ length: 12 }, send));
    expect(outcomes.map(({ kind }) => kind)).toEqual(Array.from({ length: 12 }, () => 'answered'));
    expect(seen).toMatchObject({ most: 3, all: 12 });
    await patient.close();
  });

  test('whose wait exceeds the limit has not sent the request', async () => {
    const { url, seen } = await busyServer(1_800);
    const mine = account({ concurrent: 1 });
    const outcomes = await Promise.all([ask(url, mine, 'POST'), ask(url, mine, 'POST')]);
    expect(outcomes).toMatchObject([
      { kind: 'answered' },
      { kind: 'not_sent', reason: 'over_budget', retryAfterSeconds: 1 },
    ]);
    expect(seen.all).toBe(1);
  });

  test('does not wait for another one', async () => {
    const { url, seen } = await busyServer(200);
    const accountsOfMany = Array.from({ length: 20 }, () => account({ concurrent: 1 }));
    const outcomes = await Promise.all(accountsOfMany.map((each) => ask(url, each)));
    expect(outcomes.every(({ kind }) => kind === 'answered')).toBe(true);
    expect(seen.most).toBe(20);
  });

  test('that stops waiting frees its place, and sends nothing', async () => {
    const { url, seen } = await busyServer(100);
    const mine = account({ concurrent: 1 });
    const given = new AbortController();
    const first = ask(url, mine);
    const second = ask(url, mine, 'GET', given.signal);
    given.abort();
    expect(await second).toEqual({ kind: 'not_sent', reason: 'aborted' });
    expect(await first).toMatchObject({ kind: 'answered' });
    expect(await ask(url, mine)).toMatchObject({ kind: 'answered' });
    expect(seen.all).toBe(2);
  });
});

describe('a rate that a manifest states', () => {
  test('whose free place was offered to a request that then stops waiting gives it to the next', async () => {
    const { acquire } = requestBudgets({ nowMs: () => performance.now() });
    const budget = account({ concurrent: 1 });
    const first = await acquire(budget, undefined);
    const stopping = new AbortController();
    const stopped = acquire(budget, stopping.signal);
    const next = acquire(budget, undefined);
    if (first.kind === 'entered') first.release({ kind: 'not_sent', reason: 'aborted' });
    stopping.abort();
    expect((await stopped).kind).toBe('aborted');
    expect((await next).kind).toBe('entered');
  });

  test('allows a sixth of a minute’s requests at once and delays the rest', async () => {
    const { url, seen } = await busyServer(0);
    const mine = account({ concurrent: 100, perMinute: 60 });
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => ask(url, mine)));
    const sent = outcomes.filter(({ kind }) => kind === 'answered').length;
    expect(sent).toBeGreaterThanOrEqual(10);
    expect(sent).toBeLessThanOrEqual(12);
    expect(seen.all).toBe(sent);
    expect(outcomes.find(({ kind }) => kind !== 'answered')).toMatchObject({
      reason: 'over_budget',
      retryAfterSeconds: 1,
    });
  });
});

describe('a platform that asks for a delay', () => {
  const refusing = (status: number, retryAfter: string | null, date?: string, resetMs?: string) => {
    let asked = 0;
    return serve((_request, response) => {
      asked += 1;
      if (asked > 1) return response.end('{}');
      response.writeHead(status, {
        ...(retryAfter !== null && { 'retry-after': retryAfter }),
        ...(date !== undefined && { date }),
        ...(resetMs !== undefined && { 'x-rate-limit-time-reset-ms': resetMs }),
      });
      response.end();
    }).then((server) => ({ url: server.url, asked: () => asked }));
  };

  test.each([
    ['a 429', 429, '30', undefined, 30],
    ['a 503 with a time', 503, '30', undefined, 30],
    ['a 429 that says nothing', 429, null, undefined, 60],
    ['a 429 with nonsense', 429, 'soon', undefined, 60],
    ['a 429 with zero', 429, '0', undefined, null],
    [
      'a 429 with a date, by the clock of its server',
      429,
      'Mon, 02 Mar 2026 09:00:40 GMT',
      'Mon, 02 Mar 2026 09:00:00 GMT',
      40,
    ],
    ['a 429 that names a year', 429, '31536000', undefined, 300],
  ])('%s delays every further request of the account', async (_what, status, after, date, seconds) => {
    const { url, asked } = await refusing(status, after, date);
    const mine = account();
    expect(await ask(url, mine)).toMatchObject({ kind: 'answered', status });
    for (const method of ['GET', 'POST'] as const) {
      const outcome = await ask(url, mine, method);
      expect(outcome).toMatchObject({ kind: 'not_sent', reason: 'over_budget' });
      if (outcome.kind !== 'not_sent') continue;
      expect(Math.abs((outcome.retryAfterSeconds ?? 0) - (seconds ?? 1))).toBeLessThanOrEqual(1);
    }
    expect(asked()).toBe(1);
    expect(await ask(url, account())).toMatchObject({ kind: 'answered', status: 200 });
  });

  test.each([
    ['a 429 is waited for', 429, 'over_budget'],
    ['a 503 is not: every answer has it', 503, null],
  ])('the end of a window that %s', async (_what, status, reason) => {
    const { url } = await refusing(status, null, undefined, '20000');
    const mine = account();
    await ask(url, mine);
    const outcome = await ask(url, mine);
    if (reason === null) return expect(outcome).toMatchObject({ kind: 'answered', status: 200 });
    expect(outcome).toMatchObject({ kind: 'not_sent', reason });
    if (outcome.kind === 'not_sent') expect(Math.abs((outcome.retryAfterSeconds ?? 0) - 20)).toBeLessThan(2);
  });

  test('for at most the queue timeout is waited for, and the caller notices nothing', async () => {
    const patient = undiciOutbound({ allowPrivateHosts: ['127.0.0.1'], userAgent: 'test' });
    const { url, asked } = await refusing(429, '1');
    const [mine, began] = [account(), performance.now()];
    await patient.request({ method: 'GET', url, budget: mine });
    expect(await patient.request({ method: 'GET', url, budget: mine })).toMatchObject({ status: 200 });
    expect(performance.now() - began).toBeGreaterThanOrEqual(990);
    expect(asked()).toBe(2);
    await patient.close();
  });

  test('delays queued requests, too', async () => {
    let asked = 0;
    const server = await serve((_request, response) => {
      asked += 1;
      setTimeout(() => response.writeHead(429, { 'retry-after': '60' }).end(), 100);
    });
    const mine = account({ concurrent: 1 });
    const outcomes = await Promise.all([1, 2, 3].map(() => ask(server.url, mine)));
    await soon(50);
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['answered', 'not_sent', 'not_sent']);
    expect(asked).toBe(1);
  });

  test('with a 503 without a time delays no request', async () => {
    const { url } = await refusing(503, null);
    const mine = account();
    await ask(url, mine);
    expect(await ask(url, mine)).toMatchObject({ kind: 'answered', status: 200 });
  });
});
