import {
  ok,
  quotePlatform,
  refuse,
  type PlatformFailureCode,
  type PublishedPart,
  type Refused,
  type Result,
  type Session,
} from '@switchboard/domain';
import type { Answer } from '../kit/answers.js';
import { afterSending } from '../kit/after-sending.js';
import { untilReady } from '../kit/until-ready.js';
import { ask, explained } from './ask.js';
import { manifest } from './manifest.js';
import { postStatus } from './wire.js';

/** How far a post is that was begun. */
export type Seen =
  | { readonly state: 'out'; readonly postId: string | null }
  | { readonly state: 'failed'; readonly why: string }
  /** `bytes`: how much of a film is there; null where TikTok does not say. */
  | { readonly state: 'under_way'; readonly bytes: number | null };

const PAUSES_MS: readonly number[] = [0, 1_000, 2_000, 3_000, ...Array<number>(11).fill(5_000)];

/** Null: TikTok knows nothing of it, or not any more. */
export async function look(session: Session, publishId: string): Answer<Seen | null> {
  const path = '/v2/post/publish/status/fetch/';
  const seen = await ask(
    session,
    { method: 'POST', path, json: { publish_id: publishId }, effect: 'read' },
    postStatus,
    ({ code }) => (code === 'invalid_publish_id' ? ok(null) : undefined),
  );
  if (!seen.ok) return seen;
  if (!seen.value) return ok(null);
  const told = seen.value.data;
  switch (told.status) {
    case 'PUBLISH_COMPLETE':
      return ok({ state: 'out', postId: told.publicaly_available_post_id?.[0] ?? null });
    case 'FAILED':
      return ok({ state: 'failed', why: told.fail_reason || told.status });
    default:
      return ok({ state: 'under_way', bytes: told.uploaded_bytes ?? null });
  }
}

/** Waits until it is decided what becomes of a post whose media are all there, or on their way: all but a decision is a doubt. */
export async function settled(
  session: Session,
  publishId: string,
  pausesMs = PAUSES_MS,
): Answer<PublishedPart> {
  const last: { end: Exclude<Seen, { state: 'under_way' }> | null } = { end: null };
  const decided = await untilReady(session, {
    name: manifest.name,
    pausesMs,
    async look() {
      const seen = await look(session, publishId);
      if (!seen.ok) return doubt(seen);
      if (!seen.value) return lost();
      if (seen.value.state === 'under_way') return ok('processing');
      last.end = seen.value;
      return ok('ready');
    },
  });
  if (!decided.ok) return afterSending(manifest, decided);
  const { end } = last;
  if (!end) return lost();
  return end.state === 'failed' ? failed(end.why) : ok(partOf(session, publishId, end.postId));
}

/** A look that fails once all was sent says nothing of the post, and one that is refused does not either. */
export const doubt = ({ failure }: Refused<PlatformFailureCode>) =>
  afterSending<never>(manifest, { ok: false, failure: { ...failure, code: 'platform.outcome_unknown' } });

/** It may be out: nobody can tell any more. */
export const lost = () => refuse('platform.outcome_unknown', 'TikTok knows nothing of this post any more.');

/** What TikTok itself calls worth another attempt, from the beginning. */
const PASSING = new Set([
  'internal',
  'internal_error',
  'video_pull_failed',
  'photo_pull_failed',
  'publish_cancelled',
]);

function failed(why: string): Result<never, PlatformFailureCode> {
  const platform = quotePlatform(manifest.name, why, why);
  if (PASSING.has(why)) {
    return refuse('platform.unavailable', 'TikTok did not get to the end of this post.', { platform });
  }
  const sentence = 'TikTok made nothing of this post. Its own words are quoted beside.';
  return explained({ code: why, message: why }) ?? refuse('platform.refused', sentence, { platform });
}

/** Until everybody may see it, a post is called by the id that it was begun under. */
export const partOf = (session: Session, publishId: string, postId: string | null): PublishedPart => {
  const kind = publishId.startsWith('p_') ? 'photo' : 'video';
  const url = postId === null ? null : urlOf(session, kind, postId);
  return { externalId: postId ?? publishId, url, receipt: {} };
};

/** The id alone leads there, whatever the account is called by now. */
export const urlOf = ({ account }: Session, kind: 'photo' | 'video', postId: string): string =>
  `https://www.tiktok.com/@${account.username ?? ''}/${kind}/${postId}`;
