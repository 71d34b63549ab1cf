import { ok, refuse, type PublishItem, type Session } from '@switchboard/platform-kit';
import { findRecentPosts, resolveSingleMatch } from '@switchboard/platform-kit/find-recent-posts';
import { normalizeText } from '@switchboard/platform-kit/normalize-text';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { rules } from './rules.js';
import { progressOf, uploadOf } from './upload.js';
import { readVideo } from './video-state.js';
import { findUploadsPlaylist } from './find-uploads-playlist.js';
import { requestJson, uploads, type Video } from './wire.js';

const PAGE = 50;
const PAGES_MAX = 5;

/** A video, and whether another attempt would continue it instead of uploading it again. */
interface FoundVideo {
  readonly video: Video;
  readonly isResumable: boolean;
}

/** The channel's video that is this item, in any state. Null: there is none. */
export async function findVideo(session: Session, item: PublishItem): AdapterResult<FoundVideo | null> {
  if (item.receipt['video'] !== undefined) return findKnownVideo(session, item.receipt['video'], true);
  const upload = uploadOf(item.receipt);
  // The upload is stored before its first byte, and the final chunk is recorded before it is sent.
  if (!upload?.isLastPieceSent) return item.isReceiptOutdated ? findOtherUpload(session, item) : ok(null);
  const progress = await progressOf(session, upload);
  if (!progress.ok) return progress;
  // The response of an upload URL is a snapshot of the moment when the upload ended.
  const { value: state } = progress;
  if (state && 'post' in state) return findKnownVideo(session, state.post.id, true);
  if (state && state.received < upload.bytes)
    return item.isReceiptOutdated ? findOtherUpload(session, item) : ok(null);
  const listed = await findUpload(session, item);
  if (!listed.ok) return listed;
  if (listed.value !== null) return findKnownVideo(session, listed.value, false);
  // New videos may be listed hours later.
  return state
    ? refuse('platform.unavailable', 'YouTube received the file but has not created the video yet.', {
        retryAfterSeconds: 60,
      })
    : refuse('platform.outcome_unknown', 'YouTube no longer reports the state of the upload.');
}

/** Of an installation whose receipt is not known here. Absence proves nothing: new videos may be listed hours later. */
async function findOtherUpload(session: Session, item: PublishItem): AdapterResult<FoundVideo | null> {
  const listed = await findUpload(session, item);
  if (!listed.ok) return listed;
  return listed.value === null
    ? refuse('platform.outcome_unknown', 'YouTube does not list the video, which may have been uploaded.')
    : findKnownVideo(session, listed.value, false);
}

async function findKnownVideo(
  session: Session,
  id: string,
  isResumable: boolean,
): AdapterResult<FoundVideo | null> {
  const read = await readVideo(session, id);
  if (!read.ok) return read;
  return read.value
    ? ok({ video: read.value, isResumable })
    : refuse('platform.unavailable', 'YouTube does not list the uploaded video.');
}

/** The ID of a video uploaded since the item was due, with the same title and the same description. */
async function findUpload(session: Session, item: PublishItem): AdapterResult<string | null> {
  const playlist = await findUploadsPlaylist(session);
  if (!playlist.ok) return playlist;
  const playlistId = playlist.value ?? undefined;
  const listed = await findRecentPosts(
    item,
    async (pageToken) => {
      const page = await requestJson(
        session,
        {
          path: '/youtube/v3/playlistItems',
          query: { part: 'snippet', playlistId, maxResults: PAGE, pageToken },
        },
        uploads,
      );
      return page.ok ? ok({ found: page.value.items, next: page.value.nextPageToken ?? undefined }) : page;
    },
    { pagesMax: PAGES_MAX, newestFirst: true, createdAtOf: ({ snippet }) => snippet.publishedAt },
  );
  if (!listed.ok) return listed;
  const same = listed.value.filter(
    ({ snippet: { title, description } }) =>
      normalizeText(title) === normalizeText(item.title ?? '') &&
      normalizeText(description ?? '') === normalizeText(rules.finalText(item)),
  );
  return resolveSingleMatch(same.map(({ snippet }) => snippet.resourceId.videoId));
}
