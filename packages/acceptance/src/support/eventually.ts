const POLL_MS = 50;

/** Polls until the value is present; fails after a timeout that only a fault can exceed. */
export async function eventually<Seen>(
  what: string,
  poll: () => Promise<Seen | null>,
  withinMs = 60_000,
): Promise<Seen> {
  const deadlineMs = Date.now() + withinMs;
  for (;;) {
    const result = await poll();
    if (result !== null) return result;
    if (Date.now() > deadlineMs) throw new Error(`Not reached within ${withinMs} ms: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
