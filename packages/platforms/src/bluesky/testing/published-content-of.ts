import { createHash } from 'node:crypto';
import type { PublishedContent } from '@switchboard/platform-kit/testing/world';
import type { BlobRef } from '../wire.js';
import type { PostRecord, repository } from './repository.js';

/** The visible content of the posts in a repository. */
export function publishedContentOf({
  recordOf,
  fileOf,
}: Pick<ReturnType<typeof repository>, 'recordOf' | 'fileOf'>): PublishedContent {
  const read = (uri: string) => recordOf(uri) as PostRecord | undefined;
  const file = ({ mimeType, ref }: BlobRef, alt: string | undefined) => ({
    type: mimeType,
    sha256: createHash('sha256')
      .update(fileOf(ref.$link) ?? '')
      .digest('hex'),
    altText: alt === undefined || alt === '' ? null : alt,
  });
  return {
    textOf: (uri) => read(uri)?.text ?? '',
    parentOf: (uri) => read(uri)?.reply?.parent.uri ?? null,
    mediaOf(uri) {
      const embed = read(uri)?.embed;
      if (embed?.$type === 'app.bsky.embed.images')
        return embed.images.map(({ image, alt }) => file(image, alt));
      return embed?.$type === 'app.bsky.embed.video' ? [file(embed.video, embed.alt)] : [];
    },
    cardOf(uri) {
      const embed = read(uri)?.embed;
      if (embed?.$type !== 'app.bsky.embed.external') return null;
      const { uri: url, title, description } = embed.external;
      return { url, title, description };
    },
  };
}
