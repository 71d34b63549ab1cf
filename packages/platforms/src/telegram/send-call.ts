import type { PlatformRequest, PublishItem, PublishMedia } from '@switchboard/platform-kit';
import { multipart, type FormFile } from '@switchboard/platform-kit/multipart';
import { uploadTimeoutSeconds } from '@switchboard/platform-kit/upload-timeout-seconds';
import { optionsOf, rules } from './rules.js';

interface SendCall {
  readonly method: 'sendMessage' | 'sendPhoto' | 'sendVideo' | 'sendDocument' | 'sendMediaGroup';
  readonly sent: Pick<PlatformRequest, 'json' | 'body' | 'deadlineSeconds'>;
}

const previews = {
  none: { is_disabled: true },
  small: { prefer_small_media: true },
  large: { prefer_large_media: true },
};
const kinds = {
  image: { method: 'sendPhoto', name: 'photo' },
  video: { method: 'sendVideo', name: 'video' },
  document: { method: 'sendDocument', name: 'document' },
} as const;

export function buildSendCall(item: PublishItem, chatId: string): SendCall {
  const { media } = item;
  const text = rules.finalText(item);
  const [only] = media;
  if (!only)
    return { method: 'sendMessage', sent: { json: { ...aboutOf(item, chatId), text, ...previewOf(item) } } };
  // Within a form an object is JSON.
  const about = Object.fromEntries(
    Object.entries(aboutOf(item, chatId)).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
  const caption = text === '' ? {} : { caption: text };
  const { method, name } = kinds[only.kind];
  const sent =
    media.length === 1
      ? multipart({ ...about, ...caption, ...videoFields(only) }, fileOf(only, name))
      : multipart(
          {
            ...about,
            media: JSON.stringify(media.map((one, at) => albumItem(one, at, at === 0 ? caption : {}))),
          },
          ...media.map((one, at) => fileOf(one, `file${at}`)),
        );
  return {
    method: media.length === 1 ? method : 'sendMediaGroup',
    sent: {
      body: sent,
      deadlineSeconds: uploadTimeoutSeconds(sent.length),
    },
  };
}

/** Replaces the text of a message, or the caption of its media: in an album that of its first message. */
export function buildEditCall(item: PublishItem, chatId: string, messageId: string) {
  const text = rules.finalText(item);
  const json = { chat_id: chatId, message_id: Number(messageId) };
  return item.mediaCount > 0
    ? ({ method: 'editMessageCaption', json: { ...json, caption: text } } as const)
    : ({ method: 'editMessageText', json: { ...json, text, ...previewOf(item) } } as const);
}

/** Text is sent unchanged: without `parse_mode` no character is markup. */
function aboutOf(item: PublishItem, chatId: string): Readonly<Record<string, string | true | object>> {
  const { silent, protect_content } = optionsOf(item);
  return {
    chat_id: chatId,
    // A comment in a channel follows its post: one notification is enough.
    ...((silent || item.kind === 'comment') && { disable_notification: true }),
    ...(protect_content && { protect_content: true }),
    ...(item.replyTo && { reply_parameters: { message_id: Number(item.replyTo.parent.externalId) } }),
  };
}

const previewOf = (item: PublishItem) => {
  const { link_preview } = optionsOf(item);
  return link_preview && { link_preview_options: previews[link_preview] };
};

/** A video keeps its aspect ratio only if the dimensions are sent. */
const videoFields = ({
  kind,
  width,
  height,
  durationSeconds,
}: PublishMedia): Readonly<Record<string, string>> =>
  kind === 'video'
    ? Object.fromEntries(
        Object.entries({ ...shapeOf({ width, height, durationSeconds }), supports_streaming: true }).map(
          ([name, value]) => [name, String(value)],
        ),
      )
    : {};

const shapeOf = ({
  width,
  height,
  durationSeconds,
}: Pick<PublishMedia, 'width' | 'height' | 'durationSeconds'>) => ({
  ...(width !== null && { width }),
  ...(height !== null && { height }),
  ...(durationSeconds !== null && { duration: Math.round(durationSeconds) }),
});

const albumItem = (one: PublishMedia, at: number, caption: object) => ({
  type: kinds[one.kind].name,
  media: `attach://file${at}`,
  ...caption,
  ...(one.kind === 'video' && { ...shapeOf(one), supports_streaming: true }),
});

/** A document is shown by its file name, which is its title if it has one. */
function fileOf(medium: PublishMedia, name: string): FormFile {
  const title =
    medium.kind === 'document' ? (medium.altText ?? '').replace(/[\p{Cc}\\/:*?"<>|]+/gu, ' ').trim() : '';
  const { type, bytes } = medium;
  const fileName = title === '' ? medium.fileName : `${title}.pdf`;
  return { name, fileName, type, bytes, read: () => medium.read() };
}
