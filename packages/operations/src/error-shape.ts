import { failures, type PlatformWords, type WhoCanFix } from '@switchboard/domain';
import { z } from 'zod';

const quoted = z.object({ name: z.string(), code: z.string().optional(), message: z.string() });

/** Why a delivery or a refund is where it is, whether the same may help later, and who can mend it. */
export const errorShape = z.object({
  code: z.string(),
  message: z.string(),
  retryable: z.boolean(),
  who_can_fix: z.enum(['caller', 'account_owner', 'operator', 'platform']),
  platform: quoted.optional(),
});

interface KeptError {
  readonly code: string;
  readonly message: string;
  readonly platform?: PlatformWords | undefined;
}

export const presentError = ({ code, message, platform }: KeptError): z.input<typeof errorShape> => ({
  code,
  message,
  ...factsOf(code),
  ...(platform && { platform: { ...platform } }),
});

/** Endings of a delivery that no caller is refused with: it is known not to be there, so it can be sent again as it is. */
const neverArrived = ['read_back.absent', 'delivery.not_published'];

interface Facts {
  readonly retryable: boolean;
  readonly who_can_fix: WhoCanFix;
}

function factsOf(code: string): Facts {
  if (neverArrived.includes(code)) return { retryable: true, who_can_fix: 'caller' };
  const { retryable, whoCanFix } = isFailure(code) ? failures[code] : failures['platform.refused'];
  return { retryable, who_can_fix: whoCanFix };
}

const isFailure = (code: string): code is keyof typeof failures => Object.hasOwn(failures, code);
