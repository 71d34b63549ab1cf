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
) {
  const abort = new AbortController();
  let stopped = false;
  let isRunning = false;
  let isWoken = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const runTurn = () => {
    isRunning = true;
    isWoken = false;
    running = Promise.resolve()
      .then(() => sweep(abort.signal))
      .catch(onError)
      .then(() => {
        isRunning = false;
        if (!stopped) timer = setTimeout(runTurn, isWoken ? 0 : intervalMs);
      });
  };
  timer = setTimeout(runTurn, intervalMs);
  return {
    /** Sweeps now, or again as soon as the running sweep has ended. */
    wake() {
      if (stopped) return;
      if (isRunning) {
        isWoken = true;
        return;
      }
      clearTimeout(timer);
      runTurn();
    },
    /** Waits for the running sweep; after the grace period it is aborted. */
    async stop(graceMs = GRACE_MS) {
      stopped = true;
      clearTimeout(timer);
      const grace = setTimeout(() => abort.abort(), graceMs);
      await running;
      clearTimeout(grace);
    },
  };
}
