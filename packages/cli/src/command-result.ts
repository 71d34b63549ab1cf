import { refuse, type Result } from '@switchboard/domain';

/** What a command has to say on stdout: one of the two, as asked. */
export interface CommandOutput {
  readonly json: unknown;
  /** For people; without a newline at the end. */
  readonly text: string;
  /** It was done, and what came out is not good: exit code 1. */
  readonly hasProblem?: boolean | undefined;
}

/** A refusal is one line on stderr and exit code 1; `request.invalid` is a matter of usage and exits with 2. */
export type CommandResult = Result<CommandOutput>;

export const commandOutput = (json: unknown, text: string, hasProblem = false): CommandResult => ({
  ok: true,
  value: { json, text, hasProblem },
});

export const usageError = (message: string) => refuse('request.invalid', message);
