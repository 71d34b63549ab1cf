import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { encodeBase62, formatKey } from '@switchboard/domain/access';
import pg from 'pg';
import { queryRows } from './support/database.js';
import { eventually } from './support/eventually.js';
import { connectMcpHttp } from './support/mcp-client.js';
import { openOperator, type Operator } from './support/operator.js';
import { restClient, type RestResponse } from './support/rest-client.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';

const QUOTA = 100;
const WINDOW_SECONDS = 10;
const WINDOWS = Number(process.env['RATE_LIMIT_WINDOWS'] ?? 2);
const CLIENTS = 8;
const FAILURES = 40;
/** Between two calls of a client: all of them together still send a window's quota in a tenth of the window. */
const PAUSE_MS = 100;
/** `initialize` and `notifications/initialized`. */
const AGENT_CONNECTS = 2;

let switchboard: Switchboard;
let operator: Operator;
let urls: readonly string[];
beforeAll(async () => {
  const limits = {
    SWITCHBOARD_RATE_LIMIT: `${QUOTA}/${WINDOW_SECONDS}s`,
    SWITCHBOARD_UNAUTHENTICATED_RATE_LIMIT: String(FAILURES),
    SWITCHBOARD_TRUSTED_PROXIES: 'loopback',
  };
  switchboard = await serveSwitchboard({ name: 'rate_limit', mcp: true, env: limits });
  operator = await openOperator(switchboard);
  const replicas = [await switchboard.startReplica(), await switchboard.startReplica()];
  urls = [switchboard.url, ...replicas.map(({ url }) => url)];
});
afterAll(async () => {
  await operator?.close();
  await switchboard?.stop();
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const numberIn = (answer: RestResponse, header: string, name: string) =>
  Number(new RegExp(`;${name}=(\\d+)`).exec(answer.headers.get(header) ?? '')?.[1]);

/** The windows that responses name, by the clock of the process that sent them, with their numbers. */
function windowsOf(
  answers: readonly RestResponse[],
): readonly { readonly endSeconds: number; count: number }[] {
  const windows: { readonly endSeconds: number; count: number }[] = [];
  for (const answer of answers) {
    const seconds = Date.parse(answer.headers.get('date') ?? '') / 1000 + numberIn(answer, 'ratelimit', 't');
    if (Number.isNaN(seconds)) throw new Error(`A response names no window: ${answer.status} ${answer.text}`);
    // Both numbers are whole seconds, and windows end at least their length apart.
    const known = windows.find(({ endSeconds }) => Math.abs(endSeconds - seconds) < WINDOW_SECONDS / 2);
    if (known) known.count += 1;
    else windows.push({ endSeconds: seconds, count: 1 });
  }
  return windows;
}

test(`a quota of ${QUOTA} in ${WINDOW_SECONDS} s holds over four processes, REST and MCP, and no other key is affected`, async () => {
  const key = await operator.createKey({ scopes: ['posts:read'] });
  const quiet = await operator.createKey({ scopes: ['posts:read'] });
  const accepted: RestResponse[] = [];
  const refused: RestResponse[] = [];
  let acceptedOverMcp = 0;
  let isOver = false;
  const overRest = async (client: number) => {
    const rest = restClient(urls[client % urls.length] ?? '', key.token);
    while (!isOver) {
      const answer = await rest.get('/social/posts');
      (answer.status === 200 ? accepted : refused).push(answer);
      await pause(PAUSE_MS);
    }
  };
  const agent = await connectMcpHttp(switchboard, key.token);
  const overMcp = async () => {
    while (!isOver) {
      const { isError, json } = await agent.call('list_posts');
      if (isError)
        expect(json).toMatchObject({ code: 'rate_limit.exceeded', retryable: true, effect: 'none' });
      else acceptedOverMcp += 1;
      await pause(PAUSE_MS);
    }
  };
  const others: RestResponse[] = [];
  const waitUntilUnlimited = async () => {
    const rest = restClient(urls[0] ?? '', quiet.token);
    while (!isOver) {
      others.push(await rest.get('/social/posts'));
      await pause(500);
    }
  };
  const all = [
    ...Array.from({ length: CLIENTS }, (_, client) => overRest(client)),
    overMcp(),
    waitUntilUnlimited(),
  ];
  // A window with a rejection is exhausted, however long that takes.
  await eventually('the quotas of several windows are exhausted', async () =>
    windowsOf(refused).length > WINDOWS ? true : null,
  );
  isOver = true;
  await Promise.all(all);
  await agent.close();

  const windows = windowsOf(accepted);
  for (const { count } of windows) expect(count).toBeLessThanOrEqual(QUOTA + 5);
  const granted = accepted.length + acceptedOverMcp;
  // The last window ends with its first rejection, when other processes may still have a part of the quota. The
  // messages with which the agent connects count as well.
  expect(granted).toBeGreaterThanOrEqual(WINDOWS * QUOTA - AGENT_CONNECTS);
  expect(granted).toBeLessThanOrEqual(windows.length * (QUOTA + 5));
  expect(refused.length).toBeGreaterThan(QUOTA);
  for (const answer of refused) {
    const seconds = numberIn(answer, 'ratelimit', 't');
    expect(answer).toMatchObject({
      status: 429,
      json: { code: 'rate_limit.exceeded', title: 'Too many requests' },
    });
    expect(answer.headers.get('ratelimit-policy')).toBe(`"key";q=${QUOTA};w=${WINDOW_SECONDS}`);
    expect(numberIn(answer, 'ratelimit', 'r')).toBe(0);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(seconds);
    expect(answer.json['retry_after_seconds']).toBe(Number(answer.headers.get('retry-after')));
  }
  expect(new Set(others.map(({ status }) => status))).toEqual(new Set([200]));
  const [{ count } = { count: 0 }] = await queryRows<{ count: number }>(
    switchboard.databaseUrl,
    `SELECT count(*)::int AS count FROM audit_rows WHERE outcome = 'rate_limit.exceeded'`,
  );
  expect(count).toBeLessThanOrEqual(4 * (WINDOWS + 1));
});

test('the keys that a key creates share its quota over REST, MCP and all processes (finding 5)', async () => {
  const root = await operator.createKey({ scopes: ['keys:admin', 'posts:read'] });
  const asRoot = restClient(urls[0] ?? '', root.token);
  const tokens: string[] = [];
  const answers: RestResponse[] = [];
  for (let n = 0; n < 10; n++) {
    // Each key creates the next one.
    const creator = n === 0 ? asRoot : restClient(urls[n % urls.length] ?? '', tokens.at(-1) ?? '');
    const body = { name: `child ${n}`, scopes: n < 7 ? ['keys:admin', 'posts:read'] : ['posts:read'] };
    const made = await (n < 8 ? creator : asRoot).post('/keys', body);
    expect(made.status).toBe(201);
    tokens.push(String(made.json['secret']));
    answers.push(made);
  }
  const statuses = await Promise.all(
    tokens.flatMap((token, n) =>
      Array.from({ length: 15 }, async (_, at) => {
        if (at > 2) {
          const answer = await restClient(urls[(n + at) % urls.length] ?? '', token).get('/social/posts');
          answers.push(answer);
          return answer.status;
        }
        const response = await fetch(switchboard.mcpUrl, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
        });
        await response.text();
        return response.status;
      }),
    ),
  );
  const left = QUOTA - tokens.length;
  const granted = statuses.filter((status) => status === 200).length;
  // On a slow machine, the calls take more than one window.
  expect(granted).toBeLessThanOrEqual(windowsOf(answers).length * QUOTA - tokens.length);
  // A process without further requests keeps its unused lease of the quota: at most a tenth of what was left.
  expect(granted).toBeGreaterThan(left - (urls.length + 1) * 5);
  expect(statuses.filter((status) => status === 429)).toHaveLength(statuses.length - granted);
});

test('a rotated key continues with the remaining quota of its lineage', async () => {
  const made = await operator.createKey({ scopes: ['keys:admin'] });
  const first = restClient(urls[0] ?? '', made.token);
  const rotated = await first.expect(201, 'POST', `/keys/${made.id}/rotate`, {
    body: { overlap_seconds: 60 },
  });
  const second = restClient(urls[0] ?? '', String(rotated['secret']));
  const [a, b] = [await first.get('/me'), await second.get('/me')];
  expect(numberIn(b, 'ratelimit', 'r')).toBe(numberIn(a, 'ratelimit', 'r') - 1);
});

test('rate limit headers are set on other errors too, and not on unauthenticated responses', async () => {
  const key = await operator.createKey({ scopes: ['posts:read'] });
  const rest = restClient(urls[1] ?? '', key.token);
  for (const [path, status] of [
    ['/profiles', 403],
    ['/social/posts?nothing=1', 400],
    ['/social/posts/pst_none', 404],
  ] as const) {
    const answer = await rest.get(path);
    expect([answer.status, answer.headers.has('ratelimit'), answer.headers.has('ratelimit-policy')]).toEqual([
      status,
      true,
      true,
    ]);
  }
  const unauthenticated = await restClient(urls[1] ?? '', null).get('/me');
  expect([unauthenticated.status, unauthenticated.headers.has('ratelimit')]).toEqual([401, false]);
});

describe('while the request counter is unreachable', () => {
  test('reads continue, refunds and key changes are delayed, and both recover automatically', async () => {
    const key = await operator.createKey({
      scopes: ['posts:read', 'orders:read', 'refunds:write', 'keys:admin'],
    });
    const rest = restClient(urls[2] ?? '', key.token);
    const refund = () => rest.post('/ecommerce/orders/ord_none/refund', { full: true });
    expect((await refund()).status).toBe(404);
    const lock = new pg.Client({ connectionString: switchboard.databaseUrl });
    await lock.connect();
    try {
      await lock.query('BEGIN');
      await lock.query('LOCK TABLE rate_limits IN ACCESS EXCLUSIVE MODE');
      // The previously leased quota is used first.
      await eventually('the process counts locally', async () =>
        (await refund()).status === 503 ? true : null,
      );
      expect((await refund()).json).toMatchObject({
        code: 'service.unavailable',
        effect: 'none',
        retryable: true,
      });
      expect((await rest.post('/keys', { name: 'x', scopes: ['posts:read'] })).status).toBe(503);
      expect((await rest.get('/social/posts')).status).toBe(200);
      expect((await rest.get('/keys')).status).toBe(200);
    } finally {
      await lock.query('ROLLBACK');
      await lock.end();
    }
    await eventually('it uses the shared counter again', async () =>
      (await refund()).status === 404 ? true : null,
    );
  });
});

describe('an unauthenticated address', () => {
  const from = (address: string, key: string | null) =>
    restClient(urls[1] ?? '', key).sendRequest('GET', '/me', { headers: { 'x-forwarded-for': address } });

  test('is throttled after too many failed guesses, while valid keys from it are still accepted (finding 12)', async () => {
    const good = await operator.createKey({ scopes: ['posts:read'] });
    const late = await operator.createKey({ scopes: ['posts:read'] });
    expect((await from('198.51.100.7', good.token)).status).toBe(200);
    const statuses: number[] = [];
    for (let at = 0; at < FAILURES + 5; at++)
      statuses.push((await from('198.51.100.7', `${good.token}x`)).status);
    expect(statuses).toEqual([...Array<number>(FAILURES).fill(401), ...Array<number>(5).fill(429)]);
    const refused = await from('198.51.100.7', null);
    expect(refused).toMatchObject({ status: 429, json: { code: 'rate_limit.exceeded' } });
    expect(Number(refused.headers.get('retry-after'))).toBe(refused.json['retry_after_seconds']);
    const unknown = formatKey('0'.repeat(12), 'A'.repeat(43));
    expect((await from('198.51.100.7', unknown)).status).toBe(429);
    // The process has not seen the second key before.
    expect((await from('198.51.100.7', good.token)).status).toBe(200);
    expect((await from('198.51.100.7', late.token)).status).toBe(200);
    expect((await from('198.51.100.8', late.token)).status).toBe(200);
  });

  test('in IPv6 is the /64 prefix assigned to a sender', async () => {
    for (let at = 0; at < FAILURES; at++) await from(`2001:db8::${at.toString(16)}`, null);
    expect((await from('2001:db8::ffff', null)).status).toBe(429);
    expect((await from('2001:db8:0:1::1', null)).status).toBe(401);
  });
});

describe('behind an untrusted proxy, where all callers share one address (finding 12)', () => {
  const random = (length: number) => encodeBase62(randomBytes(4 * length), length) ?? '';
  const guess = () => formatKey(random(12), random(43));
  let untrusting: string;
  beforeAll(async () => {
    untrusting = (await switchboard.startReplica({ SWITCHBOARD_TRUSTED_PROXIES: '' })).url;
  });
  const me = async (key: string) => (await restClient(untrusting, key).get('/me')).status;

  test('valid keys that the process has not seen are accepted during a flood of guesses', async () => {
    let isOver = false;
    const wrongKeys = new Map<number, number>();
    const floodRequests = Array.from({ length: 40 }, async () => {
      while (!isOver) {
        const status = await me(guess());
        wrongKeys.set(status, (wrongKeys.get(status) ?? 0) + 1);
      }
    });
    try {
      await eventually('guesses are rejected', async () => ((wrongKeys.get(429) ?? 0) > 500 ? true : null));
      for (let n = 0; n < 10; n++) {
        const key = await operator.createKey({ scopes: ['posts:read'] });
        expect(await me(key.token)).toBe(200);
      }
    } finally {
      isOver = true;
      await Promise.all(floodRequests);
    }
    expect([...wrongKeys.keys()].sort()).toEqual([401, 429]);
    expect(wrongKeys.get(401)).toBe(FAILURES);
  });

  test('guesses use at most one database connection, however slow it is, and all other calls continue', async () => {
    const seen = await operator.createKey({ scopes: ['posts:read'] });
    expect(await me(seen.token)).toBe(200);
    const lock = new pg.Client({ connectionString: switchboard.databaseUrl });
    await lock.connect();
    let guesses: Promise<readonly number[]>;
    try {
      await lock.query('BEGIN');
      await lock.query('LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE');
      guesses = Promise.all(Array.from({ length: 200 }, () => me(guess())));
      const blocked = async () => {
        const [row] = await queryRows<{ count: number }>(
          switchboard.databaseUrl,
          `SELECT count(*)::int AS count FROM pg_stat_activity
           WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%public_id = %'`,
        );
        return Number(row?.count);
      };
      await eventually('a guess is being looked up', async () => ((await blocked()) > 0 ? true : null));
      await pause(500);
      expect(await blocked()).toBe(1);
      expect((await fetch(new URL('/readyz', untrusting))).status).toBe(200);
    } finally {
      await lock.query('ROLLBACK');
      await lock.end();
    }
    for (const status of await guesses) expect([401, 429]).toContain(status);
  });
});
