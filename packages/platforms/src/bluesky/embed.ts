import { ok, type PublishItem, type PublishMedia } from '@switchboard/platform-kit';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import type { BlobUploader } from './upload.js';
import type { BlobRef } from './wire.js';

export type Embed = Readonly<Record<string, unknown>> & { readonly $type: string };

/** The embed below the text: images, a video, or the link's card. A post has one of them. */
export async function embedOf(item: PublishItem, upload: BlobUploader): AdapterResult<Embed | null> {
  const [first] = item.media;
  if (first?.kind === 'video') return video(first, upload);
  if (first) return images(item.media, upload);
  return item.link === null ? ok(null) : card(item.link, item.card, upload);
}

const aspectRatio = ({ width, height }: PublishMedia) =>
  width !== null && height !== null && { aspectRatio: { width, height } };

async function video(media: PublishMedia, upload: BlobUploader): AdapterResult<Embed> {
  const uploaded = await upload(media);
  if (!uploaded.ok) return uploaded;
  return ok({
    $type: 'app.bsky.embed.video',
    video: uploaded.value,
    ...(media.altText !== null && { alt: media.altText }),
    ...aspectRatio(media),
  });
}

async function images(media: readonly PublishMedia[], upload: BlobUploader): AdapterResult<Embed> {
  const shown: { image: BlobRef; alt: string }[] = [];
  for (const image of media) {
    const uploaded = await upload(image);
    if (!uploaded.ok) return uploaded;
    shown.push({ image: uploaded.value, alt: image.altText ?? '', ...aspectRatio(image) });
  }
  return ok({ $type: 'app.bsky.embed.images', images: shown });
}

/** A page without metadata has a card too: the text does not contain its URL. */
async function card(uri: string, reported: PublishItem['card'], upload: BlobUploader): AdapterResult<Embed> {
  const thumb = reported?.image ? await upload(reported.image) : null;
  if (thumb && !thumb.ok) return thumb;
  return ok({
    $type: 'app.bsky.embed.external',
    external: {
      uri: new URL(uri).href,
      title: reported?.title ?? uri,
      description: reported?.description ?? '',
      ...(thumb && { thumb: thumb.value }),
    },
  });
}
