import { CommandError } from './command-error.js';

/** Runs long work that Ctrl-C ends in order; `consequence` says what is left of it. */
export async function untilInterrupted<T>(
  consequence: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.once(signal, interrupt);
  try {
    return await work(interruption.signal);
  } catch (error) {
    if (interruption.signal.aborted) throw new CommandError(`interrupted. ${consequence}`, 1);
    throw error;
  } finally {
    for (const signal of signals) process.removeListener(signal, interrupt);
  }
}
