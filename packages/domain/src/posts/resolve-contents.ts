import type { MediaLookup, ResolvedMedia } from './resolve-media.js';
import type { DraftPost, DraftTarget } from './draft-post.js';
import type { PartContent } from './post.js';

/** The content of a part, with the known properties of its media. */
export interface ResolvedContent extends PartContent {
  readonly media: readonly ResolvedMedia[];
}

/**
 * The parts of one target, in publishing order. A target's own text overrides that of the post itself: thread
 * and first comment are common to all targets.
 */
export function resolveContents(
  post: DraftPost,
  target: DraftTarget,
  chosen: MediaLookup,
): readonly [ResolvedContent, ...ResolvedContent[]] {
  const { thread = [], firstComment } = post;
  const replyDefaults = { title: null, link: null, media: [] } as const;
  return [
    {
      kind: 'post',
      title: target.title ?? null,
      text: target.text ?? post.text ?? '',
      link: target.link === undefined ? (post.link ?? null) : target.link,
      media: chosen(target.media ?? post.media),
    },
    ...thread.map(({ text = '', media }) => ({
      ...replyDefaults,
      kind: 'thread' as const,
      text,
      media: chosen(media),
    })),
    ...(firstComment ? [{ ...replyDefaults, kind: 'comment' as const, text: firstComment.text }] : []),
  ];
}
