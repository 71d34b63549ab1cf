/**
 * Runs `stop` on the first signal, when the embedded database is stopped, or when the returned function is
 * called; later triggers have no effect.
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
