import {
  ok,
  quotePlatform,
  refuse,
  type Refusal,
  type PublishItem,
  type PublishedPart,
  type Session,
} from '@switchboard/platform-kit';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { waitUntilPublished } from '@switchboard/platform-kit/wait-until-published';
import { manifest } from './manifest.js';
import { optionsOf } from './rules.js';
import { channels, listedVideos, requestJson, videos, type Video } from './wire.js';

/**
 * The delay before each poll, in milliseconds: a minute in total. Longer processing is followed by lookups.
 */
const POLL_DELAYS_MS: readonly number[] = [0, 1_000, 2_000, 5_000, 10_000, 20_000, 20_000];

/**
 * YouTube's state of a video: `published` is processed and as visible as requested; `restricted` has another
 * visibility; `ended` will never be visible. `processing` is every undecided state, including unknown values
 * of either field.
 */
type VideoState =
  | { readonly state: 'published' }
  | { readonly state: 'processing' }
  | { readonly state: 'restricted'; readonly privacyStatus: string }
  | { readonly state: 'ended'; readonly uploadStatus: string; readonly reason: string };

/** https://developers.google.com/youtube/v3/docs/videos#status.uploadStatus */
const FINAL_STATUSES = ['failed', 'rejected', 'deleted'];

/** https://developers.google.com/youtube/v3/docs/videos#status.privacyStatus */
const VISIBILITIES = ['private', 'public', 'unlisted'];

export function stateOf({ status }: Video, item: Pick<PublishItem, 'options'>): VideoState {
  const { uploadStatus, privacyStatus, failureReason, rejectionReason } = status ?? {};
  if (uploadStatus != null && FINAL_STATUSES.includes(uploadStatus)) {
    return { state: 'ended', uploadStatus, reason: rejectionReason ?? failureReason ?? uploadStatus };
  }
  const isAsked = privacyStatus === optionsOf(item).visibility;
  if (privacyStatus != null && VISIBILITIES.includes(privacyStatus) && !isAsked) {
    return { state: 'restricted', privacyStatus };
  }
  const isProven = uploadStatus === 'processed' && isAsked;
  return isProven ? { state: 'published' } : { state: 'processing' };
}

/** The video as its channel's owner sees it; null if YouTube does not list it, or not yet. */
export async function readVideo(session: Session, id: string): AdapterResult<Video | null> {
  const query = { part: 'status', id };
  const read = await requestJson(session, { path: '/youtube/v3/videos', query }, videos);
  return read.ok ? ok(read.value.items?.[0] ?? null) : read;
}

/**
 * Whether the channel still has a video. Its owner sees every video of it, also private ones: one that the channel's
 * own login does not list was deleted.
 */
export async function videoExists(session: Session, id: string): AdapterResult<boolean> {
  const read = await requestJson(
    session,
    { path: '/youtube/v3/videos', query: { part: 'status', id } },
    listedVideos,
  );
  if (!read.ok) return read;
  const [found] = read.value.items;
  if (found) return ok(found.status?.uploadStatus !== 'deleted');
  const own = await requestJson(
    session,
    { path: '/youtube/v3/channels', query: { part: 'id', mine: true } },
    channels,
  );
  if (!own.ok) return own;
  return own.value.items?.some((channel) => channel.id === session.account.id)
    ? ok(false)
    : refuse(
        'platform.outcome_unknown',
        'YouTube does not list the video, and this login has another channel.',
      );
}

/** Waits until YouTube has decided about a video whose visibility was accepted. */
export const waitUntilDecided = (
  session: Session,
  item: PublishItem,
  id: string,
  delaysMs = POLL_DELAYS_MS,
): AdapterResult<PublishedPart> =>
  waitUntilPublished(session, {
    name: manifest.name,
    delaysMs,
    unconfirmed: outcomeUnknown(id).failure.message,
    async look() {
      const read = await readVideo(session, id);
      if (!read.ok) return read;
      const seen = read.value && stateOf(read.value, item);
      if (seen?.state === 'ended') return ok(endedRefusal(seen, id));
      // The response to the write had the requested visibility, so another one here may be a stale read.
      return ok(seen?.state === 'published' ? ok(videoPart(id)) : null);
    },
  });

export const endedRefusal = (
  { uploadStatus, reason }: Extract<VideoState, { state: 'ended' }>,
  id: string,
): Refusal<'platform.refused'> =>
  refuse(
    'platform.refused',
    `${ENDINGS[uploadStatus] ?? 'YouTube did not publish'} the video ${urlOf(id)}.`,
    {
      platform: quotePlatform(manifest.name, reason, reason),
    },
  );

const ENDINGS: Readonly<Record<string, string>> = {
  failed: 'YouTube could not process',
  rejected: 'YouTube rejected',
  deleted: 'The channel no longer has',
};

/** The video exists, but not for the requested audience. */
export const restrictedRefusal = (
  { privacyStatus }: Extract<VideoState, { state: 'restricted' }>,
  item: Pick<PublishItem, 'options'>,
  id: string,
): Refusal<'platform.refused'> =>
  refuse(
    'platform.refused',
    `The video ${urlOf(id)} is uploaded, but YouTube made it ${privacyStatus} instead of ${optionsOf(item).visibility}. ` +
      'Videos of a Google project that has not passed the YouTube API audit stay private. Change the visibility in ' +
      'YouTube Studio or have the project audited, then retry: the video is not uploaded again.',
    { platform: quotePlatform(manifest.name, `privacyStatus: ${privacyStatus}`, privacyStatus) },
  );

export const outcomeUnknown = (id: string) =>
  refuse(
    'platform.outcome_unknown',
    `YouTube has the video ${urlOf(id)} and has not finished processing it.`,
  );

export const urlOf = (id: string) => `https://www.youtube.com/watch?v=${id}`;

export const videoPart = (id: string): PublishedPart => ({ externalId: id, url: urlOf(id), receipt: {} });
