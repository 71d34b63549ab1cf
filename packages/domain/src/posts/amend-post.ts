import type { DraftMedia, DraftPost } from './draft-post.js';
import type { MediaUse, Post } from './post.js';
import { schedule } from './schedule.js';

/** The changes of an edit. Null resets a field to its default; an omitted field stays unchanged. */
export interface PostChanges extends Pick<
  DraftPost,
  'timezone' | 'targets' | 'media' | 'thread' | 'metadata' | 'draft'
> {
  readonly text?: string | undefined;
  readonly link?: string | null | undefined;
  readonly firstComment?: DraftPost['firstComment'] | null;
  readonly scheduledAt?: string | null | undefined;
  readonly notAfter?: Date | null | undefined;
  readonly externalId?: string | null | undefined;
}

/** The post as if it had been requested with these changes. Pure. */
export function amendPost(before: Post, changes: PostChanges, now: Date): DraftPost {
  const { requested } = before;
  const timezone = changes.timezone ?? before.timezone;
  // A post that waits beyond its time, for a blocked account for example, is published as soon as possible:
  // its time is not rejected as past.
  const keepIfAhead = (scheduledAt: string | null | undefined) => {
    if (scheduledAt == null) return undefined;
    const when = schedule(now, { scheduledAt, timezone }, timezone);
    const isPast = !when.ok && when.failure.code === 'post.time_past';
    return isPast && !before.draft ? undefined : scheduledAt;
  };
  const targets =
    requested.targets === 'all'
      ? requested.targets
      : requested.targets.map(({ media, ...target }) => ({
          ...target,
          ...(media && { media: media.map(toDraftMedia) }),
          scheduledAt: keepIfAhead(target.scheduledAt),
        }));
  const notAfter = requested.notAfter === null ? null : new Date(requested.notAfter);
  return {
    profileId: before.profileId,
    text: changes.text ?? before.text,
    link: mergeField(changes.link, before.link),
    media: changes.media ?? before.media.map(toDraftMedia),
    thread:
      changes.thread ?? before.thread.map(({ text, media }) => ({ text, media: media.map(toDraftMedia) })),
    firstComment: mergeField(changes.firstComment, before.firstComment),
    scheduledAt:
      changes.scheduledAt === undefined
        ? keepIfAhead(requested.scheduledAt)
        : (changes.scheduledAt ?? undefined),
    timezone,
    notAfter: mergeField(changes.notAfter, notAfter),
    targets: changes.targets ?? targets,
    externalId: mergeField(changes.externalId, before.externalId),
    metadata: changes.metadata ?? before.metadata,
    draft: changes.draft ?? before.draft,
  };
}

/** Media that was resolved once is not downloaded again. */
const toDraftMedia = ({ mediaId, url, altText }: MediaUse): DraftMedia => ({
  mediaId,
  url: url ?? undefined,
  altText: altText ?? undefined,
});

const mergeField = <Value>(change: Value | null | undefined, before: Value | null): Value | undefined =>
  (change === undefined ? before : change) ?? undefined;
