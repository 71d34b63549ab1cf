import {
  retryAfterOf,
  retryAfterSeconds,
  type OutboundBudget,
  type OutboundOutcome,
} from '@switchboard/domain';

export type BudgetAdmission =
  | { readonly kind: 'entered'; release(outcome: OutboundOutcome): void }
  | { readonly kind: 'refused'; readonly retryAfterSeconds: number }
  | { readonly kind: 'aborted' };

/** The allowances of the accounts that this process speaks for. */
export interface RequestBudgets {
  acquire(budget: OutboundBudget, signal: AbortSignal | undefined): Promise<BudgetAdmission>;
}

interface AccountBudget {
  running: number;
  /** Told to wait until then. */
  pausedUntilMs: number;
  /** When the next request would be due if all came evenly (GCRA); what lies ahead of now has been used up in advance. */
  nextDueMs: number;
  readonly waiters: Set<() => void>;
}

/** How long a request waits for the time that a platform asked for, or that its rate wants, before its caller is told to come back. */
const QUEUE_TIMEOUT_MS = 2_000;
/** How long it waits for other requests of its account, which come to their end sooner or later. */
const CONCURRENCY_TIMEOUT_MS = 10_000;
/** How much of a minute's allowance may be used at once. */
const BURST_MS = 10_000;
/** A longer wait is often about one thing only (uploads, posts of a day): after this somebody may look again. */
const PAUSE_MAX_MS = 5 * 60_000;
const ACCOUNTS_MAX = 1_000;

export function requestBudgets({
  nowMs,
  queueTimeoutMs = QUEUE_TIMEOUT_MS,
  concurrencyTimeoutMs = CONCURRENCY_TIMEOUT_MS,
}: {
  readonly nowMs: () => number;
  readonly queueTimeoutMs?: number | undefined;
  readonly concurrencyTimeoutMs?: number | undefined;
}): RequestBudgets {
  const accounts = new Map<string, AccountBudget>();

  const isIdle = (account: AccountBudget) =>
    account.running === 0 &&
    account.waiters.size === 0 &&
    Math.max(account.pausedUntilMs, account.nextDueMs) < nowMs();

  function getAccount(key: string): AccountBudget {
    const known = accounts.get(key);
    if (known) return known;
    if (accounts.size >= ACCOUNTS_MAX)
      for (const [each, account] of accounts) if (isIdle(account)) accounts.delete(each);
    const account = { running: 0, pausedUntilMs: 0, nextDueMs: 0, waiters: new Set<() => void>() };
    accounts.set(key, account);
    return account;
  }

  function releaseSlot(account: AccountBudget, outcome: OutboundOutcome): void {
    account.running -= 1;
    const pause = readPauseMs(outcome);
    if (pause !== null) account.pausedUntilMs = Math.max(account.pausedUntilMs, nowMs() + pause);
    for (const wake of account.waiters) wake();
  }

  return {
    async acquire({ key, concurrent, perMinute }, signal) {
      const account = getAccount(key);
      const intervalMs = perMinute === null ? 0 : 60_000 / perMinute;
      const [timeUntilMs, placeUntilMs] = [nowMs() + queueTimeoutMs, nowMs() + concurrencyTimeoutMs];
      for (;;) {
        if (signal?.aborted) return { kind: 'aborted' };
        const now = nowMs();
        const dueMs = Math.max(account.pausedUntilMs, perMinute === null ? 0 : account.nextDueMs - BURST_MS);
        if (dueMs <= now && account.running < concurrent) {
          account.running += 1;
          account.nextDueMs = Math.max(account.nextDueMs, now) + intervalMs;
          let isReleased = false;
          return {
            kind: 'entered',
            release: (outcome) => {
              if (!isReleased) releaseSlot(account, outcome);
              isReleased = true;
            },
          };
        }
        const until = dueMs > now ? timeUntilMs : placeUntilMs;
        if (Math.max(dueMs, now) >= until)
          return { kind: 'refused', retryAfterSeconds: Math.max(1, Math.ceil((dueMs - now) / 1_000)) };
        await waitForTurn(account, (dueMs > now ? dueMs : until) - now, signal);
      }
    },
  };
}

/** Until a place is free, a time has come or nobody waits any more. */
function waitForTurn(account: AccountBudget, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      account.waiters.delete(done);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, Math.ceil(ms));
    account.waiters.add(done);
    signal?.addEventListener('abort', done, { once: true });
  });
}

/** A date is read by the server's own clock, which it sends along. */
function readPauseMs(outcome: OutboundOutcome): number | null {
  if (outcome.kind !== 'answered') return null;
  const { status, headers } = outcome;
  const retryAfter = status === 429 ? retryAfterOf(headers) : headers['retry-after'];
  if (status !== 429 && !(status === 503 && retryAfter !== undefined)) return null;
  return Math.min(retryAfterSeconds(retryAfter, new Date(headers['date'] ?? NaN)) * 1_000, PAUSE_MAX_MS);
}
