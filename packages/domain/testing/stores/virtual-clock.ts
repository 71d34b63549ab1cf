import type { Clock } from '../../src/ports/index.js';

/**
 * A clock on which many can sleep concurrently: when all wait, time jumps to the earliest wake-up. A store
 * with a latency of fifty milliseconds and a timeout of ten seconds take no real time, and happen in the
 * right order.
 */
export function virtualClock(start = new Date('2026-03-02T09:00:00Z')) {
  let nowMs = start.getTime();
  const sleepers = new Set<{ readonly wakeMs: number; readonly wake: () => void }>();
  let pumping = false;

  const pump = () => {
    if (pumping) return;
    pumping = true;
    setImmediate(() => {
      pumping = false;
      const first = [...sleepers].sort((a, b) => a.wakeMs - b.wakeMs)[0];
      if (!first) return;
      nowMs = Math.max(nowMs, first.wakeMs);
      first.wake();
      pump();
    });
  };

  const clock: Clock & { advance(ms: number): void } = {
    now: () => new Date(nowMs),
    after: (ms) => new Date(nowMs + ms),
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const sleeper = {
          wakeMs: nowMs + ms,
          wake: () => {
            sleepers.delete(sleeper);
            resolve();
          },
        };
        signal?.addEventListener('abort', sleeper.wake, { once: true });
        sleepers.add(sleeper);
        pump();
      }),
    advance: (ms) => {
      nowMs += ms;
    },
  };
  return clock;
}
