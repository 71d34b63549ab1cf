import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { FaultSpec } from '@switchboard/sandbox';
import { connectAccount } from './support/sandbox-store.js';
import { asObject, asObjects, asText, type JsonObject } from './support/json.js';
import { queryRows } from './support/database.js';
import { eventually } from './support/eventually.js';
import { restClient, type RestClient } from './support/rest-client.js';
import { sandboxControl } from './support/sandbox-control.js';
import type { Replica } from './support/installation.js';
import type { Program } from './support/program.js';
import { serveWithReplicas, type SwitchboardWithReplicas } from './support/serve-switchboard.js';

const ACCOUNT = 'maren-holt';
const HOUR_MS = 3_600_000;

let switchboard: SwitchboardWithReplicas;
let sandbox: ReturnType<typeof sandboxControl>;
let client: RestClient;
let connection: string;
beforeAll(async () => {
  // The first server serves calls and the sandbox; the workers started by the tests process deliveries.
  switchboard = await serveWithReplicas({ name: 'dead_worker', env: { SWITCHBOARD_ROLES: 'http' } });
  sandbox = sandboxControl(switchboard.sandboxUrl);
  client = restClient(switchboard.url, switchboard.keys.full);
  connection = await connectAccount(client, 'sandbox_social', ACCOUNT);
});
afterAll(() => switchboard?.stop());

const workers: Replica<Program>[] = [];
async function startWorker(env: Record<string, string> = {}): Promise<Replica<Program>> {
  const worker = await switchboard.startReplica({ SWITCHBOARD_ROLES: 'http,worker', ...env });
  workers.push(worker);
  return worker;
}
afterEach(async () => {
  await sandbox.clearFaults();
  for (const { server: program } of workers.splice(0)) {
    program.kill('SIGCONT');
    await program.stop();
  }
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const create = (words: string, more: object = {}): Promise<JsonObject> =>
  client.expect(201, 'POST', '/social/posts', {
    body: { text: words, targets: [{ connection_id: connection }], ...more },
  });
const fault = (kind: FaultSpec['kind'], more: Partial<FaultSpec> = {}) =>
  sandbox.fault({ platform: 'social', kind, times: 1, match: { method: 'POST' }, ...more });
const effects = async () => (await sandbox.ledger('post.created', ACCOUNT)).length;
const read = (post: JsonObject) => client.expect(200, 'GET', `/social/posts/${asText(post['id'])}`);
const historyOf = async (post: JsonObject) =>
  asObjects((await client.expect(200, 'GET', `/social/posts/${asText(post['id'])}/history`))['data']);
const untilPublished = (post: JsonObject) =>
  eventually('it is published', async () => ((await read(post))['status'] === 'published' ? true : null));
/** The end of the lease of a delivery in flight, and its distance from now, both by the clock of the database. */
async function readLease(post: JsonObject) {
  const [lease] = await queryRows<{ ends_at: string; left_seconds: number }>(
    switchboard.databaseUrl,
    `SELECT to_char(lease_until AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS ends_at,
       extract(epoch FROM lease_until - now())::float8 AS left_seconds
     FROM deliveries WHERE post_id = '${asText(post['id'])}'`,
  );
  if (!lease) throw new Error('the post has one delivery');
  return { endsAtMs: Date.parse(lease.ends_at), leftSeconds: lease.left_seconds };
}

test('a delivery of a killed worker is claimed when its lease of 12 s has ended, found at the platform and never resent', async () => {
  const [first, second] = [await startWorker(), await startWorker()];
  second.server.kill('SIGSTOP');
  const before = await effects();
  await fault('hang-after-effect');
  const post = await create('Killed while it waits for the answer');
  await eventually('the effect has happened', async () => ((await effects()) > before ? true : null));
  first.server.kill('SIGKILL');
  await first.server.exited;
  const lease = await readLease(post);
  expect(lease.leftSeconds).toBeLessThanOrEqual(12);
  second.server.kill('SIGCONT');
  const readBack = await eventually(
    'it is taken over',
    async () => (await historyOf(post)).find(({ kind }) => kind === 'read_back') ?? null,
  );
  // Workers sweep every second. The limit only shows that one does: a busy machine delays it.
  const afterLeaseMs = Date.parse(asText(readBack['at'])) - lease.endsAtMs;
  expect([afterLeaseMs > -500, afterLeaseMs < 30_000]).toEqual([true, true]);
  await untilPublished(post);
  expect(await effects()).toBe(before + 1);
});

test('a worker paused past its lease has no second effect and writes nothing when it resumes', async () => {
  const [sleeper, second] = [await startWorker(), await startWorker()];
  second.server.kill('SIGSTOP');
  const before = await effects();
  const seen = (await sandbox.requests()).at(-1)?.seq ?? 0;
  // Its effect happens long after the lease has ended, and thus after the other worker's first read-back.
  await fault('delay', { delay_ms: 40_000 });
  const post = await create('Asleep while the platform is at work');
  await eventually('the platform has the request', async () =>
    (await sandbox.requests()).some(({ seq, fault: its }) => seq > seen && its === 'delay') ? true : null,
  );
  sleeper.server.kill('SIGSTOP');
  second.server.kill('SIGCONT');
  await eventually('the other worker has read back', async () =>
    (await historyOf(post)).length > 1 ? true : null,
  );
  sleeper.server.kill('SIGCONT');
  await untilPublished(post);
  expect(await effects()).toBe(before + 1);
  const history = await historyOf(post);
  expect(history.map(({ kind, outcome }) => `${asText(kind)} ${asText(outcome)}`)).toEqual([
    'attempt begun',
    'read_back unknown',
    'read_back published',
  ]);
});

test.each([2 * HOUR_MS, -2 * HOUR_MS])(
  'a worker whose machine’s clock is off by %d ms sends nothing early, late or twice',
  async (offMs) => {
    const wrong = `const D=Date;const o=${offMs};globalThis.Date=class extends D{constructor(...a){a.length?super(...a):super(D.now()+o)}static now(){return D.now()+o}}`;
    const worker = await startWorker({
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(wrong)}`,
    });
    const me = await restClient(worker.url, switchboard.keys.full).expect(200, 'GET', '/me');
    expect(Math.abs(Date.parse(asText(me['now'])) - Date.now())).toBeLessThan(HOUR_MS);
    const before = await effects();
    const dueMs = Date.now() + 6000;
    const post = await create(`By the right clock, not by one off by ${offMs}`, {
      scheduled_at: new Date(dueMs).toISOString(),
    });
    await untilPublished(post);
    await pause(2000);
    const made = (await sandbox.ledger('post.created', ACCOUNT)).slice(before);
    expect(made).toHaveLength(1);
    expect(Date.parse(made[0]?.at ?? '') - dueMs).toBeGreaterThanOrEqual(0);
    expect(Date.parse(made[0]?.at ?? '') - dueMs).toBeLessThan(HOUR_MS);
    expect(asObject(asObjects((await read(post))['deliveries'])[0])).toMatchObject({ attempts: 1 });
  },
);
