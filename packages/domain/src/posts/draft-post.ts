import type { Metadata } from '../profiles/profile.js';

/** Media of a post: a URL to download, or the id of an upload. */
export interface DraftMedia {
  readonly url?: string | undefined;
  readonly mediaId?: string | undefined;
  /** The description for people who cannot see it. Omitted: the description given with the upload. */
  readonly altText?: string | undefined;
}

interface DraftThreadItem {
  readonly text?: string | undefined;
  readonly media?: readonly DraftMedia[] | undefined;
}

/** A post as a caller requests it; the same for creation and validation. */
export interface DraftPost {
  readonly profileId?: string | undefined;
  /** May be omitted if there is media. */
  readonly text?: string | undefined;
  readonly link?: string | undefined;
  readonly media?: readonly DraftMedia[] | undefined;
  /** The following posts, each a reply to the previous one. */
  readonly thread?: readonly DraftThreadItem[] | undefined;
  readonly firstComment?: { readonly text: string } | undefined;
  /** With an offset, or local in `timezone` (default: the profile's zone). Omitted: now. */
  readonly scheduledAt?: string | undefined;
  /** In place of a time: the next free slot of the profile's queue, or the slot at a time. */
  readonly queue?: 'next' | { readonly at: Date } | undefined;
  readonly timezone?: string | undefined;
  readonly notAfter?: Date | undefined;
  readonly targets?: 'all' | readonly DraftTarget[] | undefined;
  readonly externalId?: string | undefined;
  readonly metadata?: Metadata | undefined;
  /** Stored, not sent: its targets and its time are determined when it stops being a draft. */
  readonly draft?: boolean | undefined;
  readonly allowDuplicate?: boolean | undefined;
}

/**
 * A connection, or a platform of which the profile has only one. Its own fields override those of the post.
 */
export interface DraftTarget {
  readonly connectionId?: string | undefined;
  readonly platform?: string | undefined;
  readonly text?: string | undefined;
  readonly title?: string | undefined;
  readonly link?: string | null | undefined;
  readonly media?: readonly DraftMedia[] | undefined;
  readonly options?: Readonly<Record<string, unknown>> | undefined;
  readonly scheduledAt?: string | undefined;
}
