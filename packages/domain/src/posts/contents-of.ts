import type { Choice, ChosenMedia } from './choose-media.js';
import type { DraftPost, DraftTarget } from './draft-post.js';
import type { PartContent } from './post.js';

/** What a part says, with what is known of its media. */
export interface ChosenContent extends PartContent {
  readonly media: readonly ChosenMedia[];
}

/** What goes to one target, in the order in which it goes out. A target's own words are those of the post itself: thread and first comment are everybody's. */
export function contentsOf(
  post: DraftPost,
  target: DraftTarget,
  chosen: Choice,
): readonly [ChosenContent, ...ChosenContent[]] {
  const { thread = [], firstComment } = post;
  const follows = { title: null, link: null, media: [] } as const;
  return [
    {
      kind: 'post',
      title: target.title ?? null,
      text: target.text ?? post.text ?? '',
      link: target.link === undefined ? (post.link ?? null) : target.link,
      media: chosen(target.media ?? post.media),
    },
    ...thread.map(({ text = '', media }) => ({
      ...follows,
      kind: 'thread' as const,
      text,
      media: chosen(media),
    })),
    ...(firstComment ? [{ ...follows, kind: 'comment' as const, text: firstComment.text }] : []),
  ];
}
