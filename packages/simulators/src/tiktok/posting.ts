import { parseFetchedFile, type FetchedFile } from '../meta/fetched-file.js';
import {
  fieldsOf,
  textOf,
  textsOf,
  type Read,
  type WireRequest,
  type WireResponse,
} from '../wire/exchange.js';
import { okResponse, invalid, errorResponse, rateLimited } from './responses.js';
import type { Privacy } from './post-store.js';
import type { TikTokAccount, TikTokRequest, TikTokState } from './network.js';
import type { PublishTask } from './task-store.js';

const MB = 1_000_000;
const UNAUDITED_USERS = 5;
const TITLE_MAX = { video: 2_200, photo: 90 };
const DESCRIPTION_MAX = 4_000;
const PHOTOS_MAX = 35;
const PHOTO_BYTES_MAX = 20 * MB;
const VIDEO_BYTES_MAX = 4_000 * MB;
const MINUTE_MS = 60_000;

const PRIVACY: Readonly<Record<'open' | 'private', readonly Privacy[]>> = {
  open: ['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY'],
  private: ['FOLLOWER_OF_CREATOR', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY'],
};
const privacyOf = ({ isPrivate }: TikTokAccount) => PRIVACY[isPrivate ? 'private' : 'open'];

/** The simulator refuses tokens of unknown accounts. */
export const creatorOf = ({ accounts }: TikTokState, id: string): TikTokAccount =>
  accounts.get(id) as TikTokAccount;

export function readCreator(state: TikTokState, { owner }: TikTokRequest): WireResponse {
  const creator = creatorOf(state, owner.account);
  // "200 (intentional)"
  const full = isFull(state, creator);
  if (full) return { ...full, status: 200 };
  return okResponse({
    privacy_level_options: privacyOf(creator),
    comment_disabled: creator.commentsOff,
    duet_disabled: creator.isPrivate,
    stitch_disabled: creator.isPrivate,
    max_video_post_duration_sec: creator.longestSeconds,
  });
}

function isFull(state: TikTokState, { id }: TikTokAccount): WireResponse | null {
  const { posts, now } = state;
  if (posts.madeToday(id) >= state.postsPerDay) {
    return errorResponse(403, 'spam_risk_too_many_posts', 'The daily post cap from the API is reached.');
  }
  const since = now().getTime() - 86_400_000;
  const active = [...state.lastInit].filter(([other, at]) => other !== id && at > since);
  return !state.audited && active.length >= UNAUDITED_USERS
    ? errorResponse(403, 'reached_active_user_cap', 'The daily quota for active publishing users is reached.')
    : null;
}

/** The reason why a post cannot be started; null: none. */
function barred(state: TikTokState, creator: TikTokAccount, privacy: string): WireResponse | null {
  const { now, inits } = state;
  const since = now().getTime() - MINUTE_MS;
  const recent = (inits.get(creator.id) ?? []).filter((at) => at > since);
  if (recent.length >= state.initsPerMinute) return rateLimited;
  inits.set(creator.id, [...recent, now().getTime()]);
  const full = isFull(state, creator);
  if (full) return full;
  if (!privacyOf(creator).some((one) => one === privacy)) {
    return errorResponse(403, 'privacy_level_option_mismatch', 'Privacy level is not among the options.');
  }
  if (!state.audited && (!creator.isPrivate || privacy !== 'SELF_ONLY')) {
    return errorResponse(
      403,
      'unaudited_client_can_only_post_to_private_accounts',
      'Please review our integration guidelines at https://developers.tiktok.com/doc/content-sharing-guidelines/',
    );
  }
  state.lastInit.set(creator.id, now().getTime());
  return null;
}

function readInfo(body: unknown, kind: PublishTask['kind'], creator: TikTokAccount) {
  const stated = fieldsOf(fieldsOf(body)['post_info']);
  const [title, description] = [textOf(stated['title']), textOf(stated['description'])];
  const privacy = textOf(stated['privacy_level']);
  const isOn = (name: string) => stated[name] === true;
  if (title.length > TITLE_MAX[kind]) return invalid('The title is too long.');
  if (description.length > DESCRIPTION_MAX) return invalid('The description is too long.');
  if (isOn('brand_content_toggle') && privacy === 'SELF_ONLY') {
    return invalid('Branded content cannot be private.');
  }
  const cover = stated['video_cover_timestamp_ms'];
  return {
    title,
    description,
    privacy: privacy as Privacy,
    noComments: isOn('disable_comment') || creator.commentsOff,
    noDuets: isOn('disable_duet') || creator.isPrivate,
    noStitches: isOn('disable_stitch') || creator.isPrivate,
    paidPartnership: isOn('brand_content_toggle'),
    ownBusiness: isOn('brand_organic_toggle'),
    madeWithAi: isOn('is_aigc'),
    addsMusic: isOn('auto_add_music'),
    coverMs: typeof cover === 'number' ? cover : null,
  };
}

export type PostInfo = Read<typeof readInfo>;

export function beginVideo(state: TikTokState, { body, owner }: TikTokRequest): WireResponse {
  const creator = creatorOf(state, owner.account);
  const { tasks } = state;
  const info = readInfo(body, 'video', creator);
  if ('status' in info) return info;
  const source = fieldsOf(fieldsOf(body)['source_info']);
  if (source['source'] !== 'FILE_UPLOAD') return invalid('source is not valid.');
  const [total, chunk, count] = ['video_size', 'chunk_size', 'total_chunk_count'].map((name) =>
    Number(source[name] ?? NaN),
  ) as [number, number, number];
  if (!(total > 0) || total > VIDEO_BYTES_MAX) return invalid('The video size is invalid');
  const whole = chunk === total && chunk <= 64 * MB;
  if (!whole && !(chunk >= 5 * MB && chunk <= 64 * MB && chunk < total)) {
    return invalid('The chunk size is invalid');
  }
  if (count !== Math.floor(total / chunk) || count > 1_000 || (!whole && count < 2)) {
    return invalid('The total chunk count is invalid');
  }
  const bar = barred(state, creator, info.privacy);
  if (bar) return bar;
  const task = tasks.begin({ accountId: creator.id, info, kind: 'video' }, { total, chunk, count });
  const address = `${state.origin}/video/?upload_id=${tasks.begun().length}&upload_token=${task.upload?.token}`;
  return okResponse({ publish_id: task.publishId, upload_url: address });
}

export async function postPhotos(state: TikTokState, { body, owner }: TikTokRequest): Promise<WireResponse> {
  const creator = creatorOf(state, owner.account);
  const { tasks } = state;
  const fields = fieldsOf(body);
  if (fields['media_type'] !== 'PHOTO') return invalid('media_type is not valid.');
  if (fields['post_mode'] !== 'DIRECT_POST') return invalid('post_mode is not valid.');
  const info = readInfo(body, 'photo', creator);
  if ('status' in info) return info;
  const source = fieldsOf(fields['source_info']);
  const urls = textsOf(source['photo_images']);
  const cover = Number(source['photo_cover_index'] ?? 0);
  if (source['source'] !== 'PULL_FROM_URL' || !urls[cover]) return invalid('source_info is not valid.');
  if (urls.length > PHOTOS_MAX) return invalid('The number of photos is invalid');
  if (!urls.every((url) => state.owns(url))) {
    return errorResponse(
      403,
      'url_ownership_unverified',
      'Please review our URL ownership verification rules at https://developers.tiktok.com/doc/content-posting-api-media-transfer-guide#pull_from_url',
    );
  }
  const bar = barred(state, creator, info.privacy);
  if (bar) return bar;
  const task = tasks.begin({ accountId: creator.id, info, kind: 'photo' }, null);
  const found = await Promise.all(urls.map((url) => state.fetchFile(url)));
  const files = found.map((content) => content && parseFetchedFile(content));
  finish(state, task, files, files.map(photoDefect).find((reason) => reason !== null) ?? null);
  return okResponse({ publish_id: task.publishId });
}

/** A chunk of a video at its upload URL. */
export function receiveChunk(state: TikTokState, { query, headers, body }: WireRequest): WireResponse {
  const { now, tasks } = state;
  const task = tasks.ofUpload(query.get('upload_token') ?? '');
  if (!task?.upload || task.state !== 'open') return { status: 404 };
  const { upload } = task;
  if (upload.endsAtMs <= now().getTime()) return { status: 403 };
  const [, first, last, total] =
    /^bytes (\d+)-(\d+)\/(\d+)$/.exec(textOf(headers['content-range']))?.map(Number) ?? [];
  const bytes = body instanceof Uint8Array ? body : new Uint8Array();
  const there = upload.pieces.reduce((sum, piece) => sum + piece.length, 0);
  const isVideo = ['video/mp4', 'video/quicktime', 'video/webm'].includes(textOf(headers['content-type']));
  if (!isVideo || first === undefined || last === undefined || total !== upload.total) return { status: 400 };
  if (bytes.length !== last - first + 1 || Number(headers['content-length']) !== bytes.length) {
    return { status: 400 };
  }
  const isLast = upload.pieces.length === upload.count - 1;
  const fits = isLast ? last === upload.total - 1 : bytes.length === upload.chunk;
  if (first !== there || !fits) return rangeResponse(416, there, upload.total);
  const accepted = tasks.take(task, bytes);
  if (!isLast) return rangeResponse(206, last + 1, upload.total);
  const file = parseFetchedFile(Buffer.concat(accepted.upload?.pieces ?? []));
  finish(state, accepted, [file], file.type.startsWith('video/') ? null : 'file_format_check_failed');
  return rangeResponse(201, upload.total, upload.total);
}

function finish(
  { failure, posts, tasks }: TikTokState,
  task: PublishTask,
  files: readonly (FetchedFile | null)[],
  wrong: string | null,
): void {
  const reason = wrong ?? failure;
  const { accountId, publishId, kind, info } = task;
  if (reason === null) {
    posts.add({ ...info, accountId, publishId, kind, files: files.flatMap((one) => one ?? []) });
  }
  tasks.close(task, reason);
}

export function readPublishStatus(state: TikTokState, { body, owner }: TikTokRequest): WireResponse {
  const { posts, tasks } = state;
  const task = tasks.find(textOf(fieldsOf(body)['publish_id']));
  if (!task) return errorResponse(400, 'invalid_publish_id', 'The publish_id does not exist.');
  if (task.accountId !== owner.account) {
    return errorResponse(400, 'token_not_authorized_for_specified_publish_id', 'Not your publish_id.');
  }
  const there = task.upload?.pieces.reduce((sum, piece) => sum + piece.length, 0);
  const bytes = there === undefined ? { downloaded_bytes: 0 } : { uploaded_bytes: there };
  const busy = task.upload ? 'PROCESSING_UPLOAD' : 'PROCESSING_DOWNLOAD';
  if (task.state === 'open' || tasks.isWorkedOn(task)) {
    tasks.look(task);
    return okResponse({ status: busy, ...bytes });
  }
  if (task.state === 'failed') return okResponse({ status: 'FAILED', fail_reason: task.reason, ...bytes });
  const post = posts.find(task.publishId);
  return okResponse({
    status: 'PUBLISH_COMPLETE',
    publicaly_available_post_id: post && posts.isPublic(post) ? [int64(post.id)] : [],
    ...bytes,
  });
}

function photoDefect(file: FetchedFile | null): string | null {
  if (!file) return 'photo_pull_failed';
  const isPhoto = ['image/jpeg', 'image/webp'].includes(file.type) && file.bytes <= PHOTO_BYTES_MAX;
  return isPhoto ? null : 'file_format_check_failed';
}

const rangeResponse = (status: number, uploaded: number, total: number): WireResponse => ({
  status,
  headers: { 'content-range': `bytes 0-${uploaded}/${total}` },
});

/** A number with all of its digits. */
const int64 = (digits: string): unknown =>
  (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(digits);
