import type { WireProblem } from '@switchboard/operations';
import type { BoundTool } from './tool.js';

/** What an agent should do about a failure, in one or two sentences made of our own words only. */
export function adviceFor(problem: WireProblem, tools: readonly BoundTool[]): string {
  const advice = [harm[problem.effect], nextCall(problem, tools) ?? remedy(problem)];
  return advice.filter(Boolean).join(' ');
}

const harm: Record<WireProblem['effect'], string> = {
  none: '',
  applied: 'It has happened: do not ask for it again.',
  unknown: 'It may have happened: do not ask for it again before it has been looked up.',
};

function nextCall({ next }: WireProblem, tools: readonly BoundTool[]): string | null {
  if (!next) return null;
  const tool = tools.find(({ operation }) => [operation.name, operation.tool].includes(next.operation));
  return tool ? `Next, call ${tool.tool.name} with ${JSON.stringify(next.arguments)}.` : OUT_OF_REACH;
}

const OUT_OF_REACH = 'None of your tools can go on from here: tell a person what it says.';

function remedy({ retryable, retry_after_seconds: seconds, effect, who_can_fix }: WireProblem): string {
  if (retryable && effect === 'none') {
    return seconds === undefined ? 'Try again in a moment.' : `Try again in ${seconds} seconds.`;
  }
  return remedies[who_can_fix];
}

const remedies: Record<WireProblem['who_can_fix'], string> = {
  caller: 'Change the call before you repeat it.',
  operator: 'Only whoever runs this service can mend it: repeating the call does not help.',
  account_owner: 'Only the owner of the connected account can mend it: repeating the call does not help.',
  platform: 'It is for the platform to mend.',
};
