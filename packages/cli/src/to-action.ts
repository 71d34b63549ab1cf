import type { Command } from 'commander';
import { CommandError } from './command-error.js';
import type { CommandResult } from './command-result.js';

/**
 * Wraps a command as an action of commander: prints its result, and turns a failure into its line and exit
 * code.
 */
export function toAction<Args extends unknown[]>(
  run: (this: Command, ...args: Args) => Promise<CommandResult>,
) {
  return async function (this: Command, ...args: Args): Promise<void> {
    const result = await run.apply(this, args);
    if (!result.ok) {
      const { code, message, problems = [] } = result.failure;
      const details = problems.map(({ path, message: reason }) => `${path}: ${reason}`).join('; ');
      const line = message === '' ? details : message;
      throw new CommandError(line, code === 'request.invalid' ? 2 : 1);
    }
    const { json, text, hasProblem } = result.value;
    const asJson = this.optsWithGlobals<{ json?: boolean }>().json === true;
    if (text !== null) process.stdout.write(`${asJson ? JSON.stringify(json, null, 2) : text}\n`);
    if (hasProblem) process.exitCode = 1;
  };
}
