import { failures, type PlatformQuote } from '@switchboard/domain';
import { z } from 'zod';
import { components } from '../shapes.js';

export const platformQuoteShape = z
  .object({ name: z.string(), code: z.string().optional(), message: z.string() })
  .register(components, { id: 'PlatformMessage' });

/** Why a delivery or a refund is in its status, whether a retry may help later, and who can fix it. */
export const errorShape = z.object({
  code: z.string(),
  message: z.string(),
  retryable: z.boolean(),
  who_can_fix: z.enum(['caller', 'account_owner', 'operator', 'platform']),
  platform: platformQuoteShape.optional(),
  next: z
    .object({ operation: z.string(), arguments: z.record(z.string(), z.unknown()) })
    .describe('The call that resolves it.')
    .optional(),
});
errorShape.register(components, { id: 'FailureReason' });

interface StoredError {
  readonly code: string;
  readonly message: string;
  readonly platform?: PlatformQuote | undefined;
}

export const presentError = ({ code, message, platform }: StoredError): z.input<typeof errorShape> => ({
  code,
  message,
  ...failureFactsOf(code),
  ...(platform && { platform: { ...platform } }),
});

/**
 * Outcomes of a delivery that are never returned as a failure of a call: the post is known not to exist, so
 * it can be sent again unchanged.
 */
const unpublishedCodes = ['read_back.absent', 'delivery.not_published'];

function failureFactsOf(code: string): Pick<z.input<typeof errorShape>, 'retryable' | 'who_can_fix'> {
  if (unpublishedCodes.includes(code)) return { retryable: true, who_can_fix: 'caller' };
  const { retryable, whoCanFix } = isFailure(code) ? failures[code] : failures['platform.refused'];
  return { retryable, who_can_fix: whoCanFix };
}

const isFailure = (code: string): code is keyof typeof failures => Object.hasOwn(failures, code);
