import { refuse, type Result } from '@switchboard/domain';

/** The stdout of a command: one of the two forms, as requested. */
interface CommandOutput {
  readonly json: unknown;
  /** For people; without a final newline. Null when the command has printed everything itself. */
  readonly text: string | null;
  /** The command succeeded and found a problem: exit code 1. */
  readonly hasProblem?: boolean | undefined;
}

/** A failure is one line on stderr and exit code 1; `request.invalid` is a usage error and exits with 2. */
export type CommandResult = Result<CommandOutput>;

export const commandOutput = (json: unknown, text: string | null, hasProblem = false): CommandResult => ({
  ok: true,
  value: { json, text, hasProblem },
});

export const usageError = (message: string) => refuse('request.invalid', message);
