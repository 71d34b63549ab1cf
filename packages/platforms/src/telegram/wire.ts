import { z } from 'zod';
import type { ErrorMapping } from '@switchboard/platform-kit/platform-client';
import { manifest } from './manifest.js';

/** https://core.telegram.org/bots/api#making-requests */
const refused = z.object({
  ok: z.literal(false),
  error_code: z.int(),
  description: z.string(),
  parameters: z.object({ migrate_to_chat_id: z.int().nullish() }).nullish().catch(null),
});

/** Telegram's messages for a bot without the right, with 400 as well as 403. */
const NOT_ALLOWED =
  /not enough rights|need administrator rights|have no rights|CHAT_(?:ADMIN_REQUIRED|WRITE_FORBIDDEN)/i;

export const errorMapping: ErrorMapping = {
  name: manifest.name,
  parseError(response) {
    const parsed = refused.safeParse(response.json);
    return parsed.success ? { code: String(parsed.data.error_code), message: parsed.data.description } : null;
  },
  classify: ({ status }, { message }) =>
    status === 403 || NOT_ALLOWED.test(message) ? 'platform.permission_missing' : 'platform.refused',
};

/** The supergroup that a group has become; null if the refusal names none. */
export const movedTo = (json: unknown): number | null =>
  refused.safeParse(json).data?.parameters?.migrate_to_chat_id ?? null;

export const isRefusal = (json: unknown): boolean => refused.safeParse(json).success;

/** The result of a method, unwrapped. */
export const resultOf = <Value>(schema: z.ZodType<Value>): z.ZodType<Value> =>
  z.object({ ok: z.literal(true), result: schema }).transform(({ result }) => result);

export const bot = z.object({ id: z.int(), is_bot: z.literal(true), username: z.string().nullish() });

export const chat = z.object({
  id: z.int(),
  type: z.enum(['channel', 'supergroup', 'group', 'private']),
  title: z.string().nullish(),
  username: z.string().nullish(),
  permissions: z.object({ can_send_messages: z.boolean().nullish() }).nullish(),
});
export type Chat = z.infer<typeof chat>;

export const member = z.object({
  status: z.string(),
  can_post_messages: z.boolean().nullish(),
  can_send_messages: z.boolean().nullish(),
});
export type Member = z.infer<typeof member>;

const sent = z.object({
  /** 0: Telegram has scheduled the message and sends it later. https://core.telegram.org/bots/api#message */
  message_id: z.int().nonnegative(),
  chat: z.object({ id: z.int(), username: z.string().nullish() }),
});
export type Messages = readonly [z.infer<typeof sent>, ...z.infer<typeof sent>[]];
export const message: z.ZodType<Messages> = sent.transform((one) => [one]);
export const album: z.ZodType<Messages> = z.tuple([sent], sent);

export const done = z.literal(true);
