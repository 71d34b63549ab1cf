import type { RateLimitDecision, ApiKey, Ports } from '@switchboard/domain';

/** The methods that become a call of an operation, which dispatch counts unless it is told that they are counted already. */
const DISPATCHED: readonly unknown[] = [
  'tools/call',
  'resources/list',
  'resources/read',
  'completion/complete',
];

export const isDispatched = (message: unknown): boolean =>
  DISPATCHED.includes((message as { readonly method?: unknown } | null)?.method);

/**
 * Takes one request from the key's quotas for each message, so that a message of the protocol (`tools/list`, `ping`, a
 * notification) counts like a call. What becomes a call is not refused here: its allowance goes to `counted`, and dispatch
 * refuses it in the words of the tool. The last allowance is answered: that of the message that is refused, where one is.
 */
export async function countMessages(
  { limits }: Pick<Ports, 'limits'>,
  key: ApiKey,
  countedAllowances: RateLimitDecision[],
  messages: readonly unknown[],
): Promise<{ readonly allowance: RateLimitDecision | null; readonly isRefused: boolean }> {
  let allowance: RateLimitDecision | null = null;
  for (const message of messages) {
    allowance = await limits.take(key);
    if (isDispatched(message)) countedAllowances.push(allowance);
    else if (allowance.exhausted) return { allowance, isRefused: true };
  }
  return { allowance, isRefused: false };
}
