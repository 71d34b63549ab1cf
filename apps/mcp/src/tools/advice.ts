import type { Operation, ProblemDetails } from '@switchboard/operations';
import { isNextCall, type NextTool } from './next-tool.js';

type AdviceInput = Omit<ProblemDetails, 'next'>;

/**
 * The action for an agent after a failure, in one or two sentences that contain only our own text. `isNamed`:
 * a helpful call exists; when `next` is null, none of the caller's tools makes it.
 */
export function adviceFor(problem: AdviceInput, next: NextTool | null, isNamed: boolean): string {
  const nextStep = next ? describeNextCall(next) : describeRemedy(problem, isNamed);
  return [effectNotices[problem.effect], describeWait(problem), nextStep].filter(Boolean).join(' ');
}

const describeNextCall = (next: NextTool) => `Next, call ${next.operation}${withArguments(next)}.`;

const NEXT_CALLS_MAX = 3;

/** The calls that resolve the errors of a post's deliveries; the call that was just made is not repeated. */
export function describeNextCalls({ tool }: Operation, value: object): readonly string[] {
  const { deliveries } = value as { readonly deliveries?: unknown };
  if (!Array.isArray(deliveries)) return [];
  const calls = (deliveries as readonly { readonly error?: { readonly next?: unknown } | null }[])
    .map(({ error }) => error?.next)
    .filter(isNextCall)
    .filter(({ operation }) => operation !== tool)
    .map(describeNextCall);
  const unique = [...new Set(calls)];
  const rest = unique.length > NEXT_CALLS_MAX ? ['For the others, see next in their errors.'] : [];
  return [...unique.slice(0, NEXT_CALLS_MAX), ...rest];
}

const effectNotices: Record<ProblemDetails['effect'], string> = {
  none: '',
  applied: 'The change was made: do not repeat the call.',
  unknown: 'The outcome is unknown: look it up before you repeat the call.',
};

const SHOWN_CHARACTERS = 200;

/**
 * Includes only values that cannot be read as a sentence: ids, amounts, times. Everything else is in the
 * result.
 */
function withArguments({ arguments: nextArguments }: NextTool): string {
  const json = JSON.stringify(nextArguments);
  if (json === '{}') return '';
  return json.length <= SHOWN_CHARACTERS && isPlainValue(nextArguments)
    ? ` with ${json}`
    : ' with the arguments in next';
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
  // The caller can correct an invalid call or id itself, whether or not it can look things up.
  return isNamed && who_can_fix === 'caller' && status !== 400 && status !== 404
    ? NO_TOOL_AVAILABLE
    : remedies[who_can_fix];
}

const NO_TOOL_AVAILABLE = 'None of your tools can resolve this: report it to a person.';

const remedies: Record<ProblemDetails['who_can_fix'], string> = {
  caller: 'Change the call before you repeat it.',
  operator: 'Only the operator of this service can fix it: repeating the call does not help.',
  account_owner: 'Only the owner of the connected account can fix it: repeating the call does not help.',
  platform: 'Only the platform can fix it.',
};
