import type { Quota } from '../ports/index.js';
import type { PlannedTarget } from './plan-post.js';

export interface QuotaTarget extends PlannedTarget {
  /** How much is left of what this post uses; null where nobody counts, and where the account did not say. */
  readonly quotaLeft: number | null;
}

/** How far a quota reaches that is given back bit by bit. */
const DAY_MS = 86_400_000;

/** Whether what is left of these quotas is enough for a target. */
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
      .map(({ quota, needed, left }) => ({
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

/** Of there being more of it when the post goes out. */
type QuotaOutlook = 'none' | 'some' | 'good';

function assessQuota({ resetsAt }: Quota, at: Date, now: Date): QuotaOutlook {
  if (resetsAt) return at < resetsAt ? 'none' : 'good';
  if (at <= now) return 'none';
  return at.getTime() < now.getTime() + DAY_MS ? 'some' : 'good';
}

function describeShortage({ name, limit, resetsAt }: Quota, needed: number, left: number): string {
  const until = resetsAt ? ` until ${resetsAt.toISOString()}` : '';
  return `The account has ${left} of its ${limit} ${name} left${until}, and this takes ${needed}.`;
}
