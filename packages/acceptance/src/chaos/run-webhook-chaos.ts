import { setTimeout as sleep } from 'node:timers/promises';
import { startProgram, type Program } from '../support/program.js';
import { programs } from '../support/programs.js';
import { asObjects, asText } from '../support/json.js';
import { restClient, type RestClient } from '../support/rest-client.js';
import type { Switchboard } from '../support/installation.js';
import { startSwitchboard } from '../support/start-switchboard.js';
import { startWebhookReceiver, verifySignature, type WebhookReceiver } from '../support/webhook-receiver.js';

export interface WebhookChaosOptions {
  readonly name: string;
  /** A separate database instead of one on the test server. */
  readonly databaseUrl?: string | undefined;
  /** Each is sent to every endpoint. */
  readonly events: number;
  readonly endpoints: number;
  readonly workers: number;
  readonly killEveryMs: number;
  readonly log: (line: string) => void;
}

/** One request of five fails: every other of them with 500, the others with a closed connection. */
const FAILING = 5;
const OBJECTS = 10;
const PATIENCE_MS = 600_000;
const CHECK_MS = 500;
const PROGRESS_MS = 15_000;

/** This endpoint fails completely while events are written; its owner then requests their redelivery. */
const DOWN = '/0';

/**
 * Workers are killed while they deliver events to endpoints that fail. Afterwards every endpoint has received
 * every event, each with one id and valid signatures, and its sequence gives the order of its object.
 */
export async function runWebhookChaos(options: WebhookChaosOptions) {
  const receiver = await startWebhookReceiver();
  const switchboard = await startSwitchboard({
    name: options.name,
    databaseUrl: options.databaseUrl,
    env: {
      SWITCHBOARD_ROLES: 'http',
      SWITCHBOARD_ALLOW_PRIVATE_HOSTS: receiver.host,
      SWITCHBOARD_WEBHOOK_RETRIES: Array<string>(20).fill('0.5s').join(','),
    },
  });
  try {
    return await deliverThroughKills(switchboard, receiver, options);
  } finally {
    await switchboard.stop();
    await receiver.close();
  }
}

async function deliverThroughKills(
  switchboard: Switchboard,
  receiver: WebhookReceiver,
  { events, endpoints, workers, killEveryMs, log }: WebhookChaosOptions,
) {
  const client = restClient(switchboard.url, switchboard.keys.full);
  const secrets = new Map<string, string>();
  const ids = new Map<string, string>();
  /** The events that a path answered with 204. */
  const accepted = new Map<string, Set<string>>();
  const broken: string[] = [];
  let [requests, isDown, refused] = [0, true, 0];
  const since = new Date().toISOString();
  for (let index = 0; index < endpoints; index++) {
    const path = `/${index}`;
    receiver.respond(path, (response, request) => {
      requests += 1;
      const problem = findSignatureProblem(secrets.get(path), request);
      if (problem !== null) broken.push(`${path}: ${request.event.id}: ${problem}`);
      if (path === DOWN && isDown) {
        refused += 1;
        response.writeHead(503, { 'retry-after': '1' }).end();
      } else if (requests % (2 * FAILING) === 0) response.writeHead(500).end();
      else if (requests % FAILING === 0) response.destroy();
      else {
        accepted.get(path)?.add(request.event.id);
        response.writeHead(204).end();
      }
    });
    accepted.set(path, new Set());
    const body = { url: `${receiver.url}${path}`, events: ['post.updated'] };
    const { id, secret } = await client.expect(201, 'POST', '/webhooks', { body });
    secrets.set(path, asText(secret));
    ids.set(path, asText(id));
  }
  const { after } = await client.expect(200, 'GET', '/events', { query: { after: 'now' } });

  /** Those that are ready, and all of them. */
  const [fleet, started]: [Program[], Program[]] = [[], []];
  const startWorker = async () => {
    const worker = startProgram(programs.cli, switchboard.env, ['worker'], { ownGroup: true });
    started.push(worker);
    await worker.waitForOutput(/The worker is ready/);
    fleet.push(worker);
  };
  const changing = new AbortController();
  let kills = 0;
  const killing = (async () => {
    while (!changing.signal.aborted) {
      await sleep(killEveryMs);
      const worker = fleet.shift();
      if (!worker) continue;
      worker.kill('SIGKILL');
      await worker.exited;
      kills += 1;
      await startWorker();
    }
  })();
  try {
    await Promise.all(Array.from({ length: workers }, startWorker));
    await changePosts(client, events);
    log(`${events} events were written.`);
    isDown = false;
    await client.expect(200, 'POST', `/webhooks/${ids.get(DOWN) ?? ''}/redeliver`, { body: { since } });
    const listed = await listUpdates(client, asText(after));
    const isComplete = () => [...accepted.values()].every((ids) => listed.every(({ id }) => ids.has(id)));
    for (let waitedMs = 0; !isComplete() && waitedMs < PATIENCE_MS; waitedMs += CHECK_MS) {
      if (waitedMs % PROGRESS_MS === 0) {
        const counts = [...accepted].map(([path, ids]) => `${path}: ${ids.size}`).join(', ');
        log(`After ${waitedMs / 1000} s, of ${events} events were accepted by ${counts} (${kills} kills).`);
      }
      await sleep(CHECK_MS);
    }
    for (const [path, accepts] of accepted) broken.push(...findViolations(receiver, path, accepts, listed));
    if (listed.length !== events) broken.push(`${listed.length} events instead of ${events}`);
    return { events, endpoints, kills, requests: receiver.requests.length, refused, broken };
  } finally {
    changing.abort();
    await killing;
    for (const worker of started) worker.kill('SIGKILL');
    await Promise.all(started.map((worker) => worker.exited));
  }
}

/** Drafts that are changed concurrently, each by one caller: one event for each change. */
async function changePosts(client: RestClient, events: number): Promise<void> {
  await Promise.all(
    Array.from({ length: OBJECTS }, async (_, object) => {
      const body = { text: `Draft ${object}`, draft: true };
      const id = asText((await client.expect(201, 'POST', '/social/posts', { body }))['id']);
      for (let change = object; change < events; change += OBJECTS)
        await client.expect(200, 'PATCH', `/social/posts/${id}`, { body: { text: `Change ${change}` } });
    }),
  );
}

interface ListedEvent {
  readonly id: string;
  readonly sequence: number;
  readonly post: unknown;
}

async function listUpdates(client: RestClient, from: string): Promise<readonly ListedEvent[]> {
  const listed: ListedEvent[] = [];
  for (let after = from, hasMore = true; hasMore;) {
    const page = await client.expect(200, 'GET', '/events', {
      query: { after, type: 'post.updated', limit: 100 },
    });
    for (const { id, sequence, data } of asObjects(page['data']))
      listed.push({
        id: asText(id),
        sequence: Number(sequence),
        post: (data as { post_id: unknown }).post_id,
      });
    after = asText(page['after']);
    hasMore = page['has_more'] === true;
  }
  return listed;
}

/** Verified on receipt: the library refuses an old timestamp. */
function findSignatureProblem(
  secret: string | undefined,
  request: WebhookReceiver['requests'][number],
): string | null {
  try {
    verifySignature(secret ?? '', request);
    return null;
  } catch (error) {
    return String(error);
  }
}

function findViolations(
  receiver: WebhookReceiver,
  path: string,
  accepted: ReadonlySet<string>,
  listed: readonly ListedEvent[],
): string[] {
  const broken: string[] = [];
  const received = new Map<string, number>();
  for (const request of receiver.requests.filter((one) => one.path === path)) {
    const { id, sequence } = request.event;
    if (request.headers['webhook-id'] !== id) broken.push(`${path}: ${id} has another webhook-id`);
    if ((received.get(id) ?? sequence) !== sequence) broken.push(`${path}: ${id} has two sequences`);
    received.set(id, sequence);
  }
  const missing = listed.filter(({ id }) => !accepted.has(id)).length;
  if (missing > 0) broken.push(`${path}: ${missing} events were not accepted`);
  for (const post of new Set(listed.map((event) => event.post))) {
    const order = listed.filter((event) => event.post === post).map(({ id }) => received.get(id) ?? 0);
    if (order.some((sequence, index) => index > 0 && sequence <= (order[index - 1] ?? 0)))
      broken.push(`${path}: the sequence of ${String(post)} is not its order`);
  }
  return broken;
}
