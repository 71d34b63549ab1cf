import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '@switchboard/domain';

const EVERY_MS = 5000;

export interface DatabaseClock {
  readonly clock: Clock;
  stop(): void;
}

interface Options {
  /** What time it is by the database's clock, in milliseconds since 1970. */
  readonly ask: () => Promise<number>;
  /** Never goes back, whatever happens to this machine's clock. */
  readonly elapsedMs: () => number;
  readonly onError: (error: unknown) => void;
  readonly everyMs?: number;
}

/**
 * The database's clock, as it is read in this process: asked once in a while, and counted on from there without looking at
 * this machine's own. What several processes and the database decide about times is then decided by one clock.
 */
export async function databaseClock({
  ask,
  elapsedMs,
  onError,
  everyMs = EVERY_MS,
}: Options): Promise<DatabaseClock> {
  let aheadMs = Number.NaN;

  /** The answer was true at some moment of the question: who is within that moment is right, and stays. */
  async function synchronise(): Promise<void> {
    const askedMs = elapsedMs();
    const saidMs = await ask();
    const answeredMs = elapsedMs();
    const [least, most] = [saidMs - answeredMs, saidMs - askedMs];
    if (!(aheadMs >= least && aheadMs <= most)) aheadMs = (least + most) / 2;
  }

  // The first answer waits for a connection to be opened.
  await ask();
  await synchronise();
  const following = setInterval(() => void synchronise().catch(onError), everyMs).unref();
  const inMs = (ms: number) => new Date(aheadMs + elapsedMs() + ms);
  return {
    clock: {
      now: () => inMs(0),
      after: inMs,
      sleep: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
    },
    stop: () => clearInterval(following),
  };
}
