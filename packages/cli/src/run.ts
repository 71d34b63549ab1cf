import { ConfigurationError, scrub } from '@switchboard/bootstrap';
import { CommanderError } from 'commander';
import { CommandError } from './command-error.js';
import { program } from './program.js';
import { printNotice } from './print-notice.js';

/** Runs one command line to its exit code: 0, 1 when it was not done, 2 when it was not understood. */
export async function run(argv: readonly string[]): Promise<number> {
  try {
    await program().parseAsync(argv);
    return Number(process.exitCode ?? 0);
  } catch (error) {
    // Help and version are no errors; of the others commander has told.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    printNotice(`switchboard: ${scrub(formatError(error))}`);
    return error instanceof CommandError ? error.exitCode : 1;
  }
}

function formatError(error: unknown): string {
  const message = String((error as Error | null)?.message ?? error).replace(/\s*\n\s*/g, ' ');
  const expected = error instanceof CommandError || error instanceof ConfigurationError;
  return expected
    ? message
    : `unexpected: ${message || 'an error without a message'} (LOG_LEVEL=error tells more)`;
}
