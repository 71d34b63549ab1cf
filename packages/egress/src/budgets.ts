import {
  retryAfterOf,
  retryAfterSeconds,
  type OutboundBudget,
  type OutboundOutcome,
} from '@switchboard/domain';

export type Entered =
  | { readonly kind: 'entered'; leave(outcome: OutboundOutcome): void }
  | { readonly kind: 'refused'; readonly retryAfterSeconds: number }
  | { readonly kind: 'aborted' };

/** The allowances of the accounts that this process speaks for. */
export interface Budgets {
  enter(budget: OutboundBudget, signal: AbortSignal | undefined): Promise<Entered>;
}

interface Account {
  running: number;
  /** Told to wait until then. */
  pausedUntilMs: number;
  /** When the next request would be due if all came evenly (GCRA); what lies ahead of now has been used up in advance. */
  evenMs: number;
  readonly waiting: Set<() => void>;
}

/** How long a request waits for the time that a platform asked for, or that its rate wants, before its caller is told to come back. */
const PATIENCE_MS = 2_000;
/** How long it waits for other requests of its account, which come to their end sooner or later. */
const PLACE_MS = 10_000;
/** How much of a minute's allowance may be used at once. */
const BURST_MS = 10_000;
/** A longer wait is often about one thing only (uploads, posts of a day): after this somebody may look again. */
const PAUSE_MAX_MS = 5 * 60_000;
const ACCOUNTS_KEPT = 1_000;

export function budgets({
  nowMs,
  patienceMs = PATIENCE_MS,
  placeMs = PLACE_MS,
}: {
  readonly nowMs: () => number;
  readonly patienceMs?: number | undefined;
  readonly placeMs?: number | undefined;
}): Budgets {
  const accounts = new Map<string, Account>();

  const isIdle = (account: Account) =>
    account.running === 0 &&
    account.waiting.size === 0 &&
    Math.max(account.pausedUntilMs, account.evenMs) < nowMs();

  function accountOf(key: string): Account {
    const known = accounts.get(key);
    if (known) return known;
    if (accounts.size >= ACCOUNTS_KEPT)
      for (const [each, account] of accounts) if (isIdle(account)) accounts.delete(each);
    const account = { running: 0, pausedUntilMs: 0, evenMs: 0, waiting: new Set<() => void>() };
    accounts.set(key, account);
    return account;
  }

  function leave(account: Account, outcome: OutboundOutcome): void {
    account.running -= 1;
    const pause = pauseMs(outcome);
    if (pause !== null) account.pausedUntilMs = Math.max(account.pausedUntilMs, nowMs() + pause);
    for (const wake of account.waiting) wake();
  }

  return {
    async enter({ key, concurrent, perMinute }, signal) {
      const account = accountOf(key);
      const intervalMs = perMinute === null ? 0 : 60_000 / perMinute;
      const [timeUntilMs, placeUntilMs] = [nowMs() + patienceMs, nowMs() + placeMs];
      for (;;) {
        if (signal?.aborted) return { kind: 'aborted' };
        const now = nowMs();
        const dueMs = Math.max(account.pausedUntilMs, perMinute === null ? 0 : account.evenMs - BURST_MS);
        if (dueMs <= now && account.running < concurrent) {
          account.running += 1;
          account.evenMs = Math.max(account.evenMs, now) + intervalMs;
          let left = false;
          return {
            kind: 'entered',
            leave: (outcome) => {
              if (!left) leave(account, outcome);
              left = true;
            },
          };
        }
        const until = dueMs > now ? timeUntilMs : placeUntilMs;
        if (Math.max(dueMs, now) >= until)
          return { kind: 'refused', retryAfterSeconds: Math.max(1, Math.ceil((dueMs - now) / 1_000)) };
        await turn(account, (dueMs > now ? dueMs : until) - now, signal);
      }
    },
  };
}

/** Until a place is free, a time has come or nobody waits any more. */
function turn(account: Account, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(late);
      account.waiting.delete(done);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const late = setTimeout(done, Math.ceil(ms));
    account.waiting.add(done);
    signal?.addEventListener('abort', done, { once: true });
  });
}

/** A date is read by the server's own clock, which it sends along. */
function pauseMs(outcome: OutboundOutcome): number | null {
  if (outcome.kind !== 'answered') return null;
  const { status, headers } = outcome;
  const later = status === 429 ? retryAfterOf(headers) : headers['retry-after'];
  if (status !== 429 && !(status === 503 && later !== undefined)) return null;
  return Math.min(retryAfterSeconds(later, new Date(headers['date'] ?? NaN)) * 1_000, PAUSE_MAX_MS);
}
