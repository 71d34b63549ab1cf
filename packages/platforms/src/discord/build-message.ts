import { createHash } from 'node:crypto';
import type { PlatformRequest, PublishItem, PublishMedia } from '@switchboard/domain';
import { multipart } from '../kit/multipart.js';
import { uploadTimeoutSeconds } from '../kit/upload-timeout-seconds.js';
import { cardOf, optionsOf, rules } from './rules.js';

const SUPPRESS_EMBEDS = 1 << 2;
const SUPPRESS_NOTIFICATIONS = 1 << 12;
const NONCE_LENGTH = 25;
const mentionTypes = { named: ['users', 'roles'], everyone: ['users', 'roles', 'everyone'] };

/** The flags that options ask for. */
const flagsOf = (item: Pick<PublishItem, 'options'>): number => {
  const { silent, hide_link_previews } = optionsOf(item);
  return (hide_link_previews ? SUPPRESS_EMBEDS : 0) | (silent ? SUPPRESS_NOTIFICATIONS : 0);
};

/** Whether a message has the flags that options ask for, as far as Discord shows them. */
export const hasFlags = (shown: number | null | undefined, item: Pick<PublishItem, 'options'>): boolean =>
  shown == null || (shown & (SUPPRESS_EMBEDS | SUPPRESS_NOTIFICATIONS)) === flagsOf(item);

/** A file is called after its message, so that a look knows whose it is. */
const fileNameOf = (item: PublishItem, at: number, { fileName }: Pick<PublishMedia, 'fileName'>): string =>
  `${nonceOf(item)}-${at}${fileName.slice(fileName.lastIndexOf('.'))}`;

/** Whether files are called after the item, as far as Discord shows their names. */
export const hasFiles = (names: readonly (string | null | undefined)[], item: PublishItem): boolean =>
  names.every((name, at) => name == null || name.startsWith(`${nonceOf(item)}-${at}.`));

/** What a webhook is told, and a bot with more: that nothing is said twice, and what it answers. */
export function buildMessage(
  item: PublishItem,
  ofBot: boolean,
): Pick<PlatformRequest, 'json' | 'body' | 'deadlineSeconds'> {
  const { media, replyTo: answers } = item;
  const { mentions } = optionsOf(item);
  const content = rules.finalText(item);
  const card = cardOf(item);
  const flags = flagsOf(item);
  const json = {
    ...(content !== '' && { content }),
    ...(card && { embeds: [card] }),
    // Without it, whatever looks like a name or like @everyone calls people.
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
    ...(ofBot && answers && { message_reference: { message_id: answers.parent.externalId } }),
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

/** The same for every attempt, and as long as Discord takes it. */
const nonceOf = ({ reference }: PublishItem): string =>
  createHash('sha256').update(reference).digest('hex').slice(0, NONCE_LENGTH);
