import type { Command } from 'commander';
import { CommandRefused } from './command-refused.js';
import type { Outcome } from './outcome.js';

/** Makes what a command does into commander's action: prints the answer, and turns a refusal into its line and exit code. */
export function act<Args extends unknown[]>(run: (...args: Args) => Promise<Outcome>) {
  return async function (this: Command, ...args: Args): Promise<void> {
    const outcome = await run(...args);
    if (!outcome.ok) {
      const { code, message, problems = [] } = outcome.failure;
      const details = problems.map(({ path, message: why }) => `${path}: ${why}`).join('; ');
      const line = message === '' ? details : message;
      throw new CommandRefused(line, code === 'request.invalid' ? 2 : 1);
    }
    const { json, text, bad } = outcome.value;
    const asJson = this.optsWithGlobals<{ json?: boolean }>().json === true;
    process.stdout.write(`${asJson ? JSON.stringify(json, null, 2) : text}\n`);
    if (bad) process.exitCode = 1;
  };
}
