import { actorName, type Call } from '../call.js';
import type { Ports, Quota } from '../ports/index.js';
import { placeOf } from './check-targets.js';
import type { DraftPost } from './draft-post.js';
import type { PlannedTarget } from './plan-post.js';

export interface QuotaTarget extends PlannedTarget {
  /** How much is left of what this post uses; null where nobody counts, and where the account did not say. */
  readonly quotaLeft: number | null;
}

export type QuotaPorts = Pick<Ports, 'platforms' | 'sessions' | 'clock'>;

/** How long a validation waits for accounts. All are asked at once, and who has not answered by then has not said. */
const BUDGET_MS = 5000;
/** How far a quota reaches that is given back bit by bit. */
const DAY_MS = 86_400_000;

/** Asks the accounts that have quotas how much is left, and whether it is enough. Nothing is reserved. */
export async function checkQuotas(
  ports: QuotaPorts,
  call: Call,
  post: DraftPost,
  targets: readonly PlannedTarget[],
): Promise<readonly QuotaTarget[]> {
  const stop = new AbortController();
  const signal = AbortSignal.any([call.signal, stop.signal]);
  let timeUp: Promise<null> | null = null;
  try {
    return await Promise.all(
      targets.map(async (target, index) => {
        const asked = ask(ports, call, target, signal);
        if (!asked) return { ...target, quotaLeft: null };
        timeUp ??= ports.clock.sleep(BUDGET_MS, signal).then(() => null);
        const quotas = await Promise.race([asked, timeUp]);
        return quotas
          ? judge(target, quotas, placeOf(post, index), ports.clock.now())
          : { ...target, quotaLeft: null };
      }),
    );
  } finally {
    stop.abort();
  }
}

function ask(
  { platforms, sessions }: QuotaPorts,
  call: Call,
  { connection }: PlannedTarget,
  signal: AbortSignal,
): Promise<readonly Quota[] | null> | null {
  const publishing = platforms.find(connection.platform)?.publishing;
  const quotas = publishing?.quotas?.bind(publishing);
  if (!quotas || connection.status === 'needs_reauth') return null;
  const use = { purpose: 'check', actor: actorName(call) } as const;
  return sessions.open(connection, use, signal).then(async (session) => {
    const told = session.ok ? await quotas(session.value) : session;
    return told.ok ? told.value : null;
  });
}

function judge(target: PlannedTarget, quotas: readonly Quota[], path: string, now: Date): QuotaTarget {
  const { contents, when, problems, warnings } = target;
  const used = quotas.flatMap((quota) => {
    const needed = contents.filter(({ kind }) => quota.usedBy.includes(kind)).length;
    return needed > 0 ? [{ quota, needed, left: Math.max(0, quota.limit - quota.used) }] : [];
  });
  const missing = (chance: Chance) =>
    used
      .filter(({ quota, needed, left }) => left < needed && chanceOf(quota, when.at, now) === chance)
      .map(({ quota, needed, left }) => ({
        path,
        code: 'quota.exceeded',
        message: words(quota, needed, left),
      }));
  return {
    ...target,
    problems: [...problems, ...missing('none')],
    warnings: [...warnings, ...missing('some')],
    quotaLeft: used.length === 0 ? null : Math.min(...used.map(({ left }) => left)),
  };
}

/** Of there being more of it when the post goes out. */
type Chance = 'none' | 'some' | 'good';

function chanceOf({ resetsAt }: Quota, at: Date, now: Date): Chance {
  if (resetsAt) return at < resetsAt ? 'none' : 'good';
  if (at <= now) return 'none';
  return at.getTime() < now.getTime() + DAY_MS ? 'some' : 'good';
}

function words({ name, limit, resetsAt }: Quota, needed: number, left: number): string {
  const until = resetsAt ? ` until ${resetsAt.toISOString()}` : '';
  return `The account has ${left} of its ${limit} ${name} left${until}, and this takes ${needed}.`;
}
