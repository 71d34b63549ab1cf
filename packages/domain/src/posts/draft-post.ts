import type { Metadata } from '../profiles/profile.js';

/** Media to post: a URL to fetch it from, or the id of what was uploaded. */
export interface DraftMedia {
  readonly url?: string | undefined;
  readonly mediaId?: string | undefined;
  /** What those are told who cannot see it. Left out: what was said when it was uploaded. */
  readonly altText?: string | undefined;
}

export interface DraftThreadItem {
  readonly text?: string | undefined;
  readonly media?: readonly DraftMedia[] | undefined;
}

/** A post as a caller asks for it; the same for creating and for validating. */
export interface DraftPost {
  readonly profileId?: string | undefined;
  /** May be left out where there is media. */
  readonly text?: string | undefined;
  readonly link?: string | undefined;
  readonly media?: readonly DraftMedia[] | undefined;
  /** What follows it, each answering the one before. */
  readonly thread?: readonly DraftThreadItem[] | undefined;
  readonly firstComment?: { readonly text: string } | undefined;
  /** With an offset, or local in `timezone` (or else the profile's zone). Left out: now. */
  readonly scheduledAt?: string | undefined;
  readonly timezone?: string | undefined;
  readonly notAfter?: Date | undefined;
  readonly targets?: 'all' | readonly DraftTarget[] | undefined;
  readonly externalId?: string | undefined;
  readonly metadata?: Metadata | undefined;
  /** Stored, not sent: its targets and its time are settled when it stops being one. */
  readonly draft?: boolean | undefined;
  readonly allowDuplicate?: boolean | undefined;
}

/** A connection, or a platform of which the profile has only one. What it says itself wins over the post's. */
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
