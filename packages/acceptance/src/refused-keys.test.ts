import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { encodeBase62, scopes, formatKey } from '@switchboard/domain/access';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { traceDatabase } from './support/database.js';
import { eventually, leastUntil } from './support/eventually.js';
import { openOperator, type CreatedKey, type Operator } from './support/operator.js';
import { sendRaw } from './support/raw-http.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';

const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PAIRS = Number(process.env['TIMING_PAIRS'] ?? 400);

let switchboard: Switchboard;
let operator: Operator;
let good: CreatedKey;
beforeAll(async () => {
  switchboard = await serveSwitchboard({ name: 'refused_keys', mcp: true });
  operator = await openOperator(switchboard);
  good = await operator.createKey({ scopes });
});
afterAll(async () => {
  await operator?.close();
  await switchboard?.stop();
});

interface ErrorResponse {
  readonly status: number;
  /** Without the request ID. */
  readonly body: string;
  readonly challenge: string | null;
}

type Headers = Readonly<Record<string, string>>;
const wires = {
  REST: (headers: Headers, query = '', body: object = {}) =>
    sendTo(`${switchboard.url}/v1/profiles${query}`, headers, { name: 'never made', ...body }),
  MCP: (headers: Headers, query = '', body: object = {}) =>
    sendTo(
      `${switchboard.mcpUrl}${query}`,
      { accept: 'application/json, text/event-stream', ...headers },
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoami', arguments: {} }, ...body },
    ),
};
async function sendTo(url: string, headers: Headers, body: object): Promise<ErrorResponse> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return {
    status: answer.status,
    body: (await answer.text()).replace(/req_\w+/g, 'req'),
    challenge: answer.headers.get('www-authenticate'),
  };
}
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const random = (length: number) => encodeBase62(randomBytes(4 * length), length) ?? '';

const challenges: Readonly<Record<string, RegExp>> = {
  REST: /^Bearer$/,
  MCP: /^Bearer resource_metadata="[^"]+", error="invalid_token", scope="[^"]+"$/,
};

describe.each(Object.entries(wires))('over %s', (wire, send) => {
  let refusal: ErrorResponse;
  beforeAll(async () => {
    refusal = await send({});
    expect(refusal).toMatchObject({
      status: 401,
      challenge: expect.stringMatching(challenges[wire] ?? /never/),
    });
    expect(JSON.parse(refusal.body)).toMatchObject({ code: 'auth.invalid_key', effect: 'none' });
  });

  test('N01: a key with any one changed character is rejected without a database query, and changes nothing', async () => {
    const before = await traceDatabase(switchboard.databaseUrl);
    const lock = new pg.Client({ connectionString: switchboard.databaseUrl });
    await lock.connect();
    const refused = new Set<number>();
    const changed = [...good.token].map((letter, at) => {
      const other = LETTERS[(LETTERS.indexOf(letter) + 7) % LETTERS.length] ?? '';
      return good.token.slice(0, at) + other + good.token.slice(at + 1);
    });
    expect(changed).toHaveLength(65);
    let all: Promise<readonly ErrorResponse[]>;
    try {
      // Any key lookup blocks from here on.
      await lock.query('BEGIN');
      await lock.query('LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE');
      all = Promise.all(
        changed.map(async (token, at) => {
          const responses = await send(bearer(token));
          refused.add(at);
          return responses;
        }),
      );
      await eventually('64 are refused', async () => (refused.size >= 64 ? true : null));
    } finally {
      await lock.query('ROLLBACK');
      await lock.end();
    }
    for (const responses of await all) expect(responses).toEqual(refusal);
    expect(await traceDatabase(switchboard.databaseUrl)).toEqual(before);
  });

  test('N02: a key is read only from its header', async () => {
    const { token } = good;
    for (const [headers, query, body] of [
      [{}, `?api_key=${token}`, {}],
      [{}, `?access_token=${token}`, {}],
      [{}, '', { api_key: token }],
      [{ authorization: `Basic ${btoa(`${token}:`)}` }, '', {}],
      [{ authorization: token }, '', {}],
      [{ cookie: `api_key=${token}; authorization=Bearer%20${token}` }, '', {}],
      [{ 'x-api-key': token }, '', {}],
    ] as const) {
      expect(await send(headers, query, body)).toEqual(refusal);
    }
    expect(switchboard.logs()).not.toContain(token);
  });

  test('N03: a revoked key, one expired by a second, one from another installation and an unknown one get the same error', async () => {
    const revoked = await operator.createKey({ scopes });
    await revoked.revoke();
    const expired = await operator.createExpiredKey({ scopes });
    const elsewhere = await operator.createKey({ scopes, policy: { allowedCidrs: ['192.0.2.0/24'] } });
    const wrong = formatKey(good.token.slice(4, 16), random(43));
    for (const token of [
      revoked.token,
      expired.token,
      elsewhere.token,
      wrong,
      formatKey(random(12), random(43)),
    ]) {
      expect(await send(bearer(token))).toEqual(refusal);
    }
  });

  test('N05: a wrong secret takes as long as an unknown key', async () => {
    const tokens = [formatKey(good.token.slice(4, 16), random(43)), formatKey(random(12), random(43))];
    const differs = async () => {
      const timesMs: [number[], number[]] = [[], []];
      for (let pair = 0; pair < PAIRS; pair++) {
        for (const which of pair % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
          const beganMs = performance.now();
          await send(bearer(tokens[which] ?? ''));
          timesMs[which].push(performance.now() - beganMs);
        }
      }
      const [known, unknown] = timesMs.map((all) => all.sort((a, b) => a - b)[PAIRS / 2] ?? NaN) as [
        number,
        number,
      ];
      return Math.abs(known - unknown) / Math.max(known, unknown);
    };
    expect(await leastUntil(0.1, differs)).toBeLessThan(0.1);
  });
});

describe('N04: headers that no HTTP library sends', () => {
  const line = (path: string, ...headers: readonly string[]) => {
    const host = new URL(path === '/mcp' ? switchboard.mcpUrl : switchboard.url).host;
    const method = path === '/mcp' ? 'POST' : 'GET';
    return [`${method} ${path} HTTP/1.1`, `Host: ${host}`, ...headers, 'Connection: close', '', ''].join(
      '\r\n',
    );
  };
  const cases: [string, (token: string) => readonly string[], readonly number[]][] = [
    ['two of them', (token) => [`Authorization: Bearer ${token}`, `Authorization: Bearer ${token}`], [401]],
    ['two in one', (token) => [`Authorization: Bearer ${token}, Bearer ${token}`], [401]],
    ['a scheme in lower case and tabs', (token) => [`Authorization: bearer\t\t${token}`], [401]],
    [
      'a NUL in the middle',
      (token) => [`Authorization: Bearer ${token.slice(0, 9)}\0${token.slice(9)}`],
      [400],
    ],
    ['a hundred kilobytes', (token) => [`Authorization: Bearer ${token}${'x'.repeat(100_000)}`], [400, 431]],
  ];
  test.each(cases)('%s', async (_what, headers, statuses) => {
    for (const [path, url] of [
      ['/v1/me', switchboard.url],
      ['/mcp', new URL(switchboard.mcpUrl).origin],
    ] as const) {
      const { status } = await sendRaw(url, line(path, ...headers(good.token)));
      expect(statuses).toContain(status);
      expect((await fetch(new URL('/healthz', url))).status).toBe(200);
    }
    expect((await fetch(`${switchboard.url}/v1/me`, { headers: bearer(good.token) })).status).toBe(200);
  });
});
