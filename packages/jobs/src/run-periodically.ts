/** How long a running sweep may take to complete after a stop. */
const GRACE_MS = 8000;

/**
 * Runs `sweep` repeatedly, never concurrently, until it is stopped. A failure is reported and the next sweep
 * runs anyway.
 */
export function runPeriodically(
  sweep: (stop: AbortSignal) => Promise<void>,
  intervalMs: number,
  onError: (error: unknown) => void,
): {
  /** Waits for the running sweep; after the grace period it is aborted. */
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
