import { startService, type Service } from '@switchboard/bootstrap';
import type { CommandResult } from './command-result.js';

export interface CommandContext {
  readonly service: Service;
  /** Aborted by the first Ctrl-C: running work finishes in order. */
  readonly signal: AbortSignal;
}

let opened = false;
export const wasServiceOpened = () => opened;

/**
 * Opens the service for one command and closes it in every case, so that no process and no lease is left
 * behind.
 */
export async function withService(
  run: (context: CommandContext) => Promise<CommandResult>,
): Promise<CommandResult> {
  const service = await startService({ app: 'cli', logTo: 'stderr' });
  opened = true;
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.once(signal, interrupt);
  try {
    return await run({ service, signal: interruption.signal });
  } catch (error) {
    service.log.error({ err: error }, 'command failed');
    throw error;
  } finally {
    for (const signal of signals) process.removeListener(signal, interrupt);
    await service.close();
  }
}
