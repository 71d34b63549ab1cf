import type { Clock } from '../src/index.js';

export interface MovableClock extends Clock {
  advance(ms: number): void;
}

/** A clock that stands still until it is moved; sleeping moves it. Each reading is a millisecond later than the one before. */
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

/** The real time, which can be moved ahead; sleeping takes as long as it says. For tests with a database, whose clock goes on. */
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
