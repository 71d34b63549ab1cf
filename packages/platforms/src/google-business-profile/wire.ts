import { z } from 'zod';
import { createPlatformClient, type ErrorMapping } from '@switchboard/platform-kit/platform-client';
import { manifest } from './manifest.js';

/** google.rpc.Status. Version 4 names the wrong field in `errorDetails`, the other APIs a reason. */
const status = z.object({
  error: z.object({
    message: z.string(),
    status: z.string().nullish(),
    details: z
      .array(
        z.object({
          reason: z.string().nullish(),
          errorDetails: z
            .array(z.object({ field: z.string().nullish(), message: z.string().nullish() }))
            .nullish(),
        }),
      )
      .nullish(),
  }),
});

/** The reason of a token that its owner granted without the permission. */
const SCOPE_MISSING = 'ACCESS_TOKEN_SCOPE_INSUFFICIENT';

export const errorMapping: ErrorMapping = {
  name: manifest.name,
  parseError({ json }) {
    const parsed = status.safeParse(json).data?.error;
    if (!parsed) return null;
    const [detail] = (parsed.details ?? []).flatMap((one) => one.errorDetails ?? []);
    const reason = parsed.details?.find((one) => one.reason)?.reason;
    const stated = [detail?.field, detail?.message].filter(Boolean).join(': ');
    return { code: reason ?? parsed.status ?? undefined, message: stated || parsed.message };
  },
  classify: (_answer, { code }) =>
    code === SCOPE_MISSING ? 'platform.permission_missing' : 'platform.refused',
};

export const { remove, requestJson } = createPlatformClient(errorMapping);

const text = z.string().nullish();
const next = z.string().nullish();
/** Protocol buffers omit an empty list in JSON. */
const listOf = <One>(item: z.ZodType<One>) =>
  z
    .array(item)
    .nullish()
    .transform((items) => items ?? []);

export const accounts = z.object({
  accounts: listOf(z.object({ name: z.string().regex(/^accounts\/[\w-]+$/) })),
  nextPageToken: next,
});

export const location = z.object({
  name: z.string().regex(/^locations\/[\w-]+$/),
  title: text,
  storefrontAddress: z.object({ addressLines: z.array(z.string()).nullish(), locality: text }).nullish(),
  metadata: z.object({ mapsUri: text }).nullish(),
});
export type Location = z.infer<typeof location>;
export const locations = z.object({ locations: listOf(location), nextPageToken: next });

const date = z.object({ year: z.int().nullish(), month: z.int().nullish(), day: z.int().nullish() });
const time = z.object({ hours: z.int().nullish(), minutes: z.int().nullish() });

export const localPost = z.object({
  name: z.string().regex(/^accounts\/[\w-]+\/locations\/[\w-]+\/localPosts\/[\w-]+$/),
  // Any value may be new: an unknown one does not count as published.
  state: text,
  searchUrl: text,
  summary: text,
  topicType: text,
  callToAction: z.object({ actionType: text, url: text }).nullish(),
  event: z
    .object({
      title: text,
      schedule: z
        .object({
          startDate: date.nullish(),
          startTime: time.nullish(),
          endDate: date.nullish(),
          endTime: time.nullish(),
        })
        .nullish(),
    })
    .nullish(),
  offer: z.object({ couponCode: text, redeemOnlineUrl: text, termsConditions: text }).nullish(),
  media: z.array(z.unknown()).nullish(),
  createTime: z.iso.datetime({ offset: true }),
});
export type LocalPost = z.infer<typeof localPost>;
export const localPosts = z.object({ localPosts: listOf(localPost), nextPageToken: next });

const padded = (part: number, digits: number) => String(part).padStart(digits, '0');

const datedValue = z
  .object({
    date: z.object({ year: z.int(), month: z.int(), day: z.int() }),
    /** Google writes 64-bit integers as strings. */
    value: z
      .string()
      .regex(/^\d{1,15}$/)
      .transform(Number)
      .nullish(),
  })
  .transform(({ date: { year, month, day }, value }) => ({
    date: `${padded(year, 4)}-${padded(month, 2)}-${padded(day, 2)}`,
    value,
  }));
export type DatedValue = z.infer<typeof datedValue>;

export const performance = z.object({
  multiDailyMetricTimeSeries: listOf(
    z.object({
      dailyMetricTimeSeries: listOf(
        z.object({
          dailyMetric: text,
          timeSeries: z.object({ datedValues: listOf(datedValue) }).nullish(),
        }),
      ),
    }),
  ),
});
