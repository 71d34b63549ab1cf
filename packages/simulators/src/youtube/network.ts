import { oauthServer, type Bearer } from '../wire/oauth-server.js';
import type { Route, RoutedRequest, Routes } from '../wire/routes.js';
import { defineSimulator, starter, type PlatformOptions } from '../wire/simulator.js';
import { okResponse, fieldsOf, textOf, type WireResponse } from '../wire/exchange.js';
import {
  googleError,
  insufficientPermissions,
  notFound,
  quotaExceeded,
  unauthenticated,
  videoNotFound,
} from './errors.js';
import { listOf, presentChannel, presentThread, presentUpload, presentVideo, uploadsOf } from './present.js';
import { queryReport } from './reports.js';
import { readStatus, readVideo } from './read-video.js';
import { uploadRoutes } from './upload-routes.js';
import { videoStore } from './video-store.js';

export interface YouTubeOptions extends PlatformOptions {
  /** The project's quota bucket for `videos.insert`. */
  readonly insertsPerDay?: number;
  /** The number of videos that the channel may upload per day, through any client. */
  readonly uploadsPerDay?: number;
  /** Whether Google has audited the project: uploads of unaudited ones stay private. */
  readonly audited?: boolean;
  /** Whether the channel owner has verified a phone number. */
  readonly mayHaveThumbnails?: boolean;
}

const scope = (name: string) => `https://www.googleapis.com/auth/${name}`;
export const YOUTUBE_SCOPES = ['youtube.force-ssl', 'youtube.readonly', 'yt-analytics.readonly'].map(scope);

const UPLOADS = ['youtube.upload', 'youtube', 'youtubepartner', 'youtube.force-ssl'];
const READS = ['youtube', 'youtube.force-ssl', 'youtube.readonly', 'youtubepartner'];
const WRITES = ['youtube', 'youtube.force-ssl', 'youtubepartner'];
const COMMENTS = ['youtube.force-ssl'];

const ALICE = {
  id: 'UCq3bX9t0m2Zr5LkW7vYdE1g',
  title: 'Alice’s kiln',
  handle: '@aliceskiln',
  subscribers: 1_230,
};
export type YouTubeChannel = Readonly<typeof ALICE>;
const COMMENT_MAX = 5_000;
const IMAGE_BYTES_MAX = 50 * 1024 * 1024;
const DAY_MS = 86_400_000;
/** Midnight Pacific time is eight hours after midnight UTC in winter. */
const PACIFIC_MS = 8 * 3_600_000;

function openState({ now = () => new Date(), ...rules }: YouTubeOptions) {
  const videos = videoStore(now);
  const state = {
    channel: ALICE,
    now,
    videos,
    audited: rules.audited ?? true,
    insertsPerDay: rules.insertsPerDay ?? 100,
    uploadsPerDay: rules.uploadsPerDay ?? Infinity,
    mayHaveThumbnails: rules.mayHaveThumbnails ?? true,
    hasReports: true,
  };
  const insertedAt: number[] = [];
  /** The reason why a new upload is rejected now; null when it is accepted. */
  function refuses(): WireResponse | null {
    const at = now().getTime();
    const day = (ms: number) => Math.floor((ms - PACIFIC_MS) / DAY_MS);
    if (insertedAt.filter((ms) => day(ms) === day(at)).length >= state.insertsPerDay) return quotaExceeded;
    if (insertedAt.filter((ms) => ms > at - DAY_MS).length >= state.uploadsPerDay) return uploadLimitExceeded;
    insertedAt.push(at);
    return null;
  }
  const uploads = uploadRoutes({
    videos,
    audited: state.audited,
    refuses,
    present: (video) => presentVideo(video, 0, ['snippet', 'status']),
  });
  return Object.assign(state, { uploads });
}
type YouTubeState = ReturnType<typeof openState>;
type YouTubeRequest = RoutedRequest<Bearer>;
type YouTubeRoute = Route<YouTubeState, Bearer>;

/** A token needs one of these scopes. */
const may =
  (names: readonly string[], route: YouTubeRoute): YouTubeRoute =>
  (state, request) =>
    names.some((name) => request.owner.scopes.includes(scope(name)))
      ? route(state, request)
      : insufficientPermissions;

const UPLOAD_PATH = '/upload/youtube/v3/videos?uploadType=resumable';
const routes: Routes<YouTubeState, Bearer> = {
  [`POST ${UPLOAD_PATH}`]: may(UPLOADS, ({ uploads }, request) =>
    uploads.begin(request, request.owner.account),
  ),
  [`PUT ${UPLOAD_PATH}`]: may(UPLOADS, ({ uploads }, request) =>
    uploads.send(request, request.owner.account),
  ),
  'POST /upload/youtube/v3/thumbnails/set': may(UPLOADS, setThumbnail),
  'GET /youtube/v3/channels': may(READS, listChannels),
  'GET /youtube/v3/videos': may(READS, listVideos),
  'PUT /youtube/v3/videos': may(WRITES, updateVideo),
  'DELETE /youtube/v3/videos': may(WRITES, deleteVideo),
  'GET /youtube/v3/playlistItems': may(READS, listPlaylistItems),
  'POST /youtube/v3/commentThreads': may(COMMENTS, createComment),
  'GET /youtube/v3/commentThreads': may(COMMENTS, listComments),
  'GET /youtube/v3/comments': may(COMMENTS, readComments),
  'PUT /youtube/v3/comments': may(COMMENTS, updateComment),
  'DELETE /youtube/v3/comments': may(COMMENTS, deleteComment),
  // The first scope has recently become required in addition to the analytics scope.
  'GET /v2/reports': may(
    ['youtube.readonly'],
    may(['yt-analytics.readonly'], ({ hasReports, channel, videos }, { query }) =>
      hasReports ? queryReport(query, channel, videos) : reportsNotEnabled,
    ),
  ),
};

/** YouTube according to developers.google.com/youtube, without a socket. */
export function youtubeNetwork(options: YouTubeOptions = {}) {
  const state = openState(options);
  const { channel, now, uploads, videos } = state;
  const oauth = oauthServer({
    apps: options.apps ?? [],
    now,
    account: channel.id,
    knows: (requested) => YOUTUBE_SCOPES.includes(requested),
    paths: { authorize: '/o/oauth2/v2/auth', token: '/token', revoke: '/revoke' },
    accessSeconds: 3_599,
    refresh: { seconds: 20 * 365 * 86_400, rotates: false, fixed: true },
  });

  return {
    channel,
    videos,
    uploads,
    oauth,
    ...defineSimulator<YouTubeState, Bearer>({
      state,
      oauth,
      routes,
      ownerOf: oauth.bearerOf,
      unauthorized: unauthenticated,
      notFound,
    }),
    /** Whether the YouTube Analytics API, a separate API, is enabled in the project from now on. */
    setReportsEnabled: (does: boolean) => void (state.hasReports = does),
  };
}

export const startYouTube = starter(youtubeNetwork);

const partsOf = (query: URLSearchParams): readonly string[] => (query.get('part') ?? '').split(',');

const commentsDisabled = googleError(
  403,
  'commentsDisabled',
  'The video identified by the <code>videoId</code> parameter has disabled comments.',
  'youtube.commentThread',
);

const reportsNotEnabled = googleError(
  403,
  'accessNotConfigured',
  'YouTube Analytics API has not been used in project 1234 before or it is disabled.',
  'usageLimits',
  { status: 'PERMISSION_DENIED' },
);

const uploadLimitExceeded = googleError(
  400,
  'uploadLimitExceeded',
  'The user has exceeded the number of videos they may upload.',
);

const commentNotFound = googleError(
  404,
  'commentNotFound',
  'The specified comment could not be found.',
  'youtube.comment',
);

function listChannels({ channel }: YouTubeState, { query, owner }: YouTubeRequest): WireResponse {
  if (query.get('mine') !== 'true') {
    return googleError(400, 'missingRequiredParameter', 'No filter selected.', 'youtube.parameter');
  }
  const has = owner.account === channel.id;
  return okResponse(listOf('channelListResponse', has ? [presentChannel(channel, partsOf(query))] : []));
}

function listVideos({ videos }: YouTubeState, { query }: YouTubeRequest): WireResponse {
  const ids = (query.get('id') ?? '').split(',');
  if (ids.length > 50) return googleError(400, 'invalidFilters', 'Too many ids.', 'global');
  const found = ids.flatMap((id) => videos.find(id) ?? []);
  const parts = partsOf(query);
  const items = found.map((one) =>
    presentVideo(
      one,
      videos.commentsOn(one.id).length,
      parts,
      parts.includes('status') ? videos.processingOf(one.id) : undefined,
    ),
  );
  return okResponse(listOf('videoListResponse', items));
}

function updateVideo({ audited, videos }: YouTubeState, { query, body }: YouTubeRequest): WireResponse {
  const id = textOf(fieldsOf(body)['id']);
  if (!videos.seen(id)) return videoNotFound;
  if (query.get('part') === 'snippet') {
    const read = readVideo(body, false);
    if ('status' in read) return read;
    const { title, description, tags, categoryId } = read;
    if (textOf(fieldsOf(fieldsOf(body)['snippet'])['categoryId']) === '')
      return googleError(400, 'invalidCategoryId', 'The request metadata specifies an invalid category ID.');
    const edited = videos.edit(id, { title, description, tags, categoryId });
    return edited ? okResponse(presentVideo(edited, 0, ['snippet'])) : videoNotFound;
  }
  if (query.get('part') !== 'status')
    return googleError(400, 'unexpectedPart', 'Only the status is known here.');
  const status = readStatus(body);
  if ('status' in status) return status;
  const changed = videos.setStatus(id, audited ? status : { ...status, privacyStatus: 'private' });
  return changed ? okResponse(presentVideo(changed, 0, ['status'])) : videoNotFound;
}

function setThumbnail(
  { videos, mayHaveThumbnails }: YouTubeState,
  { query, headers, body }: YouTubeRequest,
): WireResponse {
  const id = query.get('videoId') ?? '';
  if (!videos.seen(id)) return videoNotFound;
  if (!mayHaveThumbnails) {
    const message =
      'The authenticated user doesn’t have permissions to upload and set custom video thumbnails.';
    return googleError(403, 'forbidden', message, 'youtube.thumbnail');
  }
  const domain = 'youtube.thumbnail';
  const type = textOf(headers['content-type']);
  if (!(body instanceof Uint8Array)) {
    return googleError(400, 'mediaBodyRequired', 'The request does not include the image content.', domain);
  }
  if (!/^image\/(jpeg|png)$/.test(type) || body.length > IMAGE_BYTES_MAX) {
    return googleError(400, 'invalidImage', 'The provided image content is invalid.', domain);
  }
  videos.setThumbnail(id, type, body);
  const items = [{ default: { url: `https://i.ytimg.com/vi/${id}/default.jpg`, width: 120, height: 90 } }];
  return okResponse({ kind: 'youtube#thumbnailSetResponse', etag: 'q0p7', items });
}

function listPlaylistItems({ channel, videos }: YouTubeState, { query }: YouTubeRequest): WireResponse {
  if (query.get('playlistId') !== uploadsOf(channel)) {
    const message = 'The playlist identified with the request’s playlistId parameter cannot be found.';
    return googleError(404, 'playlistNotFound', message, 'youtube.playlistItem');
  }
  const [size, from] = [Number(query.get('maxResults') ?? 5), Number(query.get('pageToken') ?? 0)];
  const all = videos.uploads(channel.id);
  const parts = partsOf(query);
  const items = all.slice(from, from + size).map((one) => presentUpload(one, channel, parts));
  const next = from + size < all.length ? String(from + size) : undefined;
  return okResponse(listOf('playlistItemListResponse', items, next));
}

function createComment({ channel, videos }: YouTubeState, { body, owner }: YouTubeRequest): WireResponse {
  const snippet = fieldsOf(fieldsOf(body)['snippet']);
  const text = textOf(fieldsOf(fieldsOf(snippet['topLevelComment'])['snippet'])['textOriginal']);
  const video = videos.seen(textOf(snippet['videoId']));
  const domain = 'youtube.commentThread';
  if (!video) return videoNotFound;
  if (textOf(snippet['channelId']) === '') {
    return googleError(
      400,
      'channelOrVideoIdMissing',
      'Each comment thread must be linked to a video.',
      domain,
    );
  }
  if (video.privacyStatus === 'private' || video.selfDeclaredMadeForKids === true) return commentsDisabled;
  if (text.trim() === '') return googleError(400, 'commentTextRequired', 'A comment has a text.', domain);
  if (Buffer.byteLength(text) > COMMENT_MAX) {
    return googleError(400, 'commentTextTooLong', 'The comment has too many characters.', domain);
  }
  return okResponse(
    presentThread(videos.say({ videoId: video.id, authorChannelId: owner.account, text }), channel, videos),
  );
}

function listComments({ channel, videos }: YouTubeState, { query }: YouTubeRequest): WireResponse {
  const video = videos.seen(query.get('videoId') ?? '', 'list');
  if (!video) return videoNotFound;
  if (video.privacyStatus === 'private' || video.selfDeclaredMadeForKids === true) return commentsDisabled;
  const [size, from] = [Number(query.get('maxResults') ?? 20), Number(query.get('pageToken') ?? 0)];
  const all = videos.commentsOn(video.id);
  const items = all.slice(from, from + size).map((one) => presentThread(one, channel, videos));
  const next = from + size < all.length ? String(from + size) : undefined;
  return okResponse(listOf('commentThreadListResponse', items, next));
}

/** Those that exist and are not held for review. */
function readComments({ videos }: YouTubeState, { query }: YouTubeRequest): WireResponse {
  const ids = (query.get('id') ?? '').split(',');
  const found = ids.flatMap((id) => (videos.isHeld(id) ? [] : (videos.comment(id) ?? [])));
  return okResponse(
    listOf(
      'commentListResponse',
      found.map(({ id, text }) => ({
        kind: 'youtube#comment',
        id,
        ...(partsOf(query).includes('snippet') && { snippet: { textOriginal: text, textDisplay: text } }),
      })),
    ),
  );
}

function deleteVideo({ videos }: YouTubeState, { query }: YouTubeRequest): WireResponse {
  const id = query.get('id') ?? '';
  if (!videos.find(id)) return videoNotFound;
  videos.remove(id);
  return { status: 204 };
}

function updateComment({ videos }: YouTubeState, { body }: YouTubeRequest): WireResponse {
  const fields = fieldsOf(body);
  const [id, text] = [textOf(fields['id']), textOf(fieldsOf(fields['snippet'])['textOriginal'])];
  if (!videos.comment(id)) return commentNotFound;
  if (text.trim() === '' || Buffer.byteLength(text) > COMMENT_MAX)
    return googleError(
      400,
      'commentTextTooLong',
      'The comment has too many characters, or none.',
      'youtube.comment',
    );
  videos.editComment(id, text);
  return okResponse({ kind: 'youtube#comment', id, snippet: { textOriginal: text, textDisplay: text } });
}

function deleteComment({ videos }: YouTubeState, { query }: YouTubeRequest): WireResponse {
  const id = query.get('id') ?? '';
  if (!videos.comment(id)) return commentNotFound;
  videos.remove(id);
  return { status: 204 };
}
