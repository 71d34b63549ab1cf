import type { ApiKey } from '@switchboard/domain/access';
import type { RateLimitDecision, Ports } from '@switchboard/domain/ports';

/** The methods that become a call of an operation, which dispatch counts unless they were counted already. */
const DISPATCHED: readonly unknown[] = [
  'tools/call',
  'resources/list',
  'resources/read',
  'completion/complete',
];

export const isDispatched = (message: unknown): boolean =>
  DISPATCHED.includes((message as { readonly method?: unknown } | null)?.method);

/**
 * Takes one request from the quotas of the key for each message, so that a protocol message (`tools/list`,
 * `ping`, a notification) counts like a call. Messages that become calls are not rejected here: their
 * allowance is appended to `counted`, and dispatch rejects them with a tool result. Returns the last
 * allowance: that of the rejected message, if there is one.
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
