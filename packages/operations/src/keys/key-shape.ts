import { formatAmount, parseAmount } from '@switchboard/domain';
import {
  APPROVAL_HOURS_DEFAULT,
  APPROVAL_HOURS_MAX,
  isCidr,
  scopes,
  type ApiKey,
  type CeilingRemaining,
  type CreatedKey,
  type KeyPolicy,
} from '@switchboard/domain/access';
import { z } from 'zod';
import { components, amount, currency, id, instant, isoTime, isoTimeOrNull, time } from '../shapes.js';

const ceilingShape = z.object({ currency: z.string(), per_refund: z.string(), per_day: z.string() });

export const scopeShape = z.enum(scopes).register(components, { id: 'Scope' });

export const policyShape = z.object({
  profile_ids: z.array(z.string()).nullable(),
  expires_at: z.string().nullable(),
  allowed_cidrs: z.array(z.string()).nullable(),
  refund_ceilings: z.array(ceilingShape).nullable(),
  approval: z
    .object({
      posts: z.enum(['never', 'always']),
      refunds_over: z.array(z.object({ currency: z.string(), amount: z.string() })),
      expires_in_hours: z.int(),
    })
    .nullable(),
  hide_personal_data: z.boolean(),
});
policyShape.register(components, { id: 'KeyPolicy' });

export const ceilingRemainingShape = z
  .array(z.object({ currency: z.string(), per_refund: z.string(), per_day_left: z.string() }))
  .nullable()
  .register(components, { id: 'CeilingRemaining' });

const presentPolicy = (policy: KeyPolicy): z.input<typeof policyShape> => ({
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
    expires_in_hours: policy.approval.expiresInHours,
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

export const presentKeySummary = ({ id, name, scopes, policy }: ApiKey) => ({
  id,
  name,
  scopes: [...scopes],
  policy: presentPolicy(policy),
});

export const keyShape = z.object({
  id: z.string(),
  name: z.string(),
  scopes: z.array(z.string()),
  policy: policyShape,
  created_at: time,
  last_used_at: time.nullable(),
  revoked_at: time.nullable(),
  replaced_by: z.string().nullable(),
});
keyShape.register(components, { id: 'Key' });

/** Includes the secret, which is returned once. */
export const newKeyShape = keyShape
  .extend({ secret: z.string().nullable(), secret_available: z.boolean() })
  .register(components, { id: 'NewKey' });

export const presentKey = (key: ApiKey): z.input<typeof keyShape> => ({
  ...presentKeySummary(key),
  created_at: isoTime(key.createdAt),
  last_used_at: isoTimeOrNull(key.lastUsedAt),
  revoked_at: isoTimeOrNull(key.revokedAt),
  replaced_by: key.replacedBy,
});

export const presentNewKey = ({ key, token }: CreatedKey): z.input<typeof newKeyShape> => ({
  ...presentKey(key),
  secret: token.reveal(),
  secret_available: true,
});

const parseMinorAmount = (text: string, code: string, context: z.RefinementCtx) => {
  const amountMinor = parseAmount(text, code);
  if (amountMinor === null) context.addIssue(`${text} is not an amount of ${code}`);
  return amountMinor ?? 0;
};

const ceilingInput = z
  .strictObject({ currency, per_refund: amount, per_day: amount })
  .transform(({ currency: code, per_refund, per_day }, context) => ({
    currency: code,
    perRefundMinor: parseMinorAmount(per_refund, code, context),
    perDayMinor: parseMinorAmount(per_day, code, context),
  }))
  .refine(({ perRefundMinor, perDayMinor }) => perDayMinor >= perRefundMinor, {
    path: ['per_day'],
    message: 'at least as much as per_refund',
  });

const amountInput = z
  .strictObject({ currency, amount })
  .transform(({ currency: code, amount: text }, context) => ({
    currency: code,
    amountMinor: parseMinorAmount(text, code, context),
  }));

/** One entry per currency: with two it would be undefined which one applies. */
const hasUniqueCurrencies = <Item extends { readonly currency: string }>(items: readonly Item[]) =>
  new Set(items.map((item) => item.currency)).size === items.length;

/** The policy fields that a caller may set; an omitted field keeps its value, and null removes a limit. */
const policyInput = z.strictObject({
  profile_ids: z.array(id('prf_01kah3v5w8e2m6r9t0x4y7z1ab')).min(1).max(100).nullable().optional(),
  expires_at: instant.nullable().optional(),
  allowed_cidrs: z
    .array(
      z
        .string()
        .refine(isCidr, 'an address or a network, such as 192.0.2.0/24')
        .meta({ examples: ['192.0.2.0/24'] }),
    )
    .min(1)
    .max(100)
    .nullable()
    .optional(),
  refund_ceilings: z
    .array(ceilingInput)
    .max(50)
    .refine(hasUniqueCurrencies, 'one entry per currency')
    .describe('Null: no ceiling. A currency without an entry cannot be refunded.')
    .nullable()
    .optional(),
  approval: z
    .strictObject({
      posts: z.enum(['never', 'always']).default('never'),
      refunds_over: z
        .array(amountInput)
        .max(50)
        .refine(hasUniqueCurrencies, 'one entry per currency')
        .default([])
        .describe(
          'Refunds of an order that together exceed the amount. With entries, a refund in another currency always needs an approval.',
        ),
      expires_in_hours: z.int().min(1).max(APPROVAL_HOURS_MAX).default(APPROVAL_HOURS_DEFAULT),
    })
    .describe('What a person has to approve; null: nothing.')
    .nullable()
    .optional(),
  hide_personal_data: z.boolean().optional(),
});
policyInput.register(components, { id: 'KeyPolicyInput' });

export const keyFields = {
  id: id('key_01kah3v5w8e2m6r9t0x4y7z1ab'),
  name: z.string().min(1).max(100),
  scopes: z.array(scopeShape).min(1).max(scopes.length),
  policy: policyInput,
};

export const exampleKey: z.input<typeof keyShape> = {
  id: 'key_01kah3v5w8e2m6r9t0x4y7z1ab',
  name: 'support',
  scopes: ['orders:read', 'refunds:write'],
  policy: {
    profile_ids: null,
    expires_at: null,
    allowed_cidrs: ['192.0.2.0/24'],
    refund_ceilings: [{ currency: 'EUR', per_refund: '50.00', per_day: '500.00' }],
    approval: null,
    hide_personal_data: false,
  },
  created_at: '2026-11-21T09:00:00.000Z',
  last_used_at: null,
  revoked_at: null,
  replaced_by: null,
};

export const exampleNewKey: z.input<typeof newKeyShape> = {
  ...exampleKey,
  secret: 'swb_…',
  secret_available: true,
};
