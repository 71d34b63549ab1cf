import type { BenchmarkResult } from '../benchmark-result.js';
import { compareReads } from '../support/compare-reads.js';
import { startInstallation } from '../support/installation.js';
import { seedGrowth, sumBestTimes, type InstallationSize } from '../support/seed-growth.js';

const LARGE: InstallationSize = {
  publishedPosts: 300_000,
  waitingPosts: 0,
  accounts: 50,
  workspaces: 0,
  connections: 0,
  auditRows: 0,
  events: 0,
  idempotencyKeys: 0,
  refunds: 0,
};
const SMALL: InstallationSize = { ...LARGE, publishedPosts: 1000 };
const ROUNDS = 100;
const DAY_MS = 86_400_000;

/** Reports over a year of 300,000 posts, beside a year of a thousand. */
export async function analytics(report: (results: readonly BenchmarkResult[]) => void): Promise<[]> {
  const small = await startInstallation({ label: '_small' });
  try {
    await seedGrowth(small, SMALL);
    const large = await startInstallation({ label: '_large' });
    try {
      await seedGrowth(large, LARGE);
      await sumBestTimes(large, [bestTimes(30)]);
      await compareReads({ benchmark: 'analytics', small, large, reads: reads(), rounds: ROUNDS }, report);
    } finally {
      await large.close();
    }
  } finally {
    await small.close();
  }
  return [];
}

/** With the most milliseconds that each may take. */
const reads = (): Readonly<Record<string, number>> => ({
  [`/social/analytics?${lastDays(30)}&group_by=platform`]: 200,
  [`/social/analytics?${lastDays(366)}&group_by=platform`]: 200,
  [`/social/analytics?${lastDays(366)}&group_by=post`]: 1000,
  [`/social/analytics?${lastDays(366)}&group_by=post&sort=-likes`]: 1000,
  [bestTimes(30)]: 1000,
  [bestTimes(366)]: 1000,
});

const bestTimes = (days: number) => `/social/analytics/best-times?${lastDays(days)}`;

function lastDays(count: number): string {
  const [from, to] = [1 - count, 0].map((days) =>
    new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10),
  );
  return `from=${from}&to=${to}`;
}
