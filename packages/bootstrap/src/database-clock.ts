import type { Clock } from '@switchboard/domain/ports';

const SYNC_INTERVAL_MS = 5000;

export interface DatabaseClock {
  readonly clock: Clock;
  stop(): void;
}

interface DatabaseClockOptions {
  /** The time of the database clock, in milliseconds since 1970. */
  readonly readDatabaseMs: () => Promise<number>;
  /** Monotonic, even when the clock of this machine changes. */
  readonly elapsedMs: () => number;
  readonly onError: (error: unknown) => void;
  readonly syncIntervalMs?: number;
}

/**
 * The database clock as this process reads it: queried periodically, and advanced from there without the
 * clock of this machine. A single clock then decides times for several processes and the database.
 */
export async function databaseClock({
  readDatabaseMs,
  elapsedMs,
  onError,
  syncIntervalMs = SYNC_INTERVAL_MS,
}: DatabaseClockOptions): Promise<DatabaseClock> {
  let offsetMs = Number.NaN;

  /**
   * The returned time was true at some moment during the query: a local time within that interval is
   * consistent, and stays.
   */
  async function synchronize(): Promise<void> {
    const requestedMs = elapsedMs();
    const databaseMs = await readDatabaseMs();
    const respondedMs = elapsedMs();
    const [least, most] = [databaseMs - respondedMs, databaseMs - requestedMs];
    if (!(offsetMs >= least && offsetMs <= most)) offsetMs = (least + most) / 2;
  }

  // The first query waits for a connection to open.
  await readDatabaseMs();
  await synchronize();
  const syncTimer = setInterval(() => void synchronize().catch(onError), syncIntervalMs).unref();
  const timeAfter = (ms: number) => new Date(offsetMs + elapsedMs() + ms);
  return {
    clock: {
      now: () => timeAfter(0),
      after: timeAfter,
      sleep,
    },
    stop: () => clearInterval(syncTimer),
  };
}

/** Unlike that of node:timers/promises it does not create an error for a signal, which takes longer than the timer. */
function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = () => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
    resolve();
  };
  const timer = setTimeout(end, ms);
  signal?.addEventListener('abort', end);
  if (signal?.aborted) end();
  return promise;
}
