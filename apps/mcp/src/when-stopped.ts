/** Runs `stop` once, on the first signal to end; a second signal is nothing new. */
export function whenStopped(stop: () => Promise<void>): void {
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (stopping) return;
      stopping = true;
      void stop();
    });
  }
}
