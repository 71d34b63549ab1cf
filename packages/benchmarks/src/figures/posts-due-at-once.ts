import { randomUUID } from 'node:crypto';
import { sandboxControl } from '@switchboard/acceptance';
import { bareJobs } from '../baselines/bare-jobs.js';
import { toBenchmarkResult, type BenchmarkResult } from '../benchmark-result.js';
import { compare } from '../support/compare.js';
import { httpCaller } from '../support/http-caller.js';
import type { Installation } from '../support/installation.js';
import { percentile } from '../support/percentile.js';
import { logInToSandbox } from '../support/sandbox-login.js';
import { millisecondsOf } from '../support/rate.js';

const POSTS = 1000;
/** The minimal jobs are found up to half a second after they are due: the median of a few rounds is a chance result. */
const ROUNDS = 7;
/** More than are published in all rounds, by both sides. */
const POSTS_PER_DAY = 1_000_000;
const CALLERS = 8;
/** The number of scheduled posts from which the total duration is estimated. */
const SAMPLE = 40;
const DAY_MS = 86_400_000;
const DEADLINE_MS = 60_000;
const ACCOUNT = 'maren-holt';
/** Both sides send at most as many requests of one account at once as the service sends to a platform. */
const REQUESTS_AT_ONCE = 8;

/**
 * A thousand posts due at one time, on a platform that responds at once, compared with as many jobs that each
 * create the same post by one request.
 */
export async function postsDueAtOnce(installation: Installation): Promise<readonly BenchmarkResult[]> {
  const { switchboard } = installation;
  await sandboxControl(switchboard.sandboxUrl).settings({ posts_per_day: POSTS_PER_DAY });
  const createPost = httpCaller(switchboard.sandboxUrl, {
    callers: REQUESTS_AT_ONCE,
    headers: { authorization: `Bearer ${await logInToSandbox(switchboard, ACCOUNT)}` },
    status: 201,
  });
  const bare = await bareJobs(switchboard.databaseUrl, async () => {
    await createPost('/social/api/posts', { text: `Due ${randomUUID()}` });
  });
  const publishing = duePosts(installation);
  const latenesses: number[] = [];

  const ours = async () => {
    const lateness = await publishing.measureLateness();
    latenesses.push(...lateness);
    return (POSTS * 1000) / Math.max(...lateness);
  };
  const theirs = async () => (POSTS * 1000) / Math.max(...(await bare.measureLateness(POSTS)));

  try {
    const comparison = await compare(ours, theirs, ROUNDS);
    const label = `${POSTS} posts due at once`;
    return [
      toBenchmarkResult({
        figure: `${label}, from the due time to the last`,
        value: comparison.ours,
        unit: 'posts per second',
        reach: { at_least: 0.5 },
        comparedWith: {
          what: 'bare pg-boss jobs that each create a post by one request',
          value: comparison.theirs,
          ratio: comparison.ratio,
        },
      }),
      toBenchmarkResult({
        figure: `${label}, lateness p50`,
        value: percentile(latenesses, 50) / 1000,
        unit: 's',
        reach: { at_most: 5 },
      }),
      toBenchmarkResult({
        figure: `${label}, lateness p99`,
        value: percentile(latenesses, 99) / 1000,
        unit: 's',
        reach: { at_most: 5 },
      }),
      toBenchmarkResult({
        figure: `${label}, published early`,
        value: latenesses.filter((late) => late < 0).length,
        unit: 'posts',
        reach: { at_most: 0 },
      }),
    ];
  } finally {
    await Promise.all([publishing.close(), bare.close(), createPost.close()]);
  }
}

/** Schedules a thousand posts for one time, and measures by how many milliseconds each is published later. */
export function duePosts({ switchboard, pool, profile, socials }: Installation) {
  const headers = { authorization: `Bearer ${switchboard.keys.full}` };
  const send = httpCaller(switchboard.url, { callers: CALLERS, headers, status: 201 });
  const { ledger } = sandboxControl(switchboard.sandboxUrl);

  const schedule = async (posts: number, at: Date) => {
    const post = {
      profile_id: profile,
      targets: [{ connection_id: socials[0] }],
      scheduled_at: at.toISOString(),
    };
    let remaining = posts;
    const caller = async () => {
      while (remaining-- > 0) await send('/v1/social/posts', { ...post, text: `Due ${randomUUID()}` });
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
  };

  return {
    async measureLateness(): Promise<readonly number[]> {
      const before = (await ledger('post.created', ACCOUNT)).length;
      const sampleMs = await millisecondsOf(() => schedule(SAMPLE, new Date(Date.now() + DAY_MS)));
      const dueMs = Date.now() + 4000 + (1.5 * sampleMs * POSTS) / SAMPLE;
      await schedule(POSTS, new Date(dueMs));
      if (Date.now() > dueMs) throw new Error(`${POSTS} posts were not scheduled before they were due`);
      await new Promise((resolve) => setTimeout(resolve, dueMs - Date.now()));
      await until(async () => {
        const { rowCount } = await pool.query(
          `SELECT FROM deliveries
           WHERE status IN ('pending', 'retrying') AND coalesce(next_attempt_at, scheduled_at) <= $1 LIMIT 1`,
          [new Date(dueMs)],
        );
        return rowCount === 0;
      });
      let createdPosts: Awaited<ReturnType<typeof ledger>> = [];
      await until(async () => {
        createdPosts = (await ledger('post.created', ACCOUNT)).slice(before);
        return createdPosts.length >= POSTS;
      });
      return createdPosts.map(({ at }) => Date.parse(at) - dueMs);
    },
    close: () => send.close(),
  };
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  const deadlineMs = Date.now() + DEADLINE_MS;
  while (!(await isDone())) {
    if (Date.now() > deadlineMs) throw new Error(`not all of them were published within ${DEADLINE_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}
