import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import type { OutboundOutcome } from '@switchboard/domain/ports';
import { circuitBreakers } from './circuit-breakers.js';
import { serveHttp, serveRaw, type TestServer } from './testing/servers.js';
import { undiciOutbound } from './undici-outbound.js';

const answered = (status: number): OutboundOutcome => ({
  kind: 'answered',
  status,
  headers: {},
  body: new Uint8Array(),
});
const ORIGIN = 'https://shop.example.com';

function scene() {
  let nowMs = 0;
  const changes: string[] = [];
  const all = circuitBreakers({
    nowMs: () => nowMs,
    breakerOpenMs: 10_000,
    onChange: (origin, state) => changes.push(`${origin} ${state}`),
  });
  const ask = (outcome: OutboundOutcome, origin = ORIGIN): 'sent' | number => {
    const passed = all.acquire(origin);
    if (passed.kind === 'refused') return passed.retryAfterSeconds;
    passed.settle(outcome);
    return 'sent';
  };
  return { all, ask, changes, wait: (ms: number) => (nowMs += ms) };
}
const times = (count: number, act: () => unknown) => Array.from({ length: count }, act);

describe('a server', () => {
  test.each<[string, OutboundOutcome]>([
    ['answers 500', answered(500)],
    ['answers 503', answered(503)],
    ['cannot be connected to', { kind: 'not_sent', reason: 'connect' }],
    ['has no name', { kind: 'not_sent', reason: 'dns' }],
    ['has an invalid certificate', { kind: 'not_sent', reason: 'tls' }],
    ['says nothing', { kind: 'unknown', reason: 'timeout' }],
    ['hangs up', { kind: 'unknown', reason: 'reset' }],
    ['stops half-way', { kind: 'unknown', reason: 'truncated' }],
    ['speaks no HTTP', { kind: 'unknown', reason: 'protocol' }],
  ])('that %s five times in a row opens the circuit', (_what, outcome) => {
    const { ask, changes } = scene();
    expect(times(5, () => ask(outcome))).toEqual(times(5, () => 'sent'));
    expect(ask(answered(200))).toBe(10);
    expect(changes).toEqual([`${ORIGIN} open`]);
    expect(ask(answered(200), 'https://other.example.com')).toBe('sent');
  });

  test.each<[string, OutboundOutcome]>([
    ['refuses', answered(404)],
    ['asks for time', answered(429)],
    ['says too much', { kind: 'unknown', reason: 'too_large' }],
    ['was not waited for', { kind: 'unknown', reason: 'aborted' }],
    ['is not allowed', { kind: 'not_sent', reason: 'address_refused' }],
  ])('that %s stays healthy', (_what, outcome) => {
    const { ask } = scene();
    expect(times(50, () => ask(outcome))).toEqual(times(50, () => 'sent'));
  });

  test('that responds occasionally keeps the circuit closed', () => {
    const { ask } = scene();
    for (const status of [500, 500, 500, 500, 200, 500, 500, 500, 500, 404, 500, 500]) {
      expect(ask(answered(status))).toBe('sent');
    }
  });
});

describe('after the open time', () => {
  test('one request probes the server, and the others wait for its outcome', () => {
    const { all, wait, ask, changes } = scene();
    times(5, () => ask(answered(500)));
    wait(9_999);
    expect(ask(answered(200))).toBe(1);
    wait(1);
    const probe = all.acquire(ORIGIN);
    expect(probe.kind).toBe('passed');
    expect(times(3, () => ask(answered(200)))).toEqual([1, 1, 1]);
    if (probe.kind === 'passed') probe.settle(answered(200));
    expect(times(3, () => ask(answered(200)))).toEqual(times(3, () => 'sent'));
    expect(changes).toEqual([`${ORIGIN} open`, `${ORIGIN} closed`]);
  });

  test('a failing probe opens the circuit again', () => {
    const { wait, ask } = scene();
    times(5, () => ask(answered(500)));
    wait(10_000);
    expect(ask(answered(502))).toBe('sent');
    expect(ask(answered(200))).toBe(10);
  });

  test('an aborted probe leaves the next probe to another request', () => {
    const { wait, ask } = scene();
    times(5, () => ask(answered(500)));
    wait(10_000);
    expect(ask({ kind: 'unknown', reason: 'aborted' })).toBe('sent');
    expect(ask(answered(200))).toBe('sent');
    expect(ask(answered(200))).toBe('sent');
  });

  test('requests in flight when the circuit opened do not extend the open time', () => {
    const { all, wait, ask } = scene();
    const late = times(6, () => all.acquire(ORIGIN));
    times(5, () => ask(answered(500)));
    wait(9_000);
    for (const passed of late as ReturnType<typeof all.acquire>[])
      if (passed.kind === 'passed') passed.settle({ kind: 'unknown', reason: 'timeout' });
    wait(1_000);
    expect(ask(answered(200))).toBe('sent');
  });
});

describe('over the wire', () => {
  const watched: string[] = [];
  const outboundOf = (breakerOpenMs: number) =>
    undiciOutbound({
      allowPrivateHosts: ['127.0.0.1'],
      userAgent: 'test',
      breakerOpenMs,
      observer: {
        onRequest: () => undefined,
        onCircuitChange: (origin, state) => watched.push(`${origin} ${state}`),
      },
    });
  // Open for longer than a test takes.
  const outbound = outboundOf(600_000);
  let servers: TestServer[] = [];
  afterEach(async () => {
    await Promise.all(servers.map((server) => server.close()));
    servers = [];
  });
  afterAll(() => outbound.close());
  const keep = (server: TestServer) => {
    servers.push(server);
    return server;
  };
  const post = (url: string, deadlineSeconds = 5) =>
    outbound.request({ method: 'POST', url, body: '{}', deadlineSeconds });

  test('a refused request was not sent, an unknown outcome stays unknown, and other servers are unaffected', async () => {
    let asked = 0;
    const ill = keep(
      await serveRaw((socket) => {
        asked += 1;
        socket.destroy();
      }),
    );
    const well = keep(await serveHttp((_request, response) => response.end('{}')));
    for (let call = 0; call < 5; call += 1)
      expect(await post(ill.url)).toEqual({ kind: 'unknown', reason: 'reset' });
    expect(await post(ill.url)).toEqual({ kind: 'not_sent', reason: 'circuit_open', retryAfterSeconds: 600 });
    expect(asked).toBe(5);
    for (let call = 0; call < 10; call += 1)
      expect(await post(well.url)).toMatchObject({ kind: 'answered', status: 200 });
    expect(watched).toContain(`${new URL(ill.url).origin} open`);
  });

  test('a hanging server no longer delays its callers once its circuit is open', async () => {
    let asked = 0;
    const hanging = keep(await serveRaw(() => void (asked += 1)));
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => post(hanging.url, 0.2)));
    expect(outcomes.map(({ kind }) => kind)).toEqual(Array.from({ length: 5 }, () => 'unknown'));
    const before = asked;
    // A request that was sent would wait for a response that never comes.
    expect(await post(hanging.url, 5)).toMatchObject({ kind: 'not_sent', reason: 'circuit_open' });
    expect(asked).toBe(before);
  });

  test('a library’s own calls share the circuit of their server, and are counted', async () => {
    const counted: string[] = [];
    const counting = undiciOutbound({
      allowPrivateHosts: ['127.0.0.1'],
      userAgent: 'test',
      observer: {
        onRequest: ({ platform, outcome }) =>
          counted.push(`${platform} ${outcome.kind === 'answered' ? outcome.status : outcome.reason}`),
        onCircuitChange: () => undefined,
      },
    });
    const ill = keep(await serveHttp((_request, response) => response.writeHead(500).end()));
    const call = { platform: 'acme', origin: new URL(ill.url).origin };
    let made = 0;
    const guardCall = (outcome: OutboundOutcome) =>
      counting.guardCall(call, async () => ({ value: (made += 1), outcome }));
    expect(await guardCall(answered(200))).toEqual({ kind: 'acted', value: 1 });
    for (let time = 0; time < 5; time += 1) await guardCall({ kind: 'unknown', reason: 'reset' });
    expect(await guardCall(answered(200))).toEqual({ kind: 'not_sent', retryAfterSeconds: 10 });
    expect(await counting.request({ method: 'GET', url: ill.url })).toMatchObject({ reason: 'circuit_open' });
    expect(made).toBe(6);
    expect(counted).toEqual([
      'acme 200',
      ...Array.from({ length: 5 }, () => 'acme reset'),
      'acme circuit_open',
      'null circuit_open',
    ]);
    await expect(
      counting.guardCall({ ...call, origin: 'https://other.example' }, () =>
        Promise.reject(new Error('a bug')),
      ),
    ).rejects.toThrow('a bug');
    await counting.close();
  });

  test('a recovered server is used again', async () => {
    let [well, asked] = [false, 0];
    const server = keep(
      await serveHttp((_request, response) => {
        asked += 1;
        response.writeHead(well ? 200 : 503).end('{}');
      }),
    );
    const recovering = outboundOf(300);
    const again = () => recovering.request({ method: 'POST', url: server.url, body: '{}' });
    for (let call = 0; call < 5; call += 1) await again();
    well = true;
    let outcome = await again();
    while (outcome.kind === 'not_sent') {
      expect(outcome.reason).toBe('circuit_open');
      await new Promise((resolve) => setTimeout(resolve, 20));
      outcome = await again();
    }
    expect(outcome).toMatchObject({ kind: 'answered', status: 200 });
    expect(asked).toBe(6);
    expect(watched.slice(-1)).toEqual([`${new URL(server.url).origin} closed`]);
    await recovering.close();
  });
});
