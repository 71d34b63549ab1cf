import type { Journal } from './journal.js';

/** The sandbox's own time: the given clock plus an offset. The offset survives a restart. */
export interface Clock {
  now(): Date;
  advanceSeconds(seconds: number): void;
  set(now: Date): void;
  reset(): void;
}

export function adjustableClock(base: () => Date, journal: Journal): Clock {
  const offsets = journal.collection<number>('clock');
  const offsetMs = () => offsets.get('offset_ms') ?? 0;
  return {
    now: () => new Date(base().getTime() + offsetMs()),
    advanceSeconds: (seconds) => offsets.set('offset_ms', offsetMs() + Math.round(seconds * 1000)),
    set: (now) => offsets.set('offset_ms', now.getTime() - base().getTime()),
    reset: () => offsets.delete('offset_ms'),
  };
}
