import { parseFetchedFile } from '../meta/fetched-file.js';
import { graphRefusal } from '../meta/graph.js';
import { okResponse, type WireResponse } from '../wire/exchange.js';
import type { PageStore, PageFile } from './page-store.js';
import { readVideoProperties } from '../meta/video-properties.js';

/** A video upload to a page: through `/videos` in an upload session, or as a reel by its ID. */
const startedUpload = (number: bigint, pageId: string, bytes: number, isReel: boolean) => ({
  id: String(number),
  session: String(number + 7_000_000n),
  pageId,
  isReel,
  /** The total size; for a reel it is unknown before the first byte. */
  bytes,
  pieces: [] as Uint8Array[],
  file: null as PageFile | null,
  /**
   * The number of polls that return the state before the finish, and the number that then return "in
   * progress".
   */
  lags: 0,
  pollsLeft: 0,
  becomes: 'published' as VideoOutcome,
  isOver: false,
  finishedAt: null as Date | null,
});
export type VideoUpload = ReturnType<typeof startedUpload>;

/** The outcome of a finished upload: an upright video may be kept as a draft (gitroomhq/postiz-app#1740). */
type VideoOutcome = 'published' | 'draft' | 'nothing';

const FIRST_VIDEO = 122_400_000_000_000_001n;
/** https://developers.facebook.com/documentation/video-api/guides/reels-publishing: per rolling day. */
const REELS_PER_DAY = 30;
const DAY_MS = 86_400_000;

export const sessionClosed = graphRefusal({
  message: 'The upload session is over.',
  code: 6_001,
  subcode: 1_363_041,
});
const incompleteUpload = graphRefusal({
  message: 'The video was not uploaded wholly.',
  code: 6_000,
  subcode: 1_363_033,
});
const pageLimit = graphRefusal({ message: '(#32) Page request limit reached', code: 32 });

export const receivedBytes = ({ pieces }: VideoUpload): number =>
  pieces.reduce((sum, { length }) => sum + length, 0);
const isWhole = (upload: VideoUpload): boolean => upload.bytes > 0 && receivedBytes(upload) === upload.bytes;

/** https://developers.facebook.com/docs/graph-api/reference/video-status */
function statusOf(upload: VideoUpload, isEarly: boolean) {
  const [complete, notStarted] = [{ status: 'complete' }, { status: 'not_started' }];
  const status = (
    video_status: string,
    uploading_phase: object,
    processing_phase: object,
    publishing_phase: object = notStarted,
  ) => ({ video_status, uploading_phase, processing_phase, publishing_phase });
  if (!upload.file || upload.lags-- > 0) {
    const whole = isWhole(upload);
    const uploading = { status: whole ? 'complete' : 'in_progress', bytes_transfered: receivedBytes(upload) };
    // "The video is ready to be published": some reels are processed before they are finished.
    if (whole && isEarly && upload.isReel) return status('ready', uploading, complete);
    // fbsamples/reels_publishing_apis#47 shows the first before it is finished, gitroomhq/postiz-app#1631
    // the second after.
    const early = upload.file ? 'upload_complete' : 'processing';
    return status(whole ? early : 'uploading', uploading, notStarted);
  }
  // Every poll advances the processing.
  if (upload.pollsLeft-- > 0) return status('processing', complete, { status: 'in_progress' });
  if (upload.becomes !== 'nothing') {
    return status('ready', complete, complete, { ...complete, publish_status: upload.becomes });
  }
  // The documented response for a reel that cannot be processed.
  const error = { message: 'Resolution too low. Video must have a minimum resolution of 540p.' };
  return upload.isReel
    ? status('processing', complete, { ...notStarted, error })
    : status('error', complete, { status: 'error' });
}

export function createVideoUploads(store: PageStore, now: () => Date) {
  const uploads: VideoUpload[] = [];
  let [lags, takes, isLimited, isEarly] = [0, 0, false, false];
  let fate: VideoOutcome = 'published';

  const reelsOfDay = (page: string) =>
    uploads.filter(
      ({ pageId, isReel, finishedAt }) =>
        isReel && pageId === page && finishedAt && now().getTime() - finishedAt.getTime() < DAY_MS,
    ).length;

  return {
    begin(pageId: string, bytes: number, isReel: boolean): VideoUpload {
      const upload = startedUpload(FIRST_VIDEO + BigInt(uploads.length), pageId, bytes, isReel);
      uploads.push(upload);
      return upload;
    },
    find: (pageId: string, isMeant: (upload: VideoUpload) => boolean): VideoUpload | undefined =>
      uploads.find((one) => one.pageId === pageId && isMeant(one)),

    finish(upload: VideoUpload, description: string): WireResponse {
      const { id, pageId, isReel } = upload;
      if (isLimited || (isReel && reelsOfDay(pageId) >= REELS_PER_DAY)) return pageLimit;
      if (!isWhole(upload)) return incompleteUpload;
      const content = Buffer.concat(upload.pieces);
      const refused = isReel ? reelDefect(content) : null;
      if (refused) return refused;
      upload.finishedAt = now();
      const createdAt = upload.finishedAt;
      upload.file = { ...parseFetchedFile(content), id, pageId, altText: null, createdAt };
      [upload.lags, upload.pollsLeft, upload.becomes, upload.isOver] = [lags, takes, fate, true];
      if (fate === 'published') {
        store.publish({ pageId, message: description, link: null, photos: [], video: upload.file, isReel });
      }
      return okResponse({ success: true });
    },

    /** Null for an unknown video. */
    statusOf(pageId: string, id: string) {
      const upload = uploads.find((one) => one.id === id && one.pageId === pageId);
      if (!upload || (upload.file && upload.becomes === 'published' && !store.post(id))) return null;
      return statusOf(upload, isEarly);
    },

    /** Pending uploads can no longer be finished. */
    endSessions: () => uploads.forEach((upload) => void (upload.isOver = true)),
    uploads: () => uploads.length,
    /** The number of polls that return "in progress" for uploads finished from now on. */
    setProcessingPolls: (polls: number) => void (takes = polls),
    /** The number of earlier polls that return the state before the finish. */
    setStatusLagPolls: (polls: number) => void (lags = polls),
    /** Whether a reel is processed before it is finished. */
    setEarlyProcessing: (isSo: boolean) => void (isEarly = isSo),
    /** The outcome of uploads finished from now on. */
    setVideoOutcome: (what: VideoOutcome) => void (fate = what),
    /** Whether the page has exceeded its rate limit, so that no upload can be finished. */
    limitPublishing: (isSo: boolean) => void (isLimited = isSo),
  };
}

export type VideoUploads = ReturnType<typeof createVideoUploads>;

const SHORTEST_SECONDS = 3;
const LONGEST_SECONDS = 90;
const [LEAST_WIDTH, LEAST_HEIGHT] = [540, 960];
const [NARROWEST, WIDEST] = [9 / 16, 16 / 9];

const notSupported = (code: number, what: string): WireResponse =>
  graphRefusal({
    message: `The video you tried to upload has ${what} that isn’t supported on Facebook.`,
    code,
  });

/**
 * The rejections that the reels documentation lists; the frame rate is not checked. Null for a valid reel.
 */
function reelDefect(content: Uint8Array): WireResponse | null {
  const video = readVideoProperties(content);
  if (!video) return notSupported(1_363_024, 'a format');
  const ratio = video.width / video.height;
  if (ratio < NARROWEST || ratio > WIDEST) return notSupported(1_363_040, 'an aspect ratio');
  if (video.width < LEAST_WIDTH || video.height < LEAST_HEIGHT) return notSupported(1_363_127, 'resolution');
  return video.seconds < SHORTEST_SECONDS || video.seconds > LONGEST_SECONDS
    ? notSupported(1_363_128, 'a duration')
    : null;
}
