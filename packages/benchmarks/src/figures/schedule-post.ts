import { randomUUID } from 'node:crypto';
import { bareSchedule } from '../baselines/bare-schedule.js';
import { toBenchmarkResult, type BenchmarkResult } from '../benchmark-result.js';
import { compare } from '../support/compare.js';
import { httpCaller } from '../support/http-caller.js';
import type { Installation } from '../support/installation.js';
import { rateOf } from '../support/rate.js';

const CALLERS = 8;
const ROUNDS = 5;
const WINDOW_MS = 2000;
const AHEAD_MS = 30 * 86_400_000;

/**
 * Scheduling one post, with its idempotency key, compared with only the SQL statements of that transaction.
 */
export async function schedulePost(installation: Installation): Promise<readonly BenchmarkResult[]> {
  const { switchboard, profile, socials } = installation;
  const headers = { authorization: `Bearer ${switchboard.keys.full}` };
  const ours = httpCaller(switchboard.url, { callers: CALLERS, headers, status: 201 });
  const theirs = await bareSchedule(installation);
  const scheduledAt = new Date(Date.now() + AHEAD_MS).toISOString();
  try {
    const load = { callers: CALLERS, windowMs: WINDOW_MS };
    const post = () =>
      ours(
        '/v1/social/posts',
        {
          profile_id: profile,
          text: `Scheduled ${randomUUID()}`,
          scheduled_at: scheduledAt,
          targets: [{ connection_id: socials[0] }],
        },
        { 'idempotency-key': randomUUID() },
      );
    const comparison = await compare(
      () => rateOf(post, load),
      () => rateOf(() => theirs.schedule(), load),
      ROUNDS,
    );
    return [
      toBenchmarkResult({
        figure: 'POST /v1/social/posts, scheduled, 8 callers',
        value: comparison.ours,
        unit: 'posts per second',
        reach: { at_least: 0.5 },
        comparedWith: {
          what: 'the same statements through bare pg',
          value: comparison.theirs,
          ratio: comparison.ratio,
        },
      }),
    ];
  } finally {
    await Promise.all([ours.close(), theirs.close()]);
  }
}
