/**
 * Runs `stop` on the first signal to end, when somebody stopped the database under us, or when what is answered here is called;
 * whatever comes second is nothing new.
 */
export function whenStopped(databaseStopped: Promise<void>, stop: () => Promise<void>): () => void {
  let stopping = false;
  const begin = () => {
    if (stopping) return;
    stopping = true;
    void stop();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, begin);
  void databaseStopped.then(begin);
  return begin;
}
