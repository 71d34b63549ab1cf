import type { ProblemDetails } from '@switchboard/operations';
import type { NextTool } from './next-tool.js';

type AdviceInput = Omit<ProblemDetails, 'next'>;

/**
 * What an agent should do about a failure, in one or two sentences made of our own words only. `isNamed`: there is a call
 * that helps, and where `next` is null none of the caller's tools makes it.
 */
export function adviceFor(problem: AdviceInput, next: NextTool | null, isNamed: boolean): string {
  const nextStep = next
    ? `Next, call ${next.operation}${withArguments(next)}.`
    : describeRemedy(problem, isNamed);
  return [effectNotices[problem.effect], describeWait(problem), nextStep].filter(Boolean).join(' ');
}

const effectNotices: Record<ProblemDetails['effect'], string> = {
  none: '',
  applied: 'It has happened: do not ask for it again.',
  unknown: 'It may have happened: do not ask for it again before it has been looked up.',
};

const SHOWN_CHARACTERS = 200;

/** Only what is plain enough to be no sentence: ids, amounts, times. Whatever else stands in the result. */
function withArguments({ arguments: nextArguments }: NextTool): string {
  const json = JSON.stringify(nextArguments);
  if (json === '{}') return '';
  return json.length <= SHOWN_CHARACTERS && isPlainValue(nextArguments)
    ? ` with ${json}`
    : ' with the arguments that next holds';
}

function isPlainValue(value: unknown): boolean {
  if (typeof value === 'string') return /^[\w.:+-]*$/.test(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(isPlainValue);
}

function describeWait({ retryable, retry_after_seconds: seconds, effect }: AdviceInput): string {
  if (!retryable || effect !== 'none') return '';
  if (seconds === undefined) return 'Try again in a moment.';
  return `Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
}

function describeRemedy(
  { code, retryable, effect, who_can_fix, status }: AdviceInput,
  isNamed: boolean,
): string {
  if (code === 'refund.not_confirmed' || (retryable && effect === 'none')) return '';
  // What was asked wrongly, or names nothing, is put right by whoever asked, whether or not it can look things up.
  return isNamed && who_can_fix === 'caller' && status !== 400 && status !== 404
    ? NO_TOOL_AVAILABLE
    : remedies[who_can_fix];
}

const NO_TOOL_AVAILABLE = 'None of your tools can go on from here: tell a person what it says.';

const remedies: Record<ProblemDetails['who_can_fix'], string> = {
  caller: 'Change the call before you repeat it.',
  operator: 'Only whoever runs this service can mend it: repeating the call does not help.',
  account_owner: 'Only the owner of the connected account can mend it: repeating the call does not help.',
  platform: 'It is for the platform to mend.',
};
