import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom, type Random } from '@switchboard/sandbox';
import { eventually } from '../support/eventually.js';
import { startFleet, type Fleet } from './fleet.js';
import { startChaosInstallation, type ChaosInstallation } from './installation.js';
import { FIRST_MEMBERS } from './key-tree.js';
import { checkInvariants, type Invocation, type SettledPost, type InvariantReport } from './invariants.js';
import { createPlan, type PlannedPost } from './plan.js';

export interface ChaosOptions {
  readonly seed: number;
  readonly posts: number;
  readonly workers: number;
  readonly killEveryMs: number;
  readonly databaseRestarts: number;
  /** Whether workers are stopped beyond their lease and then resumed. */
  readonly pauses: boolean;
  /** Post requests per second. */
  readonly perSecond: number;
  /** Chaos ends at most this long after the last post request. */
  readonly chaosMs: number;
  /** The upper limit for scheduled waits; longer than the platforms need for an effect. */
  readonly waitSecondsMax?: number;
  /** The data directory of its PostgreSQL. */
  readonly stateDir: string;
  readonly log: (line: string) => void;
  readonly onOutput?: (text: string) => void;
}

export interface ChaosOutcome extends InvariantReport {
  readonly seed: number;
  readonly posts: number;
  readonly effects: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly attempts: number;
  readonly kills: number;
  readonly pauses: number;
  readonly database_restarts: number;
  /** Deliveries that needed a review and were resolved by keys of the tree, by outcome. */
  readonly resolutions: Readonly<Record<string, number>>;
  readonly keys: { readonly created: number; readonly rotated: number };
  readonly seconds: number;
  /** From the last kill, pause or restart to the last settled post. */
  readonly seconds_to_settle: number;
}

const CALLERS = 8;
const PROGRESS_INTERVAL_MS = 10_000;
/**
 * Chaos continues until this share of posts is settled, so that recovering deliveries are hit by faults
 * again.
 */
const SETTLED_SHARE = 0.9;
/** A delivery whose read-backs failed is read again at most 15 minutes later. */
const SETTLE_MAX_MS = 1_000_000;
/** A platform that responds late acts late; after this time the last effect has happened. */
const LATE_EFFECTS_MS = 5000;
/** Long enough for another worker to read back twice and resend the post. */
const EXTRA_PAUSE_MS = 50_000;

const SETTLED = `('published', 'needs_review', 'failed', 'missed', 'cancelled')`;

/**
 * Creates posts while injecting every fault. Then stops the faults and compares the platforms' ledger with
 * the service's state.
 */
export async function runChaos(options: ChaosOptions): Promise<ChaosOutcome> {
  const { seed, log } = options;
  const startedMs = Date.now();
  const plan = createPlan(seed, options.posts);
  const accounts = [...new Set(plan.posts.map(({ account }) => account))];
  const installation = await startChaosInstallation(options.stateDir, accounts);
  let fleet: Fleet | undefined;
  try {
    for (const fault of plan.faults) await installation.injectSandboxFault(fault);
    const workers = startFleet(
      options.workers,
      installation.workerEnv,
      options.onOutput ?? (() => undefined),
    );
    fleet = workers;
    await workers.waitUntilRunning();
    const quiet = new AbortController();
    const counts = { kills: 0, pauses: 0, restarts: 0, requested: 0 };
    const chaos = [
      killWorkers(workers, options, plan.random, counts, quiet.signal),
      ...(options.pauses ? [pauseWorkers(installation, workers, plan.random, counts, quiet.signal)] : []),
      restartDatabase(installation, options, plan.random, counts, quiet.signal),
      installation.tree.grow(seededRandom(`keys ${seed}`), quiet.signal),
    ];
    const resolutions: Record<string, number> = {};
    const progressTimer = setInterval(() => {
      void countStatuses(installation).then((statuses) =>
        log(
          `${Math.round((Date.now() - startedMs) / 1000)} s: ${JSON.stringify({ ...counts, ...statuses })}`,
        ),
      );
    }, PROGRESS_INTERVAL_MS);
    const { waitSecondsMax } = options;
    const expediteTimer = setInterval(() => {
      if (waitSecondsMax !== undefined) void expediteDeliveries(installation, waitSecondsMax);
    }, 1000);
    try {
      const invocations = await requestPosts(installation, plan.posts, options, counts);
      await waitUntilSettled(installation, options.posts * SETTLED_SHARE, options.chaosMs).catch(
        () => undefined,
      );
      quiet.abort();
      await Promise.all(chaos);
      const quietMs = Date.now();
      log('Quiet.');
      const acceptedCount = invocations.filter(({ outcome }) => outcome === 'ok').length;
      await waitUntilSettled(installation, acceptedCount, SETTLE_MAX_MS).catch((error: Error) =>
        log(error.message),
      );
      const settledMs = Date.now();
      await sleep(LATE_EFFECTS_MS);
      // The workers continue, so that an incorrect resend of a resolved delivery would be detected.
      await resolveHalf(installation, resolutions);
      await sleep(LATE_EFFECTS_MS);
      await workers.stop();
      const posts = await readSettledPosts(installation);
      const effects = await installation.listEffects(createNameLookups(plan.posts, posts, seed));
      const [{ attempts } = { attempts: 0 }] = await installation.database.rows<{ attempts: number }>(
        'SELECT sum(attempts)::int AS attempts FROM deliveries',
      );
      return {
        seed,
        posts: options.posts,
        effects: effects.length,
        statuses: await countStatuses(installation),
        attempts,
        kills: counts.kills,
        pauses: counts.pauses,
        database_restarts: counts.restarts,
        resolutions,
        keys: installation.tree.counts,
        seconds: Math.round((Date.now() - startedMs) / 1000),
        seconds_to_settle: Math.round((settledMs - quietMs) / 1000),
        ...checkInvariants(invocations, posts, effects),
      };
    } finally {
      clearInterval(progressTimer);
      clearInterval(expediteTimer);
      quiet.abort();
      await Promise.allSettled(chaos);
    }
  } finally {
    await fleet?.stop();
    await installation.close();
  }
}

interface ChaosCounts {
  kills: number;
  pauses: number;
  restarts: number;
  requested: number;
}

const createName = (seed: number, index: number) => `${seed}.${index}`;

function createNameLookups(planned: readonly PlannedPost[], posts: readonly SettledPost[], seed: number) {
  const byDelivery = new Map(posts.map(({ deliveryId, name }) => [deliveryId, name]));
  const byText = new Map(planned.map(({ text, index }) => [text, createName(seed, index)]));
  return {
    byDelivery: (id: string) => byDelivery.get(id) ?? `delivery ${id}`,
    byText: (text: string) => byText.get(text) ?? `text ${text}`,
  };
}

/** A client that retries the same request with the same key until it receives a definite response. */
async function requestPosts(
  { clientOf, profile, connections, injectFault }: ChaosInstallation,
  posts: readonly PlannedPost[],
  { seed, perSecond }: ChaosOptions,
  counts: ChaosCounts,
): Promise<readonly Invocation[]> {
  const startedMs = Date.now();
  const invocations: Invocation[] = [];
  const requestPost = async ({ index, text, account, fault }: PlannedPost): Promise<Invocation> => {
    const name = createName(seed, index);
    if (fault) await injectFault(account, fault);
    const body = {
      profile_id: profile,
      text,
      external_id: name,
      targets: [{ connection_id: connections.get(account.id) }],
    };
    for (;;) {
      // One idempotency key is used by one lineage only.
      const answer = await clientOf(index % FIRST_MEMBERS)
        .post('/social/posts', body, { 'Idempotency-Key': `chaos ${name}` })
        .catch(() => null);
      const status = answer?.status ?? 503;
      if (status === 201) return { name, outcome: 'ok', readBack: account.readBack };
      const isRetryable =
        status >= 500 || status === 429 || answer?.json['code'] === 'idempotency.in_progress';
      if (!isRetryable) throw new Error(`a post received the response ${status}: ${answer?.text}`);
      await sleep(200);
    }
  };
  const waiting = [...posts];
  const caller = async () => {
    for (let post = waiting.shift(); post; post = waiting.shift()) {
      await sleep(Math.max(0, startedMs + (post.index * 1000) / perSecond - Date.now()));
      invocations.push(await requestPost(post));
      counts.requested += 1;
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return invocations;
}

/**
 * Keys of the tree resolve half of the reviews according to the platform's ledger; the rest stay open for the
 * operator.
 */
async function resolveHalf(at: ChaosInstallation, resolutions: Record<string, number>): Promise<void> {
  const inReview = await at.database.rows<{ id: string; postId: string }>(
    `SELECT id, post_id AS "postId" FROM deliveries WHERE status = 'needs_review' ORDER BY id`,
  );
  const effects = new Set(
    (await at.listEffects({ byDelivery: (id) => id, byText: () => '' })).map(({ name }) => name),
  );
  for (const [index, { id, postId }] of inReview.entries()) {
    if (index % 2 === 1) continue;
    const outcome = effects.has(id) ? 'published' : 'not_published';
    const path = `/social/posts/${postId}/deliveries/${id}/resolve`;
    await at
      .clientOf(index % at.tree.size())
      .expect(200, 'POST', path, { body: { outcome, note: 'As the account shows.' } });
    resolutions[outcome] = (resolutions[outcome] ?? 0) + 1;
  }
}

async function killWorkers(
  fleet: Fleet,
  { killEveryMs }: ChaosOptions,
  random: Random,
  counts: ChaosCounts,
  quiet: AbortSignal,
): Promise<void> {
  while (await waitUnlessQuiet(killEveryMs, quiet)) {
    if (fleet.kill(random.pick)) counts.kills += 1;
  }
}

/** Waits until other workers have claimed everything that was claimed, and usually have resent it. */
async function pauseWorkers(
  { database }: ChaosInstallation,
  fleet: Fleet,
  random: Random,
  counts: ChaosCounts,
  quiet: AbortSignal,
): Promise<void> {
  while (await waitUnlessQuiet(random.int(2000, 6000), quiet)) {
    if (fleet.countRunning() < 2) continue;
    const leasedDeliveries = await database.rows<{ id: string; epoch: number }>(
      `SELECT id, epoch FROM deliveries WHERE lease_until > now()`,
    );
    const resume = fleet.pause(random.pick);
    if (!resume) continue;
    counts.pauses += 1;
    const [ids, epochs] = [leasedDeliveries.map(({ id }) => id), leasedDeliveries.map(({ epoch }) => epoch)];
    do {
      const [leased] = await database.rows<{ held: number }>(
        `SELECT count(*)::int AS held FROM deliveries d JOIN unnest($1::text[], $2::int[]) AS h(id, epoch) USING (id)
         WHERE d.epoch = h.epoch AND d.lease_until > now()`,
        [ids, epochs],
      );
      if (leased?.held === 0) break;
    } while (await waitUnlessQuiet(500, quiet));
    await waitUnlessQuiet(random.int(0, EXTRA_PAUSE_MS), quiet);
    resume();
  }
}

async function restartDatabase(
  { database }: ChaosInstallation,
  { databaseRestarts }: ChaosOptions,
  random: Random,
  counts: ChaosCounts,
  quiet: AbortSignal,
): Promise<void> {
  while (counts.restarts < databaseRestarts && (await waitUnlessQuiet(random.int(4000, 15_000), quiet))) {
    await database.restart();
    counts.restarts += 1;
  }
}

/** Waits; returns false when the run became quiet. */
const waitUnlessQuiet = (ms: number, quiet: AbortSignal): Promise<boolean> =>
  sleep(ms, true, { signal: quiet }).catch(() => false);

async function expediteDeliveries({ database }: ChaosInstallation, seconds: number): Promise<void> {
  await database.rows(
    `UPDATE deliveries SET next_attempt_at = now() + make_interval(secs => $1)
     WHERE next_attempt_at > now() + make_interval(secs => $1) AND status IN ('unknown', 'retrying')`,
    [seconds],
  );
}

async function countStatuses({ database }: ChaosInstallation): Promise<Readonly<Record<string, number>>> {
  const rows = await database.rows<{ status: string; count: number }>(
    'SELECT status, count(*)::int AS count FROM deliveries GROUP BY status ORDER BY status',
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

async function waitUntilSettled(
  { database }: ChaosInstallation,
  count: number,
  withinMs: number,
): Promise<void> {
  await eventually(
    `${count} posts are settled`,
    async () => {
      const [row] = await database.rows<{ settled: number }>(
        `SELECT count(*)::int AS settled FROM deliveries WHERE status IN ${SETTLED}`,
      );
      await sleep(500);
      return (row?.settled ?? 0) >= count ? true : null;
    },
    withinMs,
  );
}

async function readSettledPosts({ database }: ChaosInstallation): Promise<readonly SettledPost[]> {
  return database.rows<SettledPost>(`
    SELECT p.external_id AS name, d.id AS "deliveryId", d.status, d.external_id AS "externalId",
      ARRAY(SELECT a.kind || ' ' || a.outcome FROM delivery_attempts a WHERE a.delivery_id = d.id ORDER BY a.at, a.id) AS history,
      ARRAY(SELECT e.type FROM events e WHERE e.data->>'post_id' = p.id ORDER BY e.id) AS events
    FROM posts p JOIN deliveries d ON d.post_id = p.id`);
}
