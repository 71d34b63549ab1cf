import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startMastodon, type FaultKind, type RunningMastodon } from '@switchboard/simulators';
import pg from 'pg';
import { connectMastodon } from './support/connect-mastodon.js';
import { connectAccount } from './support/sandbox-store.js';
import { startCommitProxy, type CommitProxy } from './support/commit-proxy.js';
import { eventually } from './support/eventually.js';
import { asObject, asObjects, asText, type JsonObject } from './support/json.js';
import { startProgram, type Program } from './support/program.js';
import { programs } from './support/programs.js';
import { restClient, type RestClient } from './support/rest-client.js';
import { sandboxControl } from './support/sandbox-control.js';
import type { Env, Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';

/** Worker processes with faults between them and a platform. The numbers refer to the negative tests. */
const READABLE = 'maren-holt';
const UNREADABLE = 'tidal-museum';
const REMOVED_ACCOUNT = 'lumen-coffee';
const ALICE = '109000000000000001';
const UNSETTLED = ['scheduled', 'publishing'];

let mastodon: RunningMastodon;
let switchboard: Switchboard;
let client: RestClient;
let sandbox: ReturnType<typeof sandboxControl>;
let database: pg.Pool;
let proxy: CommitProxy;
const connections: Record<string, string> = {};
let profile: string;
const running = new Set<Program>();
beforeAll(async () => {
  mastodon = await startMastodon();
  switchboard = await serveSwitchboard({
    name: 'posts_in_doubt',
    env: { SWITCHBOARD_ROLES: 'http', SWITCHBOARD_ALLOW_PRIVATE_HOSTS: new URL(mastodon.url).host },
  });
  client = restClient(switchboard.url, switchboard.keys.full);
  sandbox = sandboxControl(switchboard.sandboxUrl);
  database = new pg.Pool({ connectionString: switchboard.databaseUrl, max: 2 });
  proxy = await startCommitProxy(switchboard.databaseUrl);
  for (const account of [READABLE, UNREADABLE, REMOVED_ACCOUNT]) {
    connections[account] = await connectAccount(client, 'sandbox_social', account);
  }
  const { data } = await client.expect(200, 'GET', '/profiles');
  profile = asText(asObjects(data)[0]?.['id']);
  connections[ALICE] = await connectMastodon(client, mastodon.url, ALICE);
});
afterEach(() => sandbox.clearFaults());
afterAll(async () => {
  await endWorkers();
  await proxy?.close();
  await database?.end();
  await switchboard?.stop();
  await mastodon?.close();
});

async function startWorker(env: Env = {}): Promise<Program> {
  const worker = startProgram(programs.cli, { ...switchboard.env, ...env }, ['worker'], { ownGroup: true });
  running.add(worker);
  await worker.waitForOutput(/The worker is ready/);
  return worker;
}

async function endWorkers(): Promise<void> {
  for (const worker of running) worker.kill('SIGKILL');
  await Promise.all([...running].map(({ exited }) => exited));
  running.clear();
}

/** A worker without injected faults, which the next test reuses. */
async function startOneWorker(): Promise<void> {
  if (running.size === 0) await startWorker();
}

interface PostedDelivery {
  readonly id: string;
  readonly deliveryId: string;
  readonly text: string;
}

/** A post whose only request to the sandbox hits this fault. */
async function post(account: string, kind: FaultKind | null, more: JsonObject = {}): Promise<PostedDelivery> {
  const words = `In doubt ${randomUUID()}`;
  if (kind) {
    const match = { method: 'POST', body: words };
    const fault = { kind, match, delay_ms: 1500 };
    if (account === ALICE) mastodon.faults.add(fault);
    else await sandbox.fault({ platform: 'social', ...fault });
  }
  const created = await client.expect(201, 'POST', '/social/posts', {
    body: { profile_id: profile, text: words, targets: [{ connection_id: connections[account] }], ...more },
  });
  const [delivery] = asObjects(created['deliveries']);
  return { id: asText(created['id']), deliveryId: asText(delivery?.['id']), text: words };
}

interface DeliveryRow {
  readonly status: string;
  readonly epoch: number;
  readonly next_in: number | null;
  readonly error: { readonly code: string } | null;
  readonly external_id: string | null;
}

async function readDelivery({ deliveryId }: PostedDelivery): Promise<DeliveryRow> {
  const { rows } = await database.query<DeliveryRow>(
    `SELECT status, epoch, error, external_id, extract(epoch FROM next_attempt_at - now())::float AS next_in
     FROM deliveries WHERE id = $1`,
    [deliveryId],
  );
  const [row] = rows;
  if (!row) throw new Error('the delivery is gone');
  return row;
}

const waitUntil = (
  posted: PostedDelivery,
  what: string,
  is: (row: DeliveryRow) => boolean,
): Promise<DeliveryRow> =>
  eventually(what, async () => {
    const row = await readDelivery(posted);
    return is(row) ? row : null;
  });

/** Makes the next step due now. */
const expedite = ({ deliveryId }: PostedDelivery) =>
  database.query(
    `UPDATE deliveries SET next_attempt_at = now() WHERE id = $1 AND status IN ('unknown', 'retrying') AND next_attempt_at > now()`,
    [deliveryId],
  );

/** For a worker that has stopped: as if its lease had lasted its time, which other tests wait for. */
const expireLease = ({ deliveryId }: PostedDelivery) =>
  database.query(`UPDATE deliveries SET lease_until = now() WHERE id = $1`, [deliveryId]);

/** The post after it has settled. */
const settled = (posted: PostedDelivery): Promise<JsonObject> =>
  eventually(`${posted.text} is settled`, async () => {
    await expedite(posted);
    const now = await client.expect(200, 'GET', `/social/posts/${posted.id}`);
    return UNSETTLED.includes(asText(now['status'])) ? null : now;
  });

const effectsOf = async ({ deliveryId }: PostedDelivery): Promise<readonly string[]> =>
  (await sandbox.ledger('post.created'))
    .filter(({ reference }) => reference?.startsWith(`${deliveryId}.`))
    .map(({ id }) => id);

const readHistory = async ({ id }: PostedDelivery): Promise<readonly string[]> =>
  asObjects((await client.expect(200, 'GET', `/social/posts/${id}/history`))['data']).map(
    ({ kind, outcome }) => `${asText(kind)} ${asText(outcome)}`,
  );

const countAttempts = (history: readonly string[]) =>
  history.filter((line) => line === 'attempt begun').length;

async function expectOnePublished(posted: PostedDelivery): Promise<void> {
  const now = await settled(posted);
  expect(now).toMatchObject({ status: 'published' });
  expect(await effectsOf(posted)).toEqual([asObjects(now['deliveries'])[0]?.['external_id']]);
}

describe('N35: an inconclusive response', () => {
  const kinds: FaultKind[] = ['reset-after-effect', '500-after', '2xx-truncated', '2xx-no-id'];

  test.each(kinds)('%s has one effect and is published by reading back', async (kind) => {
    await startOneWorker();
    const posted = await post(READABLE, kind);
    await expectOnePublished(posted);
    expect(await readHistory(posted)).toEqual(['attempt begun', 'attempt unknown', 'read_back published']);
  });

  test.each(kinds)('%s has one effect and needs a review when reading back is impossible', async (kind) => {
    const match = { method: 'GET', path_prefix: '/api/posts', account: UNREADABLE };
    await sandbox.fault({ platform: 'social', kind: '403', times: null, match });
    await startOneWorker();
    const posted = await post(UNREADABLE, kind);
    expect(await settled(posted)).toMatchObject({ status: 'needs_review' });
    expect(await effectsOf(posted)).toHaveLength(1);
    expect(countAttempts(await readHistory(posted))).toBe(1);
  });
});

describe('N36: a killed worker', () => {
  test.each<[string, FaultKind]>([
    ['its request was received and then takes effect', 'delay'],
    ['its request was received and has no effect', 'hang'],
    ['the effect has happened', 'hang-after-effect'],
  ])('when %s leaves a recorded attempt and one effect in the end', async (_when, kind) => {
    const seen = (await sandbox.requests()).at(-1)?.seq ?? 0;
    await startOneWorker();
    const posted = await post(READABLE, kind);
    await eventually('the platform has the request', async () => {
      const came = (await sandbox.requests()).some(({ seq, fault }) => seq > seen && fault === kind);
      return came && (kind !== 'hang-after-effect' || (await effectsOf(posted)).length > 0) ? true : null;
    });
    await endWorkers();
    expect(await readHistory(posted)).toEqual(['attempt begun']);
    if (kind === 'hang-after-effect') await expireLease(posted);
    await startOneWorker();
    await expectOnePublished(posted);
    expect(countAttempts(await readHistory(posted))).toBe(kind === 'hang' ? 2 : 1);
  });
});

describe('N37: a read-back that finds', () => {
  const match = { method: 'POST', path_prefix: '/api/v1/statuses' };
  /** The same text in the account, posted by the account owner. */
  const duplicate = (words: string) =>
    mastodon.statuses.post(
      {
        accountId: ALICE,
        inReplyToId: null,
        application: 'manual',
        text: words,
        spoilerText: '',
        media: [],
        sensitive: false,
        visibility: 'public',
        language: null,
      },
      '',
    );

  test('two candidates needs a review', async () => {
    const words = `Twins ${randomUUID()}`;
    mastodon.faults.add({ kind: 'reset-after-effect', match });
    await startOneWorker();
    duplicate(words);
    const made = mastodon.statuses.createdCount();
    const posted = await post(ALICE, null, { text: words });
    expect(await settled(posted)).toMatchObject({ status: 'needs_review' });
    expect(mastodon.statuses.createdCount()).toBe(made + 1);
  });

  test('nothing is repeated after half a minute and links the post that has appeared', async () => {
    const words = `Late ${randomUUID()}`;
    mastodon.faults.add({ kind: 'reset-before-effect', match });
    await startOneWorker();
    const made = mastodon.statuses.createdCount();
    const posted = await post(ALICE, null, { text: words });
    const absent = await waitUntil(
      posted,
      'it was absent once',
      ({ error }) => error?.code === 'read_back.absent_once',
    );
    expect(absent.status).toBe('unknown');
    expect(absent.next_in).toBeGreaterThan(20);
    const late = duplicate(words);
    const now = await settled(posted);
    expect(now).toMatchObject({ status: 'published', deliveries: [{ external_id: late.id, attempts: 1 }] });
    expect(mastodon.statuses.createdCount()).toBe(made + 1);
  });
});

describe('N40: a concurrent change', () => {
  test('during sending is rejected, and the post is published as it was', async () => {
    await startOneWorker();
    const posted = await post(READABLE, 'delay');
    await waitUntil(posted, 'it is being sent', ({ status }) => status === 'sending');
    const path = `/social/posts/${posted.id}`;
    const refused = { status: 409, json: { code: 'post.already_published' } };
    expect(await client.sendRequest('PATCH', path, { body: { text: 'Another text' } })).toMatchObject(
      refused,
    );
    expect(await client.post(`${path}/cancel`)).toMatchObject(refused);
    expect(await client.sendRequest('DELETE', path)).toMatchObject(refused);
    await expectOnePublished(posted);
    const now = await client.expect(200, 'GET', path);
    expect(now).toMatchObject({ text: posted.text });
  });

  test('at the start of sending is either in time or too late: the reported outcome is the actual one', async () => {
    await startOneWorker();
    const at = Date.now() + 4000;
    const scheduled_at = new Date(at).toISOString();
    const posts = await Promise.all(Array.from({ length: 12 }, () => post(READABLE, null, { scheduled_at })));
    const pages = await Promise.all(
      posts.map(async (posted, index) => {
        await new Promise((resolve) => setTimeout(resolve, at - Date.now() + index * 60 - 100));
        const path = `/social/posts/${posted.id}`;
        const newText = `Changed ${posted.text}`;
        const cancelAndSettle = index % 3 === 0;
        const answer = cancelAndSettle
          ? await client.post(`${path}/cancel`)
          : await client.sendRequest('PATCH', path, { body: { text: newText } });
        expect([200, 409]).toContain(answer.status);
        const now = await settled(posted);
        const effects = await effectsOf(posted);
        if (cancelAndSettle && answer.status === 200) return [now['status'], effects.length, ''] as const;
        const [delivery] = asObjects(now['deliveries']);
        const page = await (await fetch(asText(delivery?.['url']))).text();
        const expectedText = answer.status === 200 ? newText : posted.text;
        return [
          now['status'],
          effects.length,
          page.includes(`${expectedText}<`) ? '' : `${expectedText} was not found`,
        ] as const;
      }),
    );
    for (const page of pages)
      expect([
        ['published', 1, ''],
        ['cancelled', 0, ''],
      ]).toContainEqual(page);
  });
});

describe('N41: a worker that is stopped for longer than its lease and then resumed', () => {
  beforeEach(endWorkers);
  afterEach(endWorkers);

  const through = () => ({
    DATABASE_URL: proxy.url,
    SWITCHBOARD_DIRECT_DATABASE_URL: switchboard.databaseUrl,
  });
  /** Waits until the resumed worker has finished its remaining work. */
  async function isRunning(worker: Program): Promise<void> {
    for (const other of running) if (other !== worker) other.kill('SIGKILL');
    await expectOnePublished(await post(READABLE, null));
  }

  test('before it has sent: another worker publishes, and the resumed one sends nothing', async () => {
    const stoppedWorker = await startWorker(through());
    const leasedDelivery = proxy.holdAfterCommitOf(/INSERT INTO .*delivery_attempts/s);
    const posted = await post(READABLE, null);
    await leasedDelivery;
    await waitUntil(posted, 'it has been claimed', ({ status }) => status === 'sending');
    expect(await effectsOf(posted)).toEqual([]);
    stoppedWorker.kill('SIGSTOP');
    // Its pending database response arrives: it continues as though no time had passed.
    proxy.release();
    await startWorker();
    await expectOnePublished(posted);
    const row = await readDelivery(posted);
    stoppedWorker.kill('SIGCONT');
    await isRunning(stoppedWorker);
    await expectOnePublished(posted);
    expect(await readDelivery(posted)).toEqual(row);
    expect(countAttempts(await readHistory(posted))).toBe(2);
  });

  test('after it has sent: another worker finds the post, and writes of the resumed one change nothing', async () => {
    const asleep = await startWorker();
    const posted = await post(READABLE, 'delay');
    await eventually('the platform has the request', async () => {
      const [last] = (await sandbox.requests()).filter(({ fault }) => fault === 'delay').slice(-1);
      return last?.status === null ? true : null;
    });
    asleep.kill('SIGSTOP');
    await eventually('the post exists', async () => ((await effectsOf(posted)).length > 0 ? true : null));
    await expireLease(posted);
    await startWorker();
    await expectOnePublished(posted);
    const [row, history] = [await readDelivery(posted), await readHistory(posted)];
    expect(history).toEqual(['attempt begun', 'read_back published']);
    asleep.kill('SIGCONT');
    await isRunning(asleep);
    expect(await readDelivery(posted)).toEqual(row);
    expect(await readHistory(posted)).toEqual(history);
    expect(await effectsOf(posted)).toHaveLength(1);
  });
});

describe('N42: an account that between queueing and sending', () => {
  const soon = () => ({ scheduled_at: new Date(Date.now() + 2000).toISOString() });

  test('lost its grant blocks its posts with the reason, and no token is requested repeatedly', async () => {
    await endWorkers();
    const posted = await post(REMOVED_ACCOUNT, null, soon());
    const seen = (await sandbox.requests()).at(-1)?.seq ?? 0;
    await sandbox.revokeGrants(REMOVED_ACCOUNT);
    await startWorker();
    const blocked = await waitUntil(posted, 'it is blocked', ({ status }) => status === 'blocked');
    expect(blocked.error?.code).toBe('connection.needs_reauth');
    const second = await post(REMOVED_ACCOUNT, null, soon());
    await waitUntil(second, 'the second is blocked too', ({ status }) => status === 'blocked');
    const asked = (await sandbox.requests()).filter(({ seq }) => seq > seen);
    expect(asked.filter(({ path }) => path.startsWith('/social/oauth/token')).length).toBeLessThanOrEqual(1);
    expect([...(await effectsOf(posted)), ...(await effectsOf(second))]).toEqual([]);
    const connection = await client.expect(200, 'GET', `/connections/${connections[REMOVED_ACCOUNT]}`);
    expect(connection).toMatchObject({ status: 'needs_reauth' });
    // The post is published automatically once the account is reconnected.
    await connectAccount(client, 'sandbox_social', REMOVED_ACCOUNT);
    await expectOnePublished(posted);
    await expectOnePublished(second);
  });

  test('was moved to another profile receives nothing, and the post states why', async () => {
    await endWorkers();
    const elsewhere = await client.expect(201, 'POST', '/profiles', { body: { name: 'Elsewhere' } });
    const posted = await post(REMOVED_ACCOUNT, null, soon());
    const path = `/connections/${connections[REMOVED_ACCOUNT]}`;
    await client.expect(200, 'PATCH', path, { body: { profile_id: elsewhere['id'] } });
    await startWorker();
    const now = await settled(posted);
    expect(now).toMatchObject({ status: 'failed' });
    expect(asObject(asObjects(now['deliveries'])[0]?.['error'])['code']).toBe('connection.not_found');
    expect(await effectsOf(posted)).toEqual([]);
    await client.expect(200, 'PATCH', path, { body: { profile_id: profile } });
  });

  test('was disconnected receives nothing, and the post is cancelled', async () => {
    await endWorkers();
    const posted = await post(REMOVED_ACCOUNT, null, soon());
    await client.expect(204, 'DELETE', `/connections/${connections[REMOVED_ACCOUNT]}`);
    await startWorker();
    expect(await settled(posted)).toMatchObject({ status: 'cancelled' });
    expect(await effectsOf(posted)).toEqual([]);
  });
});
