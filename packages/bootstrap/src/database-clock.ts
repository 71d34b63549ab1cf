import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '@switchboard/domain';

const SYNC_INTERVAL_MS = 5000;

export interface DatabaseClock {
  readonly clock: Clock;
  stop(): void;
}

interface DatabaseClockOptions {
  /** What time it is by the database's clock, in milliseconds since 1970. */
  readonly readDatabaseMs: () => Promise<number>;
  /** Never goes back, whatever happens to this machine's clock. */
  readonly elapsedMs: () => number;
  readonly onError: (error: unknown) => void;
  readonly syncIntervalMs?: number;
}

/**
 * The database's clock, as it is read in this process: asked once in a while, and counted on from there without looking at
 * this machine's own. What several processes and the database decide about times is then decided by one clock.
 */
export async function databaseClock({
  readDatabaseMs,
  elapsedMs,
  onError,
  syncIntervalMs = SYNC_INTERVAL_MS,
}: DatabaseClockOptions): Promise<DatabaseClock> {
  let offsetMs = Number.NaN;

  /** The answer was true at some moment of the question: who is within that moment is right, and stays. */
  async function synchronize(): Promise<void> {
    const requestedMs = elapsedMs();
    const databaseMs = await readDatabaseMs();
    const respondedMs = elapsedMs();
    const [least, most] = [databaseMs - respondedMs, databaseMs - requestedMs];
    if (!(offsetMs >= least && offsetMs <= most)) offsetMs = (least + most) / 2;
  }

  // The first answer waits for a connection to be opened.
  await readDatabaseMs();
  await synchronize();
  const syncTimer = setInterval(() => void synchronize().catch(onError), syncIntervalMs).unref();
  const timeAfter = (ms: number) => new Date(offsetMs + elapsedMs() + ms);
  return {
    clock: {
      now: () => timeAfter(0),
      after: timeAfter,
      sleep: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
    },
    stop: () => clearInterval(syncTimer),
  };
}
