import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { openOperator } from '@switchboard/acceptance';
import { Pool } from 'undici';
import { toBenchmarkResult, type BenchmarkResult } from '../benchmark-result.js';
import { compareReads, readerOf, withoutDates } from '../support/compare-reads.js';
import { startInstallation, type Installation } from '../support/installation.js';
import { median, percentile } from '../support/percentile.js';
import { processorMsOf, processorMsOfPostgres } from '../support/process-usage.js';
import { millisecondsOf } from '../support/rate.js';
import { seedGrowth, sumBestTimes, type InstallationSize } from '../support/seed-growth.js';
import { duePosts } from './posts-due-at-once.js';

/** The large installation, with `SWITCHBOARD_BENCH_GROWTH` as a factor, such as 0.01 for a quick run. */
const factor = Number(process.env['SWITCHBOARD_BENCH_GROWTH'] ?? 1);
const LARGE: InstallationSize = scale(factor, {
  waitingPosts: 1_000_000,
  publishedPosts: 300_000,
  accounts: 50,
  workspaces: 1000,
  connections: 100_000,
  auditRows: 1_900_000,
  events: 1_000_000,
  idempotencyKeys: 1_000_000,
  refunds: 100_000,
});
/** Enough for full pages. */
const SMALL: InstallationSize = {
  waitingPosts: 1000,
  publishedPosts: 1000,
  accounts: 50,
  workspaces: 3,
  connections: 100,
  auditRows: 1000,
  events: 1000,
  idempotencyKeys: 1000,
  refunds: 1000,
};
const ROUNDS = 40;
/** Includes every job that runs each minute once. */
const REST_MS = 60_000;
/**
 * Until caches are filled, statistics are written and the work after a start has ended. A worker takes up to 40 ms/s
 * more between 10 and 20 s after it has published a thousand posts.
 */
const SETTLE_MS = 45_000;
const SCHEDULED = 100;
/** A p99 of at least four hundred reads. */
const ATTACK_MS = 20_000;

function scale(by: number, size: InstallationSize): InstallationSize {
  const entries = Object.entries(size) as [keyof InstallationSize, number][];
  const scaled = entries.map(([name, count]) => [name, name === 'accounts' ? count : Math.ceil(count * by)]);
  return Object.fromEntries(scaled) as Record<keyof InstallationSize, number>;
}

const BEST_TIMES = '/social/analytics/best-times';

/** Every read, as a path below /v1, with the most milliseconds that it may take in the large installation. */
const reads = (): Readonly<Record<string, number>> => {
  const [yearAgo, monthAgo, now] = [days(-365), days(-30), days(0)];
  const day = (at: string) => at.slice(0, 10);
  return {
    '/me': 100,
    '/workspace': 100,
    '/profiles?limit=20': 100,
    '/connections?limit=20': 100,
    '/connections?status=needs_reauth': 100,
    '/connections?external_id=none': 100,
    '/connections?metadata.customer=none': 100,
    '/social/posts/pst_01b00000000000000000000007': 100,
    '/social/posts/pst_01a00000000000000000000007/history': 100,
    '/social/posts?limit=20': 100,
    '/social/posts?sort=scheduled_at': 100,
    '/social/posts?status=scheduled': 100,
    '/social/posts?status=scheduled&sort=scheduled_at': 100,
    '/social/posts?status=published': 100,
    '/social/posts?status=failed': 100,
    '/social/posts?status=publishing': 100,
    '/social/posts?external_id=01a7': 100,
    '/social/posts?external_id=none': 100,
    '/social/posts?metadata.campaign=autumn': 100,
    '/social/posts?metadata.campaign=none': 100,
    '/social/posts?platform=sandbox_social': 100,
    '/social/posts?platform=bluesky': 100,
    [`/social/posts?scheduled_after=${days(2)}&sort=scheduled_at`]: 100,
    [`/social/posts?published_after=${now}`]: 100,
    '/attention': 100,
    '/events?limit=20': 100,
    '/audit?limit=20': 100,
    '/audit?actor=none': 100,
    '/audit?action=none': 100,
    '/social/media': 100,
    '/ecommerce/refunds?limit=20': 100,
    '/keys': 100,
    '/approvals': 100,
    '/webhooks': 100,
    [`/social/analytics?from=${day(monthAgo)}&to=${day(now)}`]: 1000,
    [`/social/analytics?from=${day(yearAgo)}&to=${day(now)}`]: 1000,
    [`/social/analytics?from=${day(yearAgo)}&to=${day(now)}&group_by=post&sort=-likes`]: 1000,
    [BEST_TIMES]: 1000,
    [`${BEST_TIMES}?from=${day(yearAgo)}&to=${day(now)}`]: 1000,
  };
};

const days = (count: number): string => new Date(Date.now() + count * 86_400_000).toISOString();

/** What a caller can ask that the database has no single index for. */
const worstFilters = [
  `/social/posts?status=published&metadata.campaign=none&scheduled_before=${days(-400)}`,
  `/social/posts?status=scheduled&platform=bluesky`,
  `/social/posts?status=scheduled&published_after=${days(-400)}`,
  `/social/posts?scheduled_before=${days(-100)}`,
  `/social/posts?published_before=${days(-400)}`,
  `/social/posts?metadata.campaign=autumn&platform=bluesky&sort=scheduled_at`,
  `/social/posts?status=published&sort=scheduled_at&published_before=${days(-400)}`,
  `/audit?actor=key_1&action=action_2`,
  `/audit?actor=key_1&object=none`,
  `/social/analytics?from=${days(-365).slice(0, 10)}&to=${days(0).slice(0, 10)}&group_by=post`,
];

/** A large installation beside a small one, on one PostgreSQL. Takes about twenty minutes, and reports each figure at once. */
export async function growth(report: (results: readonly BenchmarkResult[]) => void): Promise<[]> {
  const add = (result: Parameters<typeof toBenchmarkResult>[0]) => report([toBenchmarkResult(result)]);
  const small = await startInstallation({ label: '_small' });
  try {
    await seedGrowth(small, SMALL);
    const smallAtRest = await measureAtRest(small);
    const large = await startInstallation({ label: '_large' });
    try {
      let bytesPerPost = NaN;
      const seedMs = await millisecondsOf(async () => ({ bytesPerPost } = await seedGrowth(large, LARGE)));
      add({ figure: 'growth: seeding', value: seedMs / 1000, unit: 's', reach: { at_most: 600 } });
      add({
        figure: 'growth: one post with one delivery, indexes included',
        value: bytesPerPost,
        unit: 'bytes',
        reach: { at_most: 10_000 },
      });
      await sumBestTimes(large, [BEST_TIMES]);
      await compareReads({ benchmark: 'growth', small, large, reads: reads(), rounds: ROUNDS }, report);
      const scheduling = { small: await scheduleTimes(small), large: await scheduleTimes(large) };
      add({
        figure: 'growth: POST /social/posts, scheduled, p50',
        value: median(scheduling.large),
        unit: 'ms',
        reach: { at_most: 2 },
        comparedWith: { what: 'the small installation', value: median(scheduling.small) },
      });
      const [lateSmall, lateLarge] = [await latenessOf(small), await latenessOf(large)];
      add({
        figure: 'growth: a thousand posts due at once, lateness p99',
        value: percentile(lateLarge, 99),
        unit: 'ms',
        reach: { at_most: 2 },
        comparedWith: { what: 'the small installation', value: percentile(lateSmall, 99) },
      });
      report(await measureAttack(large));
      await small.switchboard.rest.stop();
      const largeAtRest = await measureAtRest(large);
      for (const [what, of] of [
        ['PostgreSQL', 'postgres'],
        ['worker', 'worker'],
      ] as const) {
        add({
          figure: `growth: ${what} at rest, above the small installation`,
          value: largeAtRest[of] - smallAtRest[of],
          unit: 'ms per second',
          reach: { at_most: 5 },
        });
        add({
          figure: `growth: ${what} at rest`,
          value: largeAtRest[of],
          unit: 'ms per second',
          reach: { at_most: 2 },
          comparedWith: { what: 'the small installation', value: smallAtRest[of] },
        });
      }
      const [startSmall, startLarge] = [await restartMs(small), await restartMs(large)];
      add({
        figure: 'growth: restart of REST with its worker, until ready',
        value: startLarge,
        unit: 'ms',
        reach: { at_most: 2 },
        comparedWith: { what: 'the small installation', value: startSmall },
      });
    } finally {
      await large.close();
    }
  } finally {
    await small.close();
  }
  return [];
}

async function scheduleTimes({ client, profile, socials }: Installation): Promise<readonly number[]> {
  const times: number[] = [];
  for (let round = 0; round < SCHEDULED; round += 1) {
    const body = {
      profile_id: profile,
      text: `Scheduled ${randomUUID()}`,
      scheduled_at: days(30),
      targets: [{ connection_id: socials[0] }],
    };
    times.push(await millisecondsOf(() => client.expect(201, 'POST', '/social/posts', { body })));
  }
  return times;
}

async function latenessOf(installation: Installation): Promise<readonly number[]> {
  const posts = duePosts(installation);
  try {
    return await posts.measureLateness();
  } finally {
    await posts.close();
  }
}

/** One workspace sends the worst filters, ten at once, while another one reads its post. */
async function measureAttack(installation: Installation): Promise<readonly BenchmarkResult[]> {
  const { switchboard, pool } = installation;
  const operator = await openOperator(switchboard);
  const workspaceId = await operator.createWorkspace('bystander');
  const { token } = await operator.createKey({
    scopes: ['posts:read', 'posts:write', 'profiles:read'],
    workspaceId,
  });
  await operator.close();
  const bystander = readerOf(installation, token);
  const gone = new AbortController();
  const filterTimes = worstFilters.map((): number[] => []);
  // `fetch` costs this process twice the time, which the measured reads would wait for.
  const attackers = new Pool(new URL(switchboard.url).origin, { connections: worstFilters.length });
  const headers = { authorization: `Bearer ${switchboard.keys.full}` };
  const attack = async (path: string, index: number) => {
    while (!gone.signal.aborted) {
      const answer = attackers.request({ path: `/v1${path}`, method: 'GET', headers, signal: gone.signal });
      const ms = await millisecondsOf(() => answer.then(({ body }) => body.dump()).catch(() => undefined));
      filterTimes[index]?.push(ms);
    }
  };
  try {
    const created = await fetch(`${switchboard.url}/v1/social/posts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'Calm', draft: true }),
    });
    const { id } = (await created.json()) as { id: string };
    const readFor = async (durationMs: number) => {
      const times: number[] = [];
      const untilMs = performance.now() + durationMs;
      while (performance.now() < untilMs) {
        times.push(await millisecondsOf(() => bystander(`/v1/social/posts/${id}`)));
        await sleep(20);
      }
      return times;
    };
    const calm = await readFor(ATTACK_MS);
    const attacks = worstFilters.map(attack);
    const times = await readFor(ATTACK_MS);
    gone.abort();
    await Promise.all(attacks);
    await sleep(1000);
    const { rows } = await pool.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity
       WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()
         AND query_start < now() - interval '1 second' AND backend_type = 'client backend'`,
    );
    return [
      toBenchmarkResult({
        figure: 'growth: another workspace reads a post beside ten of the worst filters, p99',
        value: percentile(times, 99),
        unit: 'ms',
        reach: { at_most: 100 },
      }),
      toBenchmarkResult({
        figure: 'growth: the same without them, p99',
        value: percentile(calm, 99),
        unit: 'ms',
        reach: { at_most: 100 },
      }),
      ...worstFilters.map((path, index) =>
        toBenchmarkResult({
          figure: `growth: beside nine others, GET ${withoutDates(path)}, p50`,
          value: median(filterTimes[index] ?? []),
          unit: 'ms',
          reach: { at_most: 10_000 },
        }),
      ),
      toBenchmarkResult({
        figure: 'growth: statements that run a second after their callers disconnected',
        value: rows[0]?.count ?? NaN,
        unit: 'statements',
        reach: { at_most: 0 },
      }),
    ];
  } finally {
    gone.abort();
    await Promise.all([attackers.close(), bystander.close()]);
  }
}

/** Milliseconds of processor time per second. */
async function measureAtRest({ pool, switchboard }: Installation) {
  await sleep(SETTLE_MS);
  const read = async () =>
    [await processorMsOfPostgres(pool), await processorMsOf(switchboard.rest.pid)] as const;
  const before = await read();
  await sleep(REST_MS);
  const after = await read();
  const perSecond = (index: 0 | 1) => ((after[index] - before[index]) * 1000) / REST_MS;
  return { postgres: perSecond(0), worker: perSecond(1) };
}

async function restartMs({ switchboard }: Installation): Promise<number> {
  await switchboard.rest.stop();
  return millisecondsOf(() => switchboard.restartRest());
}
