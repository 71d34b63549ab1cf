import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '@switchboard/domain/ports';

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => new Date(),
  after: (ms) => new Date(Date.now() + ms),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
};
