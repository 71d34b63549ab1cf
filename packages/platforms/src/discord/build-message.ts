import { createHash } from 'node:crypto';
import type { PlatformRequest, PublishItem, PublishMedia } from '@switchboard/domain/ports';
import { multipart } from '../kit/multipart.js';
import { uploadTimeoutSeconds } from '../kit/upload-timeout-seconds.js';
import { cardOf, optionsOf, rules } from './rules.js';

const SUPPRESS_EMBEDS = 1 << 2;
const SUPPRESS_NOTIFICATIONS = 1 << 12;
const NONCE_LENGTH = 25;
const mentionTypes = { named: ['users', 'roles'], everyone: ['users', 'roles', 'everyone'] };

/** The message flags that the options request. */
const flagsOf = (item: Pick<PublishItem, 'options'>): number => {
  const { silent, hide_link_previews } = optionsOf(item);
  return (hide_link_previews ? SUPPRESS_EMBEDS : 0) | (silent ? SUPPRESS_NOTIFICATIONS : 0);
};

/** Whether a message has the flags that the options request, as far as Discord reports them. */
export const hasFlags = (shown: number | null | undefined, item: Pick<PublishItem, 'options'>): boolean =>
  shown == null || (shown & (SUPPRESS_EMBEDS | SUPPRESS_NOTIFICATIONS)) === flagsOf(item);

/** File names contain the message's reference, so that a lookup can attribute them. */
const fileNameOf = (item: PublishItem, at: number, { fileName }: Pick<PublishMedia, 'fileName'>): string =>
  `${nonceOf(item)}-${at}${fileName.slice(fileName.lastIndexOf('.'))}`;

/** Whether file names contain the item's reference, as far as Discord reports them. */
export const hasFiles = (names: readonly (string | null | undefined)[], item: PublishItem): boolean =>
  names.every((name, at) => name == null || name.startsWith(`${nonceOf(item)}-${at}.`));

/**
 * The common fields of webhook and bot messages; a bot adds a nonce for deduplication and the message it
 * replies to.
 */
export function buildMessage(
  item: PublishItem,
  ofBot: boolean,
): Pick<PlatformRequest, 'json' | 'body' | 'deadlineSeconds'> {
  const { media, replyTo } = item;
  const { mentions } = optionsOf(item);
  const content = rules.finalText(item);
  const card = cardOf(item);
  const flags = flagsOf(item);
  const json = {
    ...(content !== '' && { content }),
    ...(card && { embeds: [card] }),
    // Without it, every text that looks like a name or like @everyone mentions people.
    allowed_mentions: { parse: mentions ? mentionTypes[mentions] : [] },
    ...(flags !== 0 && { flags }),
    ...(media.length > 0 && {
      attachments: media.map((one, at) => ({
        id: String(at),
        filename: fileNameOf(item, at, one),
        ...(one.altText !== null && { description: one.altText }),
      })),
    }),
    ...(ofBot && { nonce: nonceOf(item), enforce_nonce: true }),
    ...(ofBot && replyTo && { message_reference: { message_id: replyTo.parent.externalId } }),
  };
  if (media.length === 0) return { json };
  const files = media.map((one, at) => ({
    ...one,
    name: `files[${at}]`,
    fileName: fileNameOf(item, at, one),
    read: () => one.read(),
  }));
  const body = multipart({ payload_json: JSON.stringify(json) }, ...files);
  return { body, deadlineSeconds: uploadTimeoutSeconds(body.length) };
}

/** The same for every attempt, with the maximum length of a nonce. */
const nonceOf = ({ reference }: PublishItem): string =>
  createHash('sha256').update(reference).digest('hex').slice(0, NONCE_LENGTH);
