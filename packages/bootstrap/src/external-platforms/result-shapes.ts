import { Secret, type Price, type Problem } from '@switchboard/domain';
import { metricNames, type Metrics } from '@switchboard/domain/analytics';
import type { RemoteOrder, RemoteRefund } from '@switchboard/domain/orders';
import type {
  DayMetrics,
  FoundAccount,
  ListedPostsPage,
  PublishedPart,
  Quota,
} from '@switchboard/domain/ports';
import { z } from 'zod';

/** What external adapters return, parsed: members that are unknown to this version are removed. */

const id = z.string().min(1).max(1000);
const line = z.string().max(10_000);
const url = z.url({ protocol: /^https?$/ }).max(4000);
const optional = <Shape extends z.ZodType>(shape: Shape) => shape.optional();

/** A secret of an adapter's own copy of the kit. */
const secret = z
  .custom<{ reveal(): string }>(
    (value) => typeof (value as { reveal?: unknown } | null)?.reveal === 'function',
    'a Secret',
  )
  .transform((own) => new Secret(own.reveal()));

export const accountsShape: z.ZodType<readonly FoundAccount[]> = z.array(
  z.object({
    id,
    username: line.nullable(),
    name: line.nullable(),
    avatarUrl: url.nullable(),
    url: url.nullable(),
    textLimits: optional(z.custom<FoundAccount['textLimits']>(isRecord)),
    mediaLimits: optional(z.custom<FoundAccount['mediaLimits']>(isRecord)),
    credential: optional(secret),
    permissions: optional(z.array(line)),
  }),
);

export const receiptShape = z.record(z.string(), line);

export const partShape: z.ZodType<PublishedPart> = z.object({
  externalId: id,
  url: url.nullable(),
  receipt: receiptShape,
});

const count = z.number().nonnegative().nullable();
export const metricsShape: z.ZodType<Metrics> = z.object(
  Object.fromEntries(metricNames.map((name) => [name, count])) as Record<keyof Metrics, typeof count>,
);

export const postMetricsShape: z.ZodType<ReadonlyMap<string, Metrics>> = z.map(id, metricsShape);

export const daysShape: z.ZodType<readonly DayMetrics[]> = z.array(
  z.object({ date: z.iso.date(), metrics: metricsShape }),
);

export const postsPageShape: z.ZodType<ListedPostsPage> = z.object({
  posts: z.array(
    z.object({
      externalId: id,
      publishedAt: z.date(),
      url: url.nullable(),
      text: z.string(),
      metrics: metricsShape.nullable(),
    }),
  ),
  next: line.nullable(),
});

export const quotasShape: z.ZodType<readonly Quota[]> = z.array(
  z.object({
    name: line,
    used: z.number(),
    limit: z.number(),
    resetsAt: z.date().nullable(),
    usedBy: z.array(z.custom<Quota['usedBy'][number]>((value) => typeof value === 'string')),
  }),
);

export const optionsShape = z.object({
  textLimits: optional(z.custom<FoundAccount['textLimits']>(isRecord)),
  mediaLimits: optional(z.custom<FoundAccount['mediaLimits']>(isRecord)),
  options: optional(
    z.array(
      z.looseObject({
        name: id,
        label: line,
        type: z.enum(['string', 'boolean', 'choice', 'string_list']),
        required: z.boolean(),
        choices: optional(z.array(z.object({ value: line, label: line }))),
      }),
    ),
  ),
});

const money = z.custom<RemoteOrder['totals']['total']>(
  (value) =>
    isRecord(value) &&
    Number.isSafeInteger((value as { amountMinor?: unknown }).amountMinor) &&
    /^[A-Z]{3}$/.test(String((value as { currency?: unknown }).currency)),
  'an amount in the smallest unit of a currency',
);

export const refundShape: z.ZodType<RemoteRefund> = z.object({
  externalId: id,
  status: z.enum(['pending', 'succeeded', 'failed']),
  amount: money,
  reference: line.nullable(),
  reason: line.nullable(),
  paymentId: line.nullable(),
  moneyMoved: z.boolean().nullable(),
  createdAt: z.date(),
});

const shipmentShape = z.object({
  id,
  status: z.enum(['pending', 'shipped', 'delivered', 'cancelled', 'failed']),
  carrier: line.nullable(),
  trackingNumber: line.nullable(),
  trackingUrl: url.nullable(),
  lineItems: z.array(z.object({ id, quantity: z.number() })),
  createdAt: z.date().nullable(),
});
export const shipmentsShape = z.array(shipmentShape);

const lines = {
  name: line.nullable(),
  line1: line.nullable(),
  line2: line.nullable(),
  city: line.nullable(),
};

export const orderShape: z.ZodType<RemoteOrder> = z.object({
  externalId: id,
  number: line,
  status: z.enum(['open', 'completed', 'cancelled']),
  paymentStatus: z.enum([
    ...(['pending', 'authorized', 'paid', 'partially_paid', 'partially_refunded'] as const),
    ...(['refunded', 'voided', 'failed'] as const),
  ]),
  fulfillmentStatus: z.enum(['unfulfilled', 'partial', 'fulfilled', 'returned']),
  rawStatus: line,
  currency: z.string().regex(/^[A-Z]{3}$/),
  pricesIncludeTax: z.boolean().nullable(),
  totals: z.object({
    discount: money,
    shipping: money,
    tax: money,
    total: money,
    captured: money,
    refunded: money,
    refundable: money,
  }),
  customer: z.object({ id: line.nullable(), name: line.nullable(), email: line.nullable() }),
  emails: z.array(line),
  lines: z.array(
    z.object({
      id,
      sku: line.nullable(),
      title: line,
      quantity: z.number(),
      refundableQuantity: z.number(),
      unitPrice: money,
      total: money,
    }),
  ),
  shippingLines: z.array(z.object({ id, title: line, total: money, refundable: money })),
  shippingAddress: z
    .object({ ...lines, region: line.nullable(), postalCode: line.nullable(), country: line.nullable() })
    .nullable(),
  payments: z.array(
    z.object({
      id,
      gateway: line,
      method: line.nullable(),
      captured: money,
      refunded: money,
      refundable: money,
      refundableOnline: z.boolean(),
    }),
  ),
  refunds: z.array(refundShape),
  shipments: shipmentsShape.nullable(),
  note: z.string().nullable(),
  createdAt: z.date(),
  updatedAt: z.date(),
  url: url.nullable(),
});

export const ordersPageShape = z.object({
  orders: z.array(orderShape),
  next: optional(line),
  notes: optional(z.array(z.custom<never>((value) => typeof value === 'string'))),
});

export const calculationShape = z.object({ linesMinor: z.int(), shippingMinor: z.int() });

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

export const problemsShape: z.ZodType<readonly Problem[]> = z.array(
  z.object({
    path: z.string(),
    code: z.custom<Problem['code']>((value) => typeof value === 'string' && value.includes('.'), 'a code'),
    message: z.string(),
    details: optional(z.record(z.string(), z.unknown())),
  }),
);

export const priceShape: z.ZodType<Price> = z.object({
  amountMicros: z.int().nonnegative(),
  currency: z.string().regex(/^[A-Z]{3}$/),
});
