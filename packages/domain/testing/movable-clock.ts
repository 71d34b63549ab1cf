import type { Clock } from '../src/ports/index.js';

export interface MovableClock extends Clock {
  advance(ms: number): void;
}

/**
 * A clock that is moved explicitly; sleeping advances it. Each reading is a millisecond later than the
 * previous one.
 */
export function movableClock(start = new Date('2026-03-02T09:00:00Z')): MovableClock {
  let timeMs = start.getTime();
  return {
    now: () => new Date(timeMs++),
    after: (ms) => new Date(timeMs + ms),
    sleep: async (ms) => {
      timeMs += ms;
    },
    advance: (ms) => {
      timeMs += ms;
    },
  };
}

/**
 * The real time, which can be advanced; sleeping takes real time. For tests with a database, whose clock
 * runs.
 */
export function advanceableClock(): MovableClock {
  let aheadMs = 0;
  return {
    now: () => new Date(Date.now() + aheadMs),
    after: (ms) => new Date(Date.now() + aheadMs + ms),
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        signal?.addEventListener('abort', () => (clearTimeout(timer), resolve()));
      }),
    advance: (ms) => {
      aheadMs += ms;
    },
  };
}
