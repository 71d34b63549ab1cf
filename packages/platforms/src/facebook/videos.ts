import {
  ok,
  quotePlatform,
  refuse,
  type PublishItem,
  type PublishMedia,
  type SaveReceipt,
  type Session,
} from '@switchboard/platform-kit';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { openReceipt } from '@switchboard/platform-kit/part-receipt';
import { resumeUploads } from '@switchboard/platform-kit/resumable-uploads';
import { waitUntilPublished } from '@switchboard/platform-kit/wait-until-published';
import { requestJson } from './client.js';
import { getVideoStatus, type VideoStatus } from './video-state.js';
import {
  FINISHED,
  finishRequest,
  parseUpload,
  uploadReel,
  uploadVideo,
  VIDEO_KEY,
  type VideoUpload,
} from './video-upload.js';
import { manifest } from './manifest.js';
import { becomesReel } from './reels.js';
import { finalText } from './rules.js';
import { done } from './wire.js';

/** The delay between two polls of the processing status. Longer processing is looked up later. */
const POLL_DELAYS_MS: readonly number[] = [0, 500, 1_500, 3_000, ...Array<number>(11).fill(5_000)];

/**
 * Publishes a video. Its ID is known before and identifies the outcome afterwards: one video never becomes
 * two posts.
 */
export async function publishVideo(
  session: Session,
  item: PublishItem,
  medium: PublishMedia,
  saveReceipt: SaveReceipt,
  delaysMs = POLL_DELAYS_MS,
): AdapterResult<VideoStatus> {
  const receipt = openReceipt(item, saveReceipt);
  const known = parseUpload(receipt.entries);
  const send = becomesReel(item, medium) ? uploadReel : uploadVideo;
  const uploaded = await resumeUploads(
    session,
    receipt,
    { name: manifest.name, look: () => getUploadState(session, known) },
    [{ key: VIDEO_KEY, upload: () => send(session, medium) }],
  );
  if (!uploaded.ok) return uploaded;
  const upload = parseUpload(receipt.entries);
  const finished = await requestJson(session, finishRequest(session, upload, finalText(item)), done);
  // A repeated publish request may be refused because the first succeeded.
  const isTaken = finished.ok || (upload.id === known.id && finished.failure.code === 'platform.refused');
  if (!isTaken) return finished;
  await receipt.save(FINISHED);
  return finished.ok ? waitUntilDecided(session, parseUpload(receipt.entries), delaysMs) : alreadyUploaded();
}

/**
 * Null: it has to be uploaded. A failed one expired, since its publish request would have ended as refused.
 */
async function getUploadState(session: Session, upload: VideoUpload): AdapterResult<'ready' | null> {
  const seen = await getVideoStatus(session, upload);
  if (!seen.ok) return seen;
  const state = seen.value?.state ?? 'failed';
  if (state === 'failed') return ok(null);
  return state === 'waiting' ? ok('ready') : alreadyUploaded();
}

/** From here on Facebook has the video: nothing is sent again. */
const waitUntilDecided = (
  session: Session,
  upload: VideoUpload,
  delaysMs: readonly number[],
): AdapterResult<VideoStatus> =>
  waitUntilPublished(session, {
    name: manifest.name,
    delaysMs,
    unconfirmed: 'Facebook accepted the video but does not show it yet.',
    async look() {
      const seen = await getVideoStatus(session, upload);
      if (!seen.ok) return seen;
      if (seen.value?.state === 'published') return ok(ok(seen.value));
      return ok(seen.value?.state === 'failed' ? videoFailed(seen.value) : null);
    },
  });

const videoFailed = ({ reason }: VideoStatus) =>
  refuse('platform.refused', 'Facebook cannot process this video.', {
    platform: reason === null ? undefined : quotePlatform(manifest.name, reason),
  });

/** An earlier attempt succeeded after all: the outcome has to be looked up. */
const alreadyUploaded = () => refuse('platform.outcome_unknown', 'Facebook already has this video.');
