import { refuse, type Result } from '@switchboard/domain';

/** What a command has to say on stdout: one of the two, as asked. */
export interface Answer {
  readonly json: unknown;
  /** For people; without a newline at the end. */
  readonly text: string;
  /** It was done, and what came out is not good: exit code 1. */
  readonly bad?: boolean | undefined;
}

/** A refusal is one line on stderr and exit code 1; `request.invalid` is a matter of usage and exits with 2. */
export type Outcome = Result<Answer>;

export const answer = (json: unknown, text: string, bad = false): Outcome => ({
  ok: true,
  value: { json, text, bad },
});

export const misused = (message: string) => refuse('request.invalid', message);
