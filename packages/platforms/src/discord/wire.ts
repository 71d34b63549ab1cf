import { z } from 'zod';
import type { ErrorMapping } from '@switchboard/platform-kit/platform-client';
import { manifest } from './manifest.js';

const refused = z.object({ code: z.int(), message: z.string(), errors: z.unknown().optional() });

/**
 * Missing Access, Missing Permissions, actions on others' messages, and replies without the permission to
 * read the history.
 */
const NOT_ALLOWED = [50_001, 50_005, 50_013, 160_002];

export const errorMapping: ErrorMapping = {
  name: manifest.name,
  parseError(response) {
    const parsed = refused.safeParse(response.json);
    if (!parsed.success) return null;
    const { code, message, errors } = parsed.data;
    return { code: String(code), message: firstIn(errors) ?? message };
  },
  classify: (_answer, { code }) =>
    NOT_ALLOWED.includes(Number(code)) ? 'platform.permission_missing' : 'platform.refused',
};

/** Field errors are a tree keyed by field name. */
function firstIn(errors: unknown): string | null {
  if (typeof errors !== 'object' || errors === null) return null;
  const parsed = z.object({ _errors: z.array(z.object({ message: z.string() })).min(1) }).safeParse(errors);
  if (parsed.success) return parsed.data._errors[0]?.message ?? null;
  return Object.values(errors).reduce<string | null>((found, one) => found ?? firstIn(one), null);
}

const snowflake = z.string().min(1);

export const webhook = z.object({
  id: snowflake,
  type: z.literal(1),
  name: z.string().nullish(),
  channel_id: snowflake,
  guild_id: snowflake,
});

export const channel = z.object({
  id: snowflake,
  type: z.int(),
  name: z.string().nullish(),
  guild_id: snowflake.nullish(),
  last_message_id: snowflake.nullish(),
});

export const me = z.object({ id: snowflake });

export const message = z.object({ id: snowflake, channel_id: snowflake });

export const listedMessage = z.object({
  id: snowflake,
  content: z.string(),
  timestamp: z.iso.datetime({ offset: true }),
  author: z.object({ id: snowflake }),
  attachments: z.array(z.object({ filename: z.string().nullish() })),
  embeds: z
    .array(z.object({ type: z.string().nullish(), title: z.string().nullish(), url: z.string().nullish() }))
    .nullish(),
  message_reference: z.object({ message_id: snowflake.nullish() }).nullish(),
  flags: z.int().nullish(),
  mention_everyone: z.boolean().nullish(),
});
export type ListedMessage = z.infer<typeof listedMessage>;
export const listedMessages = z.array(listedMessage);

export const counted = z.object({
  reactions: z.array(z.object({ count: z.int().nonnegative() })).nullish(),
});
