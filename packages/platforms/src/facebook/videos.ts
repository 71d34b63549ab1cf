import {
  ok,
  quotePlatform,
  refuse,
  type PublishItem,
  type PublishMedia,
  type SaveReceipt,
  type Session,
} from '@switchboard/domain';
import type { AdapterResult } from '../kit/platform-client.js';
import { waitUntilReady } from '../kit/wait-until-ready.js';
import { requestJson } from './client.js';
import { getVideoStatus, type VideoStatus } from './video-state.js';
import {
  finishRequest,
  receiptOf,
  uploadVideo,
  uploadReel,
  parseUpload,
  type VideoUpload,
} from './video-upload.js';
import { manifest } from './manifest.js';
import { becomesReel } from './reels.js';
import { finalText } from './rules.js';
import { done } from './wire.js';

/** The delay between two polls of the processing status. Longer processing is looked up later. */
const POLL_DELAYS_MS: readonly number[] = [0, 500, 1_500, 3_000, ...Array<number>(11).fill(5_000)];
const LATER_SECONDS = 60;

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
  const known = parseUpload(item);
  const before = known ? await getVideoStatus(session, known) : ok(null);
  if (!before.ok) return before;
  const state = before.value?.state;
  if (state === 'published' || state === 'processing' || state === 'hidden') return alreadyUploaded();
  const stored = state === 'waiting' ? known : null;
  const send = becomesReel(item, medium) ? uploadReel : uploadVideo;
  const sent = stored ? ok(stored) : await send(session, medium);
  if (!sent.ok) return sent;
  if (!stored) await saveReceipt(receiptOf(sent.value));
  const finished = await requestJson(session, finishRequest(session, sent.value, finalText(item)), done);
  // A repeated publish request may be refused because the first succeeded.
  const isTaken = finished.ok || (stored !== null && finished.failure.code === 'platform.refused');
  if (!isTaken) return finished;
  const accepted: VideoUpload = { ...sent.value, isFinished: true };
  await saveReceipt(receiptOf(accepted));
  return finished.ok ? waitUntilPublished(session, accepted, delaysMs) : alreadyUploaded();
}

/** From here on Facebook has the video: an unknown outcome is looked up later, and nothing is sent again. */
async function waitUntilPublished(
  session: Session,
  upload: VideoUpload,
  delaysMs: readonly number[],
): AdapterResult<VideoStatus> {
  let last: VideoStatus | null = null;
  const look = async (): AdapterResult<'ready' | 'processing' | null> => {
    const seen = await getVideoStatus(session, upload);
    if (!seen.ok) return seen;
    last = seen.value;
    const isSettled = seen.value?.state === 'published' || seen.value?.state === 'failed';
    return ok(seen.value && (isSettled ? 'ready' : 'processing'));
  };
  const ready = await waitUntilReady(session, { name: manifest.name, delaysMs, look });
  const video = ready.ok ? (last as VideoStatus | null) : null;
  if (video?.state === 'failed') {
    const quoted = video.why === null ? {} : { platform: quotePlatform(manifest.name, video.why) };
    return refuse('platform.refused', 'Facebook cannot process this video.', quoted);
  }
  if (video) return ok(video);
  const extras = { retryAfterSeconds: LATER_SECONDS };
  return refuse('platform.outcome_unknown', 'Facebook accepted the video but does not show it yet.', extras);
}

/** An earlier attempt succeeded after all: the outcome has to be looked up. */
const alreadyUploaded = () => refuse('platform.outcome_unknown', 'Facebook already has this video.');
