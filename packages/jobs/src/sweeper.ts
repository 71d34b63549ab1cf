/** How long a sweep that runs may take to come to its end when it is stopped. */
const GRACE_MS = 8000;

/** Runs `sweep` again and again, never twice at once, until it is stopped. A failure is reported and the next turn comes anyway. */
export function repeat(
  sweep: (stop: AbortSignal) => Promise<void>,
  intervalMs: number,
  onError: (error: unknown) => void,
): {
  /** Waits for the sweep that runs; after the grace it is asked to give up. */
  stop(graceMs?: number): Promise<void>;
} {
  const giveUp = new AbortController();
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const turn = () => {
    running = Promise.resolve()
      .then(() => sweep(giveUp.signal))
      .catch(onError)
      .then(() => {
        if (!stopped) timer = setTimeout(turn, intervalMs);
      });
  };
  timer = setTimeout(turn, intervalMs);
  return {
    async stop(graceMs = GRACE_MS) {
      stopped = true;
      clearTimeout(timer);
      const grace = setTimeout(() => giveUp.abort(), graceMs);
      await running;
      clearTimeout(grace);
    },
  };
}
