import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { repetitions } from '@switchboard/domain/testing';
import { queryRows } from './support/database.js';
import { eventually, leastUntil } from './support/eventually.js';
import { asObject, asObjects, asText } from './support/json.js';
import { connectMcpHttp } from './support/mcp-client.js';
import { openOperator, type Operator } from './support/operator.js';
import { startProgram } from './support/program.js';
import { programs } from './support/programs.js';
import { restClient, type RestClient } from './support/rest-client.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';
import { startTcpProxy, type TcpProxy } from './support/start-tcp-proxy.js';

const ROTATIONS = Number(process.env['ROTATIONS'] ?? repetitions({ few: 8, many: 20 }));
const CALLERS = repetitions({ few: 2, many: 4 });
/** Before each call: continuous calls would only measure how fast the machine is. */
const PAUSE_MS = 50;

let switchboard: Switchboard;
let operator: Operator;
let admin: RestClient;
/** A proxy between the last process and the notifications of its database. */
let databaseProxy: TcpProxy;
/** Three REST processes of one installation. */
let urls: readonly [string, string, string];
beforeAll(async () => {
  switchboard = await serveSwitchboard({ name: 'key_life', mcp: true });
  operator = await openOperator(switchboard);
  admin = restClient(switchboard.url, switchboard.keys.full);
  const database = new URL(switchboard.databaseUrl);
  databaseProxy = await startTcpProxy({ host: database.hostname, port: Number(database.port) });
  const proxiedUrl = Object.assign(new URL(database), {
    hostname: '127.0.0.1',
    port: String(databaseProxy.port),
  });
  const replicas = [
    await switchboard.startReplica({ SWITCHBOARD_ROLES: 'http' }),
    await switchboard.startReplica({
      SWITCHBOARD_ROLES: 'http',
      SWITCHBOARD_DIRECT_DATABASE_URL: proxiedUrl.href,
    }),
  ] as const;
  urls = [switchboard.url, replicas[0].url, replicas[1].url];
  await waitForNotice(urls[2], 'ok');
});
afterEach(async () => {
  databaseProxy.repair();
  await waitForNotice(urls[2], 'ok');
});
afterAll(async () => {
  await operator?.close();
  await switchboard?.stop();
  await databaseProxy?.close();
});

const waitForNotice = (url: string, what: string) =>
  eventually(`${url} reports notices as ${what}`, async () => {
    const { checks } = (await (await fetch(new URL('/readyz', url))).json()) as {
      checks: Record<string, string>;
    };
    return checks['notices'] === what ? what : null;
  });

interface CallerRecord {
  /** The start of the last request that returned 200. */
  lastAcceptedMs: number;
  readonly statuses: Map<number, number>;
}

/** Sends requests continuously over several connections until stopped. */
function callRepeatedly(sendRequest: () => Promise<number>): {
  readonly heard: CallerRecord;
  stop(): Promise<CallerRecord>;
} {
  const heard: CallerRecord = { lastAcceptedMs: 0, statuses: new Map() };
  let isOver = false;
  const runs = Array.from({ length: CALLERS }, async () => {
    while (!isOver) {
      await pause(PAUSE_MS);
      const beganMs = performance.now();
      const status = await sendRequest();
      heard.statuses.set(status, (heard.statuses.get(status) ?? 0) + 1);
      if (status === 200) heard.lastAcceptedMs = Math.max(heard.lastAcceptedMs, beganMs);
    }
  });
  return {
    heard,
    async stop() {
      isOver = true;
      await Promise.all(runs);
      return heard;
    },
  };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const getMe = (url: string, key: string) => async () => (await restClient(url, key).get('/me')).status;

/** The time after the revocation response during which each process still accepted the key. */
async function revokeUnderLoad(): Promise<readonly number[]> {
  const key = await operator.createKey({ scopes: ['posts:read'] });
  const overMcp = async () => {
    const headers = {
      authorization: `Bearer ${key.token}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const answer = await fetch(switchboard.mcpUrl, { method: 'POST', headers, body });
    await answer.text();
    return answer.status;
  };
  const loads = [...urls.map((url) => callRepeatedly(getMe(url, key.token))), callRepeatedly(overMcp)];
  let revokedMs = NaN;
  try {
    for (const { heard } of loads) {
      await eventually('it accepts the key', async () => ((heard.statuses.get(200) ?? 0) > 10 ? true : null));
    }
    await admin.expect(204, 'DELETE', `/keys/${key.id}`);
    revokedMs = performance.now();
    for (const { heard } of loads) {
      await eventually('it rejects the key', async () =>
        (heard.statuses.get(401) ?? 0) > 10 * CALLERS ? true : null,
      );
    }
  } finally {
    await Promise.all(loads.map((load) => load.stop()));
  }
  const heard = loads.map((fire) => fire.heard);
  for (const { statuses } of heard) expect([...statuses.keys()].sort()).toEqual([200, 401]);
  return heard.map(({ lastAcceptedMs }) => lastAcceptedMs - revokedMs);
}

test('four processes under load accept a revoked key nowhere one second after the revocation response', async () => {
  expect(await leastUntil(1000, async () => Math.max(...(await revokeUnderLoad())))).toBeLessThan(1000);
});

test('a process that loses its notifications detects it, reports it, and polls every second', async () => {
  databaseProxy.cut();
  await waitForNotice(urls[2], 'not listening');
  expect(await leastUntil(1000, async () => Math.max(...(await revokeUnderLoad())))).toBeLessThan(1000);
});

test('a process whose notifications stop silently rejects the key within five seconds', async () => {
  databaseProxy.dropTraffic();
  const [here = NaN, there = NaN, cut = NaN, mcp = NaN] = await revokeUnderLoad();
  // The age of a cached key and the start of a request are measured by the same monotonic time.
  expect(cut).toBeLessThan(5000);
  for (const lateMs of [here, there, mcp]) expect(lateMs).toBeLessThan(cut);
});

test('a changed key takes effect immediately in every process', async () => {
  const changedAfterMs = async () => {
    const key = await operator.createKey({ scopes: ['posts:read'] });
    const there = restClient(urls[1], key.token);
    const agent = await connectMcpHttp(switchboard, key.token);
    try {
      await there.expect(200, 'GET', '/social/posts');
      await there.expect(403, 'GET', '/profiles');
      expect(await agent.tools()).toContain('list_posts');
      await admin.expect(200, 'PATCH', `/keys/${key.id}`, { body: { scopes: ['profiles:read'] } });
      const changedMs = performance.now();
      await eventually('the other process has the change', async () =>
        (await there.get('/profiles')).status === 200 ? true : null,
      );
      await there.expect(403, 'GET', '/social/posts');
      await eventually('MCP has the change', async () =>
        (await agent.tools()).includes('list_posts') ? null : true,
      );
      return performance.now() - changedMs;
    } finally {
      await agent.close();
    }
  };
  expect(await leastUntil(1000, changedAfterMs)).toBeLessThan(1000);
});

test.each(['agent', 'reader'])(
  'finding 14: the command line creates a key from the preset %s for one profile, which works over REST and MCP and sees only that profile',
  async (preset) => {
    const customer = `customer ${preset}`;
    const other = asText(asObjects((await admin.expect(200, 'GET', '/profiles'))['data'])[0]?.['id']);
    const own = await admin.expect(201, 'POST', '/profiles', { body: { name: customer } });
    const create = ['keys', 'create', '--name', 'bound', '--preset', preset, '--profile', customer];
    const command = startProgram(programs.cli, switchboard.env, create);
    const { code } = await command.exited;
    expect([code, command.stderr()]).toEqual([0, expect.stringContaining('webhooks:read')]);
    const token = command.stdout().trim();

    const bound = restClient(switchboard.url, token);
    expect(await bound.expect(200, 'GET', '/profiles')).toMatchObject({ data: [{ id: own['id'] }] });
    await bound.expect(404, 'GET', `/profiles/${other}`);
    const agent = await connectMcpHttp(switchboard, token);
    try {
      const listed = await agent.call('list_profiles');
      expect(listed.json).toMatchObject({ data: [{ id: own['id'] }] });
      expect(await agent.tools()).toContain('list_posts');
    } finally {
      await agent.close();
    }
  },
);

test(`${ROTATIONS} rotations fail no call of either key, and the old key expires with the overlap`, async () => {
  const made = await operator.createKey({ scopes: ['posts:read'] });
  let [oldKey, newKey, id] = [made.token, made.token, String(made.id)];
  const fires = [
    callRepeatedly(() => getMe(urls[0], oldKey)()),
    callRepeatedly(() => getMe(urls[1], newKey)()),
    callRepeatedly(() => getMe(urls[2], newKey)()),
  ];
  for (let turn = 0; turn < ROTATIONS; turn++) {
    const rotated = await admin.expect(201, 'POST', `/keys/${id}/rotate`, { body: { overlap_seconds: 30 } });
    newKey = asText(rotated['secret']);
    await pause(50);
    oldKey = newKey;
    id = asText(rotated['id']);
    await pause(50);
  }
  for (const fire of fires) expect([...(await fire.stop()).statuses.keys()]).toEqual([200]);

  const fire = urls.map((url) => callRepeatedly(getMe(url, newKey)));
  for (const { heard } of fire)
    await eventually('it accepts the key', async () => (heard.statuses.get(200) ? true : null));
  await admin.expect(201, 'POST', `/keys/${id}/rotate`, { body: { overlap_seconds: 2 } });
  const [row] = await queryRows<{ left_ms: number }>(
    switchboard.databaseUrl,
    `SELECT (extract(epoch FROM (policy->>'expiresAt')::timestamptz - clock_timestamp()) * 1000)::float8 AS left_ms
     FROM api_keys WHERE id = '${id}'`,
  );
  const endsMs = performance.now() + Number(row?.left_ms);
  for (const { heard } of fire) {
    await eventually('it rejects the key', async () =>
      (heard.statuses.get(401) ?? 0) > 10 * CALLERS ? true : null,
    );
  }
  for (const { lastAcceptedMs, statuses } of await Promise.all(fire.map((one) => one.stop()))) {
    expect([...statuses.keys()].sort()).toEqual([200, 401]);
    expect(lastAcceptedMs - endsMs).toBeLessThan(1000);
  }
});

test('the metrics of a process show whether it receives notifications', async () => {
  databaseProxy.cut();
  await waitForNotice(urls[2], 'not listening');
  const numbers = await (await fetch(new URL('/metrics', urls[2]))).text();
  expect(numbers).toContain('switchboard_notices_listening 0');
  expect(await (await fetch(new URL('/metrics', urls[0]))).text()).toContain(
    'switchboard_notices_listening 1',
  );
});

test('a process survives the loss of every database connection and listens again', async () => {
  await queryRows(
    switchboard.databaseUrl,
    `SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
  for (const url of urls) {
    await eventually('it accepts requests again', async () =>
      (await restClient(url, switchboard.keys.full).get('/me')).status === 200 ? true : null,
    );
    await waitForNotice(url, 'ok');
  }
  const me = await admin.expect(200, 'GET', '/me');
  expect(asObject(me['key'])['scopes']).toContain('keys:admin');
});
