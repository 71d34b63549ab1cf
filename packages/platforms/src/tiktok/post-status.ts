import {
  ok,
  quotePlatform,
  refuse,
  type PlatformFailureCode,
  type PublishedPart,
  type Refusal,
  type Result,
  type Session,
} from '@switchboard/domain';
import type { AdapterResult } from '../kit/platform-client.js';
import { mapFailureAfterSend } from '../kit/map-failure-after-send.js';
import { waitUntilReady } from '../kit/wait-until-ready.js';
import { requestJson, explainError } from './client.js';
import { manifest } from './manifest.js';
import { postStatus } from './wire.js';

/** How far a post is that was begun. */
export type PostStatus =
  | { readonly state: 'out'; readonly postId: string | null }
  | { readonly state: 'failed'; readonly why: string }
  /** `bytes`: how much of a film is there; null where TikTok does not say. */
  | { readonly state: 'under_way'; readonly bytes: number | null };

const POLL_DELAYS_MS: readonly number[] = [0, 1_000, 2_000, 3_000, ...Array<number>(11).fill(5_000)];

/** Null: TikTok knows nothing of it, or not any more. */
export async function getPostStatus(session: Session, publishId: string): AdapterResult<PostStatus | null> {
  const path = '/v2/post/publish/status/fetch/';
  const seen = await requestJson(
    session,
    { method: 'POST', path, json: { publish_id: publishId }, effect: 'read' },
    postStatus,
    ({ code }) => (code === 'invalid_publish_id' ? ok(null) : undefined),
  );
  if (!seen.ok) return seen;
  if (!seen.value) return ok(null);
  const reported = seen.value.data;
  switch (reported.status) {
    case 'PUBLISH_COMPLETE':
      return ok({ state: 'out', postId: reported.publicaly_available_post_id?.[0] ?? null });
    case 'FAILED':
      return ok({ state: 'failed', why: reported.fail_reason || reported.status });
    default:
      return ok({ state: 'under_way', bytes: reported.uploaded_bytes ?? null });
  }
}

/** Waits until it is decided what becomes of a post whose media are all there, or on their way: all but a decision is a doubt. */
export async function waitUntilDecided(
  session: Session,
  publishId: string,
  delaysMs = POLL_DELAYS_MS,
): AdapterResult<PublishedPart> {
  const last: { end: Exclude<PostStatus, { state: 'under_way' }> | null } = { end: null };
  const decided = await waitUntilReady(session, {
    name: manifest.name,
    delaysMs,
    async look() {
      const seen = await getPostStatus(session, publishId);
      if (!seen.ok) return toOutcomeUnknown(seen);
      if (!seen.value) return postUnknown();
      if (seen.value.state === 'under_way') return ok('processing');
      last.end = seen.value;
      return ok('ready');
    },
  });
  if (!decided.ok) return mapFailureAfterSend(manifest, decided);
  const { end } = last;
  if (!end) return postUnknown();
  return end.state === 'failed' ? postFailed(end.why) : ok(partOf(session, publishId, end.postId));
}

/** A look that fails once all was sent says nothing of the post, and one that is refused does not either. */
export const toOutcomeUnknown = ({ failure }: Refusal<PlatformFailureCode>) =>
  mapFailureAfterSend<never>(manifest, {
    ok: false,
    failure: { ...failure, code: 'platform.outcome_unknown' },
  });

/** It may be out: nobody can tell any more. */
export const postUnknown = () =>
  refuse('platform.outcome_unknown', 'TikTok knows nothing of this post any more.');

/** What TikTok itself calls worth another attempt, from the beginning. */
const TRANSIENT_REASONS = new Set([
  'internal',
  'internal_error',
  'video_pull_failed',
  'photo_pull_failed',
  'publish_cancelled',
]);

function postFailed(why: string): Result<never, PlatformFailureCode> {
  const platform = quotePlatform(manifest.name, why, why);
  if (TRANSIENT_REASONS.has(why)) {
    return refuse('platform.unavailable', 'TikTok did not get to the end of this post.', { platform });
  }
  const sentence = 'TikTok made nothing of this post. Its own words are quoted beside.';
  return explainError({ code: why, message: why }) ?? refuse('platform.refused', sentence, { platform });
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
