import type { Problem } from '../failure.js';
import type { Quota } from '../ports/index.js';
import type { PlannedTarget } from './plan-post.js';

export interface QuotaTarget extends PlannedTarget {
  /**
   * The remaining quota that this post uses; null where there is none, and where the account did not report
   * it.
   */
  readonly quotaLeft: number | null;
}

/** The window of a sliding quota. */
const DAY_MS = 86_400_000;

/** Whether the remaining quotas are sufficient for a target. */
export function checkQuotas(
  target: PlannedTarget,
  quotas: readonly Quota[],
  path: string,
  now: Date,
): QuotaTarget {
  const { contents, when, problems, warnings } = target;
  const used = quotas.flatMap((quota) => {
    const needed = contents.filter(({ kind }) => quota.usedBy.includes(kind)).length;
    return needed > 0 ? [{ quota, needed, left: Math.max(0, quota.limit - quota.used) }] : [];
  });
  const missing = (outlook: QuotaOutlook) =>
    used
      .filter(({ quota, needed, left }) => left < needed && assessQuota(quota, when.at, now) === outlook)
      .map(({ quota, needed, left }): Problem => ({
        path,
        code: 'quota.exceeded',
        message: describeShortage(quota, needed, left),
      }));
  return {
    ...target,
    problems: [...problems, ...missing('none')],
    warnings: [...warnings, ...missing('some')],
    quotaLeft: used.length === 0 ? null : Math.min(...used.map(({ left }) => left)),
  };
}

/** The chance that more quota is available when the post is published. */
type QuotaOutlook = 'none' | 'some' | 'good';

function assessQuota({ resetsAt }: Quota, at: Date, now: Date): QuotaOutlook {
  if (resetsAt) return at < resetsAt ? 'none' : 'good';
  if (at <= now) return 'none';
  return at.getTime() < now.getTime() + DAY_MS ? 'some' : 'good';
}

function describeShortage({ name, limit, resetsAt }: Quota, needed: number, left: number): string {
  const until = resetsAt ? ` until ${resetsAt.toISOString()}` : '';
  return `The account has ${left} of its ${limit} ${name} left${until}; this post needs ${needed}.`;
}
