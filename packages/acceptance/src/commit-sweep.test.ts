import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startService, type Service } from '@switchboard/bootstrap';
import { deliver, readBackDelivery } from '@switchboard/domain/deliveries';
import { catalog, type Operation } from '@switchboard/operations';
import type { FaultKind } from '@switchboard/sandbox';
import pg from 'pg';
import { discardLog } from './support/discard-log.js';
import { connectAccount } from './support/sandbox-store.js';
import { startCommitProxy, type CommitProxy, type CutPoint } from './support/commit-proxy.js';
import { asObjects, asText, type JsonObject } from './support/json.js';
import { restClient, type RestClient } from './support/rest-client.js';
import { sandboxControl } from './support/sandbox-control.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';

/**
 * A proxy between a process and PostgreSQL parses the protocol and breaks the connection at the n-th COMMIT:
 * once before the server receives it, once after the server executed it and before the client receives the
 * response. For n =
 * 1..N these are all points around every transaction at which a process can lose its database.
 */
const CUTS: readonly CutPoint[] = ['before the server commits', 'after the server has committed'];
const ACCOUNT = 'maren-holt';
const never = new AbortController().signal;

let switchboard: Switchboard;
let proxy: CommitProxy;
let client: RestClient;
let sandbox: ReturnType<typeof sandboxControl>;
let connectionId: string;
/** Bypasses the proxy. */
let database: pg.Pool;
beforeAll(async () => {
  switchboard = await serveSwitchboard({ name: 'commit_sweep', env: { SWITCHBOARD_ROLES: 'http' } });
  sandbox = sandboxControl(switchboard.sandboxUrl);
  client = restClient(switchboard.url, switchboard.keys.full);
  connectionId = await connectAccount(client, 'sandbox_social', ACCOUNT);
  database = new pg.Pool({ connectionString: switchboard.databaseUrl, max: 1 });
  proxy = await startCommitProxy(switchboard.databaseUrl);
});
afterAll(async () => {
  await proxy?.close();
  await database?.end();
  await switchboard?.stop();
});

/** Everything uses the proxy except the queue, whose jobs are only hints. */
const through = () => ({
  DATABASE_URL: proxy.url,
  SWITCHBOARD_DIRECT_DATABASE_URL: switchboard.databaseUrl,
});

interface SendResult {
  readonly externalId: string;
  /** The number of commits, including those that were cut. */
  readonly commits: number;
}

/** The observable results: the post, its history and the effects at the platform. */
async function expectOnePost({ externalId }: SendResult): Promise<void> {
  const { data } = await client.expect(200, 'GET', '/social/posts', { query: { external_id: externalId } });
  expect(asObjects(data)).toHaveLength(1);
  const [post] = asObjects(data);
  expect(post).toMatchObject({ status: 'published' });
  const [delivery] = asObjects(post?.['deliveries']);
  const effects = (await sandbox.ledger('post.created', ACCOUNT)).filter(({ reference }) =>
    reference?.startsWith(asText(delivery?.['id'])),
  );
  expect(effects.map(({ id }) => id)).toEqual([delivery?.['external_id']]);
  const history = await client.expect(200, 'GET', `/social/posts/${asText(post?.['id'])}/history`);
  const outcomes = asObjects(history['data']).map(({ outcome }) => outcome);
  expect(outcomes.filter((outcome) => outcome === 'begun')).toHaveLength(Number(delivery?.['attempts']));
  expect(outcomes.filter((outcome) => outcome === 'published')).toHaveLength(1);
  const listEventTypes = await database.query<{ type: string }>(
    "SELECT type FROM events WHERE data->>'post_id' = $1 AND type LIKE 'post.%published'",
    [post?.['id']],
  );
  expect(listEventTypes.rows.map(({ type }) => type).sort()).toEqual([
    'post.delivery_published',
    'post.published',
  ]);
}

describe('from the post request to its final state', () => {
  let service: Service;
  beforeAll(async () => {
    const env = { ...switchboard.env, ...through(), LOG_LEVEL: 'silent' };
    service = await startService({ app: 'cli', logTo: discardLog, env });
  });
  afterAll(() => service?.close());

  const create = catalog.find(({ name }) => name === 'createPost') as Operation;

  /** A client that retries with one idempotency key. */
  async function sendRequest(body: JsonObject): Promise<void> {
    for (let attempt = 0; attempt < 10; attempt += 1) {
      const answer = await service.dispatch(create, {
        surface: 'rest',
        requestId: randomUUID(),
        signal: never,
        authorization: `Bearer ${switchboard.keys.full}`,
        address: '127.0.0.1',
        idempotencyKey: asText(body['external_id']),
        readInput: async () => ({ ok: true, value: body }),
      });
      if (answer.failure === null) return;
    }
    throw new Error('the post was not accepted in ten attempts');
  }

  /** One pass of a worker over due deliveries; a broken connection ends the pass. */
  async function work(): Promise<void> {
    const due = await service.ports.deliveries.listDue(10);
    // The clock of the process, which decides whether a post is due, may be some milliseconds ahead of the
    // database's.
    if (due.length === 0) await sleep(25);
    for (const { id, workspaceId, status } of due) {
      const step = status === 'sending' || status === 'unknown' ? readBackDelivery : deliver;
      await step(service.ports, { workspaceId, deliveryId: id }, never).catch(() => undefined);
    }
  }

  /** Simulates the expiry of a dead worker's lease and the arrival of the next due time. */
  const makeEverythingDue = () =>
    database.query(
      `UPDATE deliveries SET lease_until = LEAST(lease_until, now()), next_attempt_at = LEAST(next_attempt_at, now())
       WHERE status IN ('sending', 'unknown', 'retrying')`,
    );

  async function send(fault: FaultKind | null, commit: number | null, cut?: CutPoint): Promise<SendResult> {
    const externalId = `sweep-${randomUUID()}`;
    if (fault) {
      const match = { method: 'POST', path_prefix: '/api/posts', body: externalId };
      await sandbox.fault({ platform: 'social', kind: fault, match });
    }
    const body = {
      text: `Swept: ${externalId}`,
      external_id: externalId,
      targets: [{ connection_id: connectionId }],
    };
    const settled = async () => {
      const { rows } = await database.query<{ status: string }>(
        'SELECT d.status FROM deliveries d JOIN posts p ON p.id = d.post_id WHERE p.external_id = $1',
        [externalId],
      );
      return !['pending', 'sending', 'unknown', 'retrying'].includes(rows[0]?.status ?? 'pending');
    };
    proxy.cutAt(commit, cut);
    await sendRequest(body);
    for (let turn = 0; turn < 12 && !(await settled()); turn += 1) {
      await work();
      await makeEverythingDue();
    }
    const commits = proxy.commits();
    proxy.cutAt(null);
    return { externalId, commits };
  }

  /** How often a post is read back depends on the machine: a post that was settled without its commit is sent again. */
  async function sendWithCut(fault: FaultKind | null, commit: number, cut: CutPoint): Promise<SendResult> {
    for (let attempt = 1; ; attempt += 1) {
      const result = await send(fault, commit, cut);
      if (result.commits >= commit || attempt === 5) return result;
      await expectOnePost(result);
    }
  }

  test.each<[string, FaultKind | null]>([
    ['is processed and confirmed', null],
    ['is processed and loses its response', 'reset-after-effect'],
    ['is lost in transit', 'reset-before-effect'],
  ])('a platform request that %s: one effect, whichever commit breaks', async (_how, fault) => {
    // The first commit of its kind also records in the audit log that the token was used.
    await send(fault, null);
    const counts = [(await send(fault, null)).commits, (await send(fault, null)).commits];
    // Absence must be seen twice within some time, so that a slow machine reads back less often.
    const [fewest, commits] = [Math.min(...counts), Math.max(...counts)];
    expect(fewest).toBeGreaterThan(2);
    for (let n = 1; n <= commits; n += 1) {
      for (const cut of CUTS) {
        const sendResult = await sendWithCut(fault, n, cut);
        try {
          expect(sendResult.commits).toBeGreaterThanOrEqual(Math.min(n, fewest));
          await expectOnePost(sendResult);
        } catch (error) {
          throw new Error(`commit ${n} of ${commits}, cut ${cut}`, { cause: error });
        }
      }
    }
  });
});

test('R17: a post request whose process loses its database is retried until it succeeds, and creates one post', async () => {
  const replica = await switchboard.startReplica({ ...through(), SWITCHBOARD_ROLES: 'http' });
  const caller = restClient(replica.url, switchboard.keys.full);
  const sendRequest = async (
    commit: number | null,
    cut?: CutPoint,
  ): Promise<SendResult & { readonly asked: number }> => {
    const externalId = `asked-${randomUUID()}`;
    const body = {
      text: `Asked again: ${externalId}`,
      external_id: externalId,
      targets: [{ connection_id: connectionId }],
      scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
    };
    proxy.cutAt(commit, cut);
    for (let asked = 1; asked <= 10; asked += 1) {
      const answer = await caller.post('/social/posts', body, { 'Idempotency-Key': externalId });
      if (answer.status !== 201) {
        // PostgreSQL needs a moment to end the session of the broken connection, which holds the idempotency
        // key.
        await sleep(250);
        continue;
      }
      const commits = proxy.commits();
      proxy.cutAt(null);
      const { data } = await client.expect(200, 'GET', '/social/posts', {
        query: { external_id: externalId },
      });
      expect(asObjects(data).map(({ id }) => id)).toEqual([answer.json['id']]);
      return { externalId, commits, asked };
    }
    throw new Error('the post was not accepted in ten attempts');
  };
  const { commits } = await sendRequest(null);
  expect(commits).toBeGreaterThan(0);
  expect((await sendRequest(null)).commits).toBe(commits);
  for (let n = 1; n <= commits; n += 1) {
    for (const cut of CUTS) expect((await sendRequest(n, cut)).asked).toBe(2);
  }
});
