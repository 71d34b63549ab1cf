import type { DraftPost, DraftTarget } from './draft-post.js';
import type { PartContent } from './post.js';

/** What goes to one target, in the order in which it goes out. A target's own words are those of the post itself: thread and first comment are everybody's. */
export function contentsOf(post: DraftPost, target: DraftTarget): readonly [PartContent, ...PartContent[]] {
  const { thread = [], firstComment } = post;
  const follows = { title: null, link: null, media: [] } as const;
  return [
    {
      kind: 'post',
      title: target.title ?? null,
      text: target.text ?? post.text,
      link: target.link === undefined ? (post.link ?? null) : target.link,
      media: [],
    },
    ...thread.map(({ text }) => ({ ...follows, kind: 'thread' as const, text })),
    ...(firstComment ? [{ ...follows, kind: 'comment' as const, text: firstComment.text }] : []),
  ];
}
