import { randomBytes, randomUUID } from 'node:crypto';
import { asText } from '@switchboard/acceptance';
import { WORK_CHANNEL } from '@switchboard/bootstrap';
import { formatId, type ProfileId, type WorkspaceId } from '@switchboard/domain';
import { insertEvents } from '@switchboard/persistence/testing';
import type pg from 'pg';
import { bareJobs } from '../baselines/bare-jobs.js';
import { toBenchmarkResult, type BenchmarkResult } from '../benchmark-result.js';
import { compare } from '../support/compare.js';
import { httpCaller } from '../support/http-caller.js';
import type { Installation } from '../support/installation.js';
import { percentile } from '../support/percentile.js';
import { residentMibOf } from '../support/process-usage.js';
import { startReceiver, type Receiver } from '../support/receiver.js';

const EVENTS = 500;
const ENDPOINTS = 10;
const ROUNDS = 4;
/** Requests that one endpoint receives at once; the minimal jobs send as many as all endpoints together receive. */
const PER_ENDPOINT = 4;
const DEADLINE_MS = 300_000;

const FAIRNESS_ROUNDS = 3;
const TIMED_EVENTS = 400;
const TIMED_EVERY_MS = 50;
const BACKLOG = 1_000_000;
const SMALL_BACKLOG = 1000;
const BATCH = 5000;
const OBSERVED_MS = 30_000;

/**
 * Deliveries to webhooks, compared with queue jobs that each send one such request; the delay of a healthy endpoint
 * beside three that misbehave; and the memory of the worker during a long backlog.
 */
export async function webhookDeliveries(installation: Installation): Promise<readonly BenchmarkResult[]> {
  const receiver = await startReceiver();
  const webhooks = await openWebhooks(installation, receiver);
  try {
    return [
      ...(await measureRate(installation, receiver, webhooks)),
      await measureFairness(receiver, webhooks),
      await measureBacklog(installation, receiver, webhooks),
    ];
  } finally {
    await webhooks.close();
    await receiver.close();
  }
}

async function openWebhooks({ client, pool, profile, socials }: Installation, receiver: Receiver) {
  const { workspace } = await client.expect(200, 'GET', '/me');
  const workspaceId = asText((workspace as { id: unknown }).id) as WorkspaceId;
  const ids: string[] = [];
  return {
    async create(path: string): Promise<string> {
      const body = { url: `${receiver.url}${path}`, events: ['post.*'], disabled: true };
      const id = asText((await client.expect(201, 'POST', '/webhooks', { body }))['id']);
      ids.push(id);
      return id;
    },
    async enable(enabled: readonly string[]): Promise<void> {
      for (const id of ids) {
        const body = { disabled: !enabled.includes(id) };
        await client.expect(200, 'PATCH', `/webhooks/${id}`, { body });
      }
    },
    append: (count: number) => appendEvents(pool, workspaceId, profile as ProfileId, count),
    /** One event through the API. */
    async createDraft(): Promise<void> {
      const body = {
        profile_id: profile,
        text: `Draft ${randomUUID()}`,
        targets: [{ connection_id: socials[0] }],
        draft: true,
      };
      await client.expect(201, 'POST', '/social/posts', { body });
    },
    async close(): Promise<void> {
      for (const id of ids) await client.expect(204, 'DELETE', `/webhooks/${id}`);
    },
  };
}

type Webhooks = Awaited<ReturnType<typeof openWebhooks>>;

/** Many events at once, which no user causes, announced as the service does. */
async function appendEvents(
  pool: pg.Pool,
  workspaceId: WorkspaceId,
  profileId: ProfileId,
  count: number,
): Promise<void> {
  const data = eventData();
  const events = Array.from({ length: count }, () => ({
    id: formatId('evt', Date.now(), randomBytes(10)),
    workspaceId,
    type: 'post.updated',
    profileId,
    data,
  }));
  const { text, values } = insertEvents(events);
  await pool.query(text, values);
  await pool.query('SELECT pg_notify($1, $2)', [WORK_CHANNEL, 'send_events']);
}

const eventData = () => ({
  post_id: 'pst_01kah3v5w8e2m6r9t0x4y7z1ab',
  status: 'scheduled',
  scheduled_at: new Date().toISOString(),
  deliveries: [
    {
      delivery_id: 'dlv_01kah3v5w8e2m6r9t0x4y7z1ab',
      connection_id: 'con_01kah3v5w8e2m6r9t0x4y7z1ab',
      platform: 'sandbox_social',
      status: 'pending',
      external_id: null,
      url: null,
      error: null,
    },
  ],
});

async function measureRate(
  { switchboard }: Installation,
  receiver: Receiver,
  webhooks: Webhooks,
): Promise<readonly BenchmarkResult[]> {
  const ids: string[] = [];
  for (let index = 0; index < ENDPOINTS; index++) ids.push(await webhooks.create('/fast'));
  /** `events` to so many endpoints. */
  const deliver = (endpoints: number) => async () => {
    const deliveries = EVENTS * ENDPOINTS;
    await receiver.reset();
    const beganMs = Date.now();
    await webhooks.append(deliveries / endpoints);
    const { lastMs } = await until(receiver, '/fast', deliveries);
    return (deliveries * 1000) / (lastMs - beganMs);
  };
  const compareWithJobs = async (endpoints: number) => {
    const atOnce = endpoints * PER_ENDPOINT;
    const post = httpCaller(receiver.url, { callers: atOnce, headers: {}, status: 204 });
    const request = () =>
      post('/bare', { id: 'evt_01kah3v5w8e2m6r9t0x4y7z1ab', type: 'post.updated', data: eventData() });
    const bare = await bareJobs(switchboard.databaseUrl, request, atOnce);
    const theirs = async () => {
      const jobs = EVENTS * ENDPOINTS;
      return (jobs * 1000) / Math.max(...(await bare.measureLateness(jobs)));
    };
    try {
      return await compare(deliver(endpoints), theirs, ROUNDS);
    } finally {
      await Promise.all([bare.close(), post.close()]);
    }
  };
  try {
    const results: BenchmarkResult[] = [];
    for (const endpoints of [ENDPOINTS, 1]) {
      await webhooks.enable(ids.slice(0, endpoints));
      const { ours, theirs: jobs, ratio } = await compareWithJobs(endpoints);
      results.push(
        toBenchmarkResult({
          figure: `webhook deliveries to ${endpoints === 1 ? 'one endpoint' : `${endpoints} endpoints`}`,
          value: ours,
          unit: 'deliveries per second',
          reach: { at_least: 0.7 },
          comparedWith: {
            what: `bare pg-boss jobs that each send one request, ${endpoints * PER_ENDPOINT} at once`,
            value: jobs,
            ratio,
          },
        }),
      );
    }
    return results;
  } finally {
    await webhooks.enable([]);
  }
}

/**
 * From the commit of an event to its receipt. Both sides alternate; each begins with endpoints that are enabled anew,
 * so that nothing is paused.
 */
async function measureFairness(receiver: Receiver, webhooks: Webhooks): Promise<BenchmarkResult> {
  const healthy = await webhooks.create('/timed');
  const misbehaving = [];
  for (const path of ['/hang', '/drip', '/huge']) misbehaving.push(await webhooks.create(path));
  const p99Of = (enabled: readonly string[]) => async () => {
    await webhooks.enable(enabled);
    await receiver.reset();
    for (let index = 0; index < TIMED_EVENTS; index++) {
      await webhooks.createDraft();
      await new Promise((resolve) => setTimeout(resolve, TIMED_EVERY_MS));
    }
    const { delaysMs } = await until(receiver, '/timed', TIMED_EVENTS);
    await webhooks.enable([]);
    return percentile(delaysMs, 99);
  };
  const { ours, theirs, ratio } = await compare(
    p99Of([healthy, ...misbehaving]),
    p99Of([healthy]),
    FAIRNESS_ROUNDS,
  );
  return toBenchmarkResult({
    figure: 'p99 of a healthy endpoint beside one that hangs, one that drips and one that answers 10 GB',
    value: ours,
    unit: 'ms',
    reach: { at_most: 1.2 },
    comparedWith: { what: 'the same endpoint alone', value: theirs, ratio },
  });
}

/** Memory of the process that delivers, while it works through a backlog. */
async function measureBacklog(
  { switchboard }: Installation,
  receiver: Receiver,
  webhooks: Webhooks,
): Promise<BenchmarkResult> {
  const id = await webhooks.create('/backlog');
  const peakMib = async (refill: () => Promise<void>) => {
    const samples: number[] = [];
    for (const endMs = Date.now() + OBSERVED_MS; Date.now() < endMs;) {
      await refill();
      samples.push(await residentMibOf(switchboard.rest.pid));
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    return percentile(samples, 95);
  };
  await webhooks.enable([id]);
  await receiver.reset();
  let appended = 0;
  const small = await peakMib(async () => {
    const { count } = await receiver.read('/backlog');
    if (appended - count >= SMALL_BACKLOG) return;
    await webhooks.append(SMALL_BACKLOG);
    appended += SMALL_BACKLOG;
  });
  for (let added = 0; added < BACKLOG; added += BATCH) await webhooks.append(BATCH);
  await receiver.reset();
  const large = await peakMib(() => Promise.resolve());
  const { count } = await receiver.read('/backlog');
  if (count === 0 || count >= BACKLOG) throw new Error(`the backlog was not measured: ${count} deliveries`);
  await webhooks.enable([]);
  return toBenchmarkResult({
    figure: `memory while delivering from a backlog of ${BACKLOG} events`,
    value: large,
    unit: 'MiB',
    reach: { at_most: 1.2 },
    comparedWith: { what: `a backlog of ${SMALL_BACKLOG} events`, value: small },
  });
}

async function until(receiver: Receiver, path: string, count: number) {
  for (const endMs = Date.now() + DEADLINE_MS; ;) {
    const received = await receiver.read(path);
    if (received.count >= count) return received;
    if (Date.now() > endMs) throw new Error(`${received.count} of ${count} messages were received`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
