import { z } from 'zod';
import { createPlatformClient, type ErrorMapping } from '@switchboard/platform-kit/platform-client';
import { manifest } from './manifest.js';

const refusal = z.object({ code: z.int(), message: z.string() });

/** The token is valid but lacks the permission. Returned with a 401. */
const NOT_ALLOWED = new Set([3, 7]);
/** Returned with code 3 for expired tokens; never observed in v5. */
const ENDED = /^authorization failed/i;

function isAboutPermission(json: unknown): boolean {
  const { code = 0, message = '' } = refusal.safeParse(json).data ?? {};
  return NOT_ALLOWED.has(code) && !ENDED.test(message);
}

export const errorMapping: ErrorMapping = {
  name: manifest.name,
  parseError({ json }) {
    const parsed = refusal.safeParse(json).data;
    return parsed ? { code: String(parsed.code), message: parsed.message } : null;
  },
  classify: ({ json }) => (isAboutPermission(json) ? 'platform.permission_missing' : 'platform.refused'),
};

/** A 401 concerns the token, unless it states that the token lacks the permission. */
export const { exists, remove, requestJson } = createPlatformClient(errorMapping, {
  prepareRequest: (request) => ({
    ...request,
    acceptsErrorStatuses: true,
    isCredentialRejected: ({ status, json }) => status === 401 && !isAboutPermission(json),
  }),
});

const id = z.string().min(1);
const count = z.int().nonnegative().nullish();
const text = z.string().nullish();

export const account = z.object({
  id,
  username: z.string(),
  business_name: text,
  profile_image: text,
  follower_count: count,
});

/** Every list; `bookmark` is the cursor of its next page. */
export const listOf = <Item>(item: z.ZodType<Item>) =>
  z.object({ items: z.array(item), bookmark: z.string().nullish() });

/** A board, or a section of one. */
export const namedEntry = z.object({ id, name: z.string() });
export type NamedEntry = z.infer<typeof namedEntry>;

export const created = z.object({ id });

export const pin = z.object({
  id,
  // UTC, not always with a time zone designator.
  created_at: z.iso.datetime({ local: true, offset: true }),
  title: text,
  description: text,
  link: text,
  board_id: text,
  board_section_id: text,
  media: z.object({ media_type: z.string(), items: z.array(z.unknown()).nullish() }).nullish(),
});
export type ListedPin = z.infer<typeof pin>;

export const countedPin = z.object({
  pin_metrics: z
    .object({
      lifetime_metrics: z
        .object({
          impression: count,
          reaction: count,
          comment: count,
          save: count,
          outbound_click: count,
          clickthrough: count,
        })
        .nullish(),
    })
    .nullish(),
});
export type CountedPin = z.infer<typeof countedPin>;

export const listedPins = listOf(pin.extend(countedPin.shape));

export const registered = z.object({
  media_id: id,
  upload_url: z.url(),
  upload_parameters: z.record(z.string(), z.string()),
});

export const mediaUpload = z.object({ status: z.enum(['registered', 'processing', 'succeeded', 'failed']) });
