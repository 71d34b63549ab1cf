import { ConfigurationError, scrub } from '@switchboard/bootstrap';
import { CommanderError } from 'commander';
import { CommandError } from './command-error.js';
import { program } from './program.js';
import { printNotice } from './print-notice.js';

/** Runs one command line and returns its exit code: 0, 1 for a failure, 2 for a usage error. */
export async function run(argv: readonly string[]): Promise<number> {
  try {
    await program().parseAsync(argv);
    return Number(process.exitCode ?? 0);
  } catch (error) {
    // Help and version are not errors; commander has reported the others.
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
    : `unexpected error: ${message || 'no message'} (set LOG_LEVEL=error for details)`;
}
