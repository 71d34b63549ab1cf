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
