/**
 * Runs `stop` on the first signal to end, when somebody stopped the database under us, or when what is answered here is called;
 * whatever comes second is nothing new.
 */
export function onShutdown(databaseStopped: Promise<void>, stop: () => Promise<void>): () => void {
  let isStopping = false;
  const shutDown = () => {
    if (isStopping) return;
    isStopping = true;
    void stop();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, shutDown);
  void databaseStopped.then(shutDown);
  return shutDown;
}
