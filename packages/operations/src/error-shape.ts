import { failures, type PlatformQuote, type WhoCanFix } from '@switchboard/domain';
import { z } from 'zod';

const platformQuoteShape = z.object({ name: z.string(), code: z.string().optional(), message: z.string() });

/** Why a delivery or a refund is where it is, whether the same may help later, and who can mend it. */
export const errorShape = z.object({
  code: z.string(),
  message: z.string(),
  retryable: z.boolean(),
  who_can_fix: z.enum(['caller', 'account_owner', 'operator', 'platform']),
  platform: platformQuoteShape.optional(),
});

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

/** Endings of a delivery that no caller is refused with: it is known not to be there, so it can be sent again as it is. */
const unpublishedCodes = ['read_back.absent', 'delivery.not_published'];

interface FailureFacts {
  readonly retryable: boolean;
  readonly who_can_fix: WhoCanFix;
}

function failureFactsOf(code: string): FailureFacts {
  if (unpublishedCodes.includes(code)) return { retryable: true, who_can_fix: 'caller' };
  const { retryable, whoCanFix } = isFailure(code) ? failures[code] : failures['platform.refused'];
  return { retryable, who_can_fix: whoCanFix };
}

const isFailure = (code: string): code is keyof typeof failures => Object.hasOwn(failures, code);
