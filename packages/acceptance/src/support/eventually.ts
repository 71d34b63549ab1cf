const POLL_MIN_MS = 20;
const POLL_MAX_MS = 400;

/**
 * Polls until the value is present; fails after a timeout that only a fault can exceed. The pause is a tenth of the
 * time waited so far: a long wait costs little processor time, a short one little delay.
 */
export async function eventually<Seen>(
  what: string,
  poll: () => Promise<Seen | null>,
  withinMs = 180_000,
): Promise<Seen> {
  const beganMs = Date.now();
  for (;;) {
    const result = await poll();
    if (result !== null) return result;
    const waitedMs = Date.now() - beganMs;
    if (waitedMs > withinMs) throw new Error(`Not reached within ${withinMs} ms: ${what}.`);
    const pauseMs = Math.min(POLL_MAX_MS, Math.max(POLL_MIN_MS, waitedMs / 10));
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

const RUNS_MAX = 8;

/**
 * The least result of several runs, the last of which is the first below `limit`: load on the machine delays a
 * single run, and a fault delays all of them.
 */
export async function leastUntil(limit: number, run: () => Promise<number>): Promise<number> {
  let least = Infinity;
  for (let nth = 0; nth < RUNS_MAX && !(least < limit); nth++) least = Math.min(least, await run());
  return least;
}
