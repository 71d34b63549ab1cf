import {
  ok,
  quotePlatform,
  refuse,
  type Result,
  type PlatformFailureCode,
  type PublishedPart,
  type Session,
} from '@switchboard/platform-kit';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { waitUntilPublished } from '@switchboard/platform-kit/wait-until-published';
import { requestJson, explainError } from './client.js';
import { manifest } from './manifest.js';
import { postStatus } from './wire.js';

export type PostStatus =
  | { readonly state: 'out'; readonly postId: string | null }
  | { readonly state: 'failed'; readonly reason: string }
  /** `bytes`: how much of a video was received; null if TikTok does not report it. */
  | { readonly state: 'under_way'; readonly bytes: number | null };

const POLL_DELAYS_MS: readonly number[] = [0, 1_000, 2_000, 3_000, ...Array<number>(11).fill(5_000)];

/** Null: TikTok does not, or no longer, know the post. */
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
      return ok({ state: 'failed', reason: reported.fail_reason || reported.status });
    default:
      return ok({ state: 'under_way', bytes: reported.uploaded_bytes ?? null });
  }
}

/** Waits for the outcome of a post whose media are all uploaded, or being fetched. */
export const waitUntilDecided = (
  session: Session,
  publishId: string,
  delaysMs = POLL_DELAYS_MS,
): AdapterResult<PublishedPart> =>
  waitUntilPublished(session, {
    name: manifest.name,
    delaysMs,
    async look() {
      const seen = await getPostStatus(session, publishId);
      if (!seen.ok) return seen;
      if (!seen.value) return ok(postUnknown());
      if (seen.value.state === 'under_way') return ok(null);
      return ok(
        seen.value.state === 'failed'
          ? postFailed(seen.value.reason)
          : ok(partOf(session, publishId, seen.value.postId)),
      );
    },
  });

/** It may have been published: the outcome can no longer be determined. */
export const postUnknown = () => refuse('platform.outcome_unknown', 'TikTok no longer finds this post.');

/** The errors for which TikTok recommends a retry from the beginning. */
const TRANSIENT_REASONS = new Set([
  'internal',
  'internal_error',
  'video_pull_failed',
  'photo_pull_failed',
  'publish_cancelled',
]);

function postFailed(reason: string): Result<never, PlatformFailureCode> {
  const platform = quotePlatform(manifest.name, reason, reason);
  if (TRANSIENT_REASONS.has(reason)) {
    return refuse('platform.unavailable', 'TikTok did not finish processing this post.', { platform });
  }
  const sentence = 'TikTok could not process this post. See `platform` for its error message.';
  return (
    explainError({ code: reason, message: reason }) ?? refuse('platform.refused', sentence, { platform })
  );
}

/** Until it is public, a post has the ID with which it was started. */
export const partOf = (session: Session, publishId: string, postId: string | null): PublishedPart => {
  const kind = publishId.startsWith('p_') ? 'photo' : 'video';
  const url = postId === null ? null : urlOf(session, kind, postId);
  return { externalId: postId ?? publishId, url, receipt: {} };
};

/** The ID alone resolves, even after the account was renamed. */
export const urlOf = ({ account }: Session, kind: 'photo' | 'video', postId: string): string =>
  `https://www.tiktok.com/@${account.username ?? ''}/${kind}/${postId}`;
