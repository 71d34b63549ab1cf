/** How long a sweep that runs may take to come to its end when it is stopped. */
const GRACE_MS = 8000;

/** Runs `sweep` again and again, never twice at once, until it is stopped. A failure is reported and the next turn comes anyway. */
export function runPeriodically(
  sweep: (stop: AbortSignal) => Promise<void>,
  intervalMs: number,
  onError: (error: unknown) => void,
): {
  /** Waits for the sweep that runs; after the grace it is asked to give up. */
  stop(graceMs?: number): Promise<void>;
} {
  const abort = new AbortController();
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const runTurn = () => {
    running = Promise.resolve()
      .then(() => sweep(abort.signal))
      .catch(onError)
      .then(() => {
        if (!stopped) timer = setTimeout(runTurn, intervalMs);
      });
  };
  timer = setTimeout(runTurn, intervalMs);
  return {
    async stop(graceMs = GRACE_MS) {
      stopped = true;
      clearTimeout(timer);
      const grace = setTimeout(() => abort.abort(), graceMs);
      await running;
      clearTimeout(grace);
    },
  };
}
