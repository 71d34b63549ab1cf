/** Runs `sweep` again and again, never twice at once, until it is stopped. A failure is reported and the next turn comes anyway. */
export function repeat(
  sweep: (stop: AbortSignal) => Promise<void>,
  intervalMs: number,
  onError: (error: unknown) => void,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const turn = () => {
    running = sweep(stopping.signal)
      .catch(onError)
      .then(() => {
        if (!stopping.signal.aborted) timer = setTimeout(turn, intervalMs);
      });
  };
  timer = setTimeout(turn, intervalMs);
  return {
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
