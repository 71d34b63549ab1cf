import type { DraftMedia, DraftPost } from './draft-post.js';
import type { MediaUse, Post } from './post.js';
import { schedule } from './schedule.js';

/** What an edit says. Null takes a field back to what it is when it is left out; what is not said stays. */
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

/** The post as it would have been asked for with these changes. Pure. */
export function amendPost(before: Post, changes: PostChanges, now: Date): DraftPost {
  const { asked } = before;
  const timezone = changes.timezone ?? before.timezone;
  // What waits beyond its time, for its account say, goes out as soon as it can: its time is not to be refused as past.
  const stillAhead = (scheduledAt: string | null | undefined) => {
    if (scheduledAt == null) return undefined;
    const when = schedule(now, { scheduledAt, timezone }, timezone);
    const isPast = !when.ok && when.failure.code === 'post.time_past';
    return isPast && !before.draft ? undefined : scheduledAt;
  };
  const targets =
    asked.targets === 'all'
      ? asked.targets
      : asked.targets.map(({ media, ...target }) => ({
          ...target,
          ...(media && { media: media.map(asDraft) }),
          scheduledAt: stillAhead(target.scheduledAt),
        }));
  const notAfter = asked.notAfter === null ? null : new Date(asked.notAfter);
  return {
    profileId: before.profileId,
    text: changes.text ?? before.text,
    link: amended(changes.link, before.link),
    media: changes.media ?? before.media.map(asDraft),
    thread: changes.thread ?? before.thread.map(({ text, media }) => ({ text, media: media.map(asDraft) })),
    firstComment: amended(changes.firstComment, before.firstComment),
    scheduledAt:
      changes.scheduledAt === undefined ? stillAhead(asked.scheduledAt) : (changes.scheduledAt ?? undefined),
    timezone,
    notAfter: amended(changes.notAfter, notAfter),
    targets: changes.targets ?? targets,
    externalId: amended(changes.externalId, before.externalId),
    metadata: changes.metadata ?? before.metadata,
    draft: changes.draft ?? before.draft,
  };
}

/** What was found once is not fetched again. */
const asDraft = ({ mediaId, url, altText }: MediaUse): DraftMedia => ({
  mediaId,
  url: url ?? undefined,
  altText: altText ?? undefined,
});

const amended = <Value>(change: Value | null | undefined, before: Value | null): Value | undefined =>
  (change === undefined ? before : change) ?? undefined;
