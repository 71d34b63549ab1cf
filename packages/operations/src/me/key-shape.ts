import { formatAmount, type ApiKey, type CeilingRemaining, type Policy } from '@switchboard/domain';
import { z } from 'zod';
import { isoTimeOrNull } from '../shapes.js';

const ceiling = z.object({ currency: z.string(), per_refund: z.string(), per_day: z.string() });

export const policyShape = z.object({
  profile_ids: z.array(z.string()).nullable(),
  expires_at: z.string().nullable(),
  allowed_cidrs: z.array(z.string()).nullable(),
  refund_ceilings: z.array(ceiling).nullable(),
  approval: z
    .object({
      posts: z.enum(['never', 'always']),
      refunds_over: z.array(z.object({ currency: z.string(), amount: z.string() })),
    })
    .nullable(),
  hide_personal_data: z.boolean(),
});

export const ceilingRemainingShape = z
  .array(z.object({ currency: z.string(), per_refund: z.string(), per_day_left: z.string() }))
  .nullable();

export const presentPolicy = (policy: Policy): z.input<typeof policyShape> => ({
  profile_ids: policy.profileIds && [...policy.profileIds],
  expires_at: isoTimeOrNull(policy.expiresAt),
  allowed_cidrs: policy.allowedCidrs && [...policy.allowedCidrs],
  refund_ceilings:
    policy.refundCeilings?.map(({ currency, perRefundMinor, perDayMinor }) => ({
      currency,
      per_refund: formatAmount({ amountMinor: perRefundMinor, currency }),
      per_day: formatAmount({ amountMinor: perDayMinor, currency }),
    })) ?? null,
  approval: policy.approval && {
    posts: policy.approval.posts,
    refunds_over: policy.approval.refundsOver.map(({ currency, amountMinor }) => ({
      currency,
      amount: formatAmount({ amountMinor, currency }),
    })),
  },
  hide_personal_data: policy.hidePersonalData,
});

export const presentCeilingRemaining = (
  remaining: readonly CeilingRemaining[] | null,
): z.input<typeof ceilingRemainingShape> =>
  remaining?.map(({ currency, perRefundMinor, perDayLeftMinor }) => ({
    currency,
    per_refund: formatAmount({ amountMinor: perRefundMinor, currency }),
    per_day_left: formatAmount({ amountMinor: perDayLeftMinor, currency }),
  })) ?? null;

export const presentKeyHead = ({ id, name, scopes, policy }: ApiKey) => ({
  id,
  name,
  scopes: [...scopes],
  policy: presentPolicy(policy),
});
