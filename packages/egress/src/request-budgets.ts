import { retryAfterOf, retryAfterSeconds } from '@switchboard/domain';
import type { OutboundBudget, OutboundOutcome } from '@switchboard/domain/ports';

type BudgetAdmission =
  | { readonly kind: 'entered'; release(outcome: OutboundOutcome): void }
  | { readonly kind: 'refused'; readonly retryAfterSeconds: number }
  | { readonly kind: 'aborted' };

type RequestLimits = Pick<OutboundBudget, 'concurrent' | 'perMinute'>;

interface AccountBudget {
  running: number;
  /** The end of a pause that the platform requested. */
  pausedUntilMs: number;
  /** The theoretical arrival time of the next request (GCRA); the part beyond now is already consumed. */
  nextDueMs: number;
  readonly waiters: Set<() => void>;
}

/** How long a request waits for a platform's pause or rate limit before the caller receives a retry time. */
const QUEUE_TIMEOUT_MS = 2_000;
/** How long a request waits for other requests of its account, which complete eventually. */
const CONCURRENCY_TIMEOUT_MS = 10_000;
/** The share of a minute's budget that may be used at once. */
const BURST_MS = 10_000;
/**
 * A longer pause often concerns only one kind of request (uploads, daily posts): after this time requests
 * resume.
 */
const PAUSE_MAX_MS = 5 * 60_000;
const ACCOUNTS_MAX = 1_000;

/** The request budgets of the accounts that this process serves. */
export function requestBudgets({
  nowMs,
  queueTimeoutMs = QUEUE_TIMEOUT_MS,
  concurrencyTimeoutMs = CONCURRENCY_TIMEOUT_MS,
}: {
  readonly nowMs: () => number;
  readonly queueTimeoutMs?: number | undefined;
  readonly concurrencyTimeoutMs?: number | undefined;
}) {
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

  function releaseSlot(account: AccountBudget, limits: RequestLimits, outcome: OutboundOutcome): void {
    account.running -= 1;
    const pause = readPauseMs(outcome);
    if (pause === null) return wakeWaiters(account, limits);
    account.pausedUntilMs = Math.max(account.pausedUntilMs, nowMs() + pause);
    for (const wake of account.waiters) wake();
  }

  /**
   * As many as there are free places, because waking all costs each request the length of the queue; all where they wait
   * for the rate as well.
   */
  function wakeWaiters({ waiters, running }: AccountBudget, { concurrent, perMinute }: RequestLimits): void {
    const places = perMinute === null ? Math.max(0, concurrent - running) : waiters.size;
    for (const wake of [...waiters].slice(0, places)) wake();
  }

  return {
    async acquire(budget: OutboundBudget, signal: AbortSignal | undefined): Promise<BudgetAdmission> {
      const { key, concurrent, perMinute } = budget;
      const account = getAccount(key);
      const intervalMs = perMinute === null ? 0 : 60_000 / perMinute;
      const [timeUntilMs, placeUntilMs] = [nowMs() + queueTimeoutMs, nowMs() + concurrencyTimeoutMs];
      for (;;) {
        if (signal?.aborted) {
          // It may have been woken for a free place, which another can have.
          wakeWaiters(account, budget);
          return { kind: 'aborted' };
        }
        const now = nowMs();
        const dueMs = Math.max(account.pausedUntilMs, perMinute === null ? 0 : account.nextDueMs - BURST_MS);
        if (dueMs <= now && account.running < concurrent) {
          account.running += 1;
          account.nextDueMs = Math.max(account.nextDueMs, now) + intervalMs;
          let isReleased = false;
          return {
            kind: 'entered',
            release: (outcome) => {
              if (!isReleased) releaseSlot(account, budget, outcome);
              isReleased = true;
            },
          };
        }
        const until = dueMs > now ? timeUntilMs : placeUntilMs;
        if (Math.max(dueMs, now) >= until) {
          wakeWaiters(account, budget);
          return { kind: 'refused', retryAfterSeconds: Math.max(1, Math.ceil((dueMs - now) / 1_000)) };
        }
        await waitForTurn(account, (dueMs > now ? dueMs : until) - now, signal);
      }
    },
  };
}

/** Resolves when a place is free, the time has passed or the caller aborts. */
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

/** A date is relative to the server's own clock, which the response includes. */
function readPauseMs(outcome: OutboundOutcome): number | null {
  if (outcome.kind !== 'answered') return null;
  const { status, headers } = outcome;
  const retryAfter = status === 429 ? retryAfterOf(headers) : headers['retry-after'];
  if (status !== 429 && !(status === 503 && retryAfter !== undefined)) return null;
  return Math.min(retryAfterSeconds(retryAfter, new Date(headers['date'] ?? NaN)) * 1_000, PAUSE_MAX_MS);
}
