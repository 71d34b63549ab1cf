import { ok, refuse, type PublishItem, type Session } from '@switchboard/domain';
import { listedSince, onlyOne } from '../kit/look-back.js';
import { plainWords } from '../kit/plain-words.js';
import type { Answer } from '../kit/answers.js';
import { rules } from './rules.js';
import { progressOf, uploadOf } from './upload.js';
import { ask, channels, uploads, videos, type Video } from './wire.js';

const PAGE = 50;
const PAGES_MAX = 5;

/** The channel's video that is this item, whether it is shown yet or not. Null: there is none. */
export async function findVideo(session: Session, item: PublishItem): Answer<Video | null> {
  if (item.receipt['video'] !== undefined) return videoOf(session, item.receipt['video']);
  const upload = uploadOf(item);
  // An upload is remembered before its first byte, and its last piece before that is sent.
  if (!upload?.isEnded) return ok(null);
  const progress = await progressOf(session, upload);
  if (!progress.ok) return progress;
  if (progress.value && 'video' in progress.value) return ok(progress.value.video);
  if (progress.value && progress.value.arrived < upload.bytes) return ok(null);
  const listed = await findUpload(session, item);
  if (!listed.ok || listed.value) return listed;
  // New videos may be listed hours later.
  return progress.value
    ? refuse('platform.unavailable', 'YouTube has the film, and has not made a video of it yet.', {
        retryAfterSeconds: 60,
      })
    : refuse('platform.outcome_unknown', 'YouTube does not say any more what became of the upload.');
}

async function videoOf(session: Session, id: string): Answer<Video | null> {
  const query = { part: 'status', id };
  const read = await ask(
    session,
    { method: 'GET', path: '/youtube/v3/videos', query, effect: 'read' },
    videos,
  );
  return read.ok ? ok(read.value.items[0] ?? null) : read;
}

/** Uploaded since the item was due, with the same title and the same description. */
async function findUpload(session: Session, item: PublishItem): Answer<Video | null> {
  const query = { part: 'contentDetails', mine: true };
  const own = await ask(
    session,
    { method: 'GET', path: '/youtube/v3/channels', query, effect: 'read' },
    channels,
  );
  if (!own.ok) return own;
  const playlistId = own.value.items[0]?.contentDetails?.relatedPlaylists.uploads;
  const listed = await listedSince(
    item,
    async (pageToken) => {
      const page = await ask(
        session,
        {
          method: 'GET',
          path: '/youtube/v3/playlistItems',
          query: { part: 'snippet,status', playlistId, maxResults: PAGE, pageToken },
          effect: 'read',
        },
        uploads,
      );
      return page.ok ? ok({ found: page.value.items, next: page.value.nextPageToken ?? undefined }) : page;
    },
    { pagesMax: PAGES_MAX, newestFirst: true, madeAt: ({ snippet }) => snippet.publishedAt },
  );
  if (!listed.ok) return listed;
  const same = listed.value.filter(
    ({ snippet: { title, description } }) =>
      plainWords(title) === plainWords(item.title ?? '') &&
      plainWords(description ?? '') === plainWords(rules.finalText(item)),
  );
  return onlyOne(same.map(({ snippet, status }) => ({ id: snippet.resourceId.videoId, status })));
}
