import { ok, refuse, type PublishItem, type SaveReceipt, type Session } from '@switchboard/domain';
import type { AdapterResult } from '../kit/platform-client.js';
import { mapFailureBeforeSend } from '../kit/map-failure-before-send.js';
import { requestJson } from './client.js';
import { fetchCreator, creatorRefusal } from './creator.js';
import { chunksOf, receiptOf, SENT_RECEIPT, type StartedPost } from './media.js';
import { optionsOf, rules } from './rules.js';
import { startedVideo, startedPhotos, errorMapping, type Creator } from './wire.js';

export async function startPost(
  session: Session,
  item: PublishItem,
  saveReceipt: SaveReceipt,
): AdapterResult<StartedPost> {
  // Checked before, but perhaps before the media type was known.
  const [problem] = rules.check(item);
  if (problem) return refuse('platform.refused', `${problem.path}: ${problem.message}`);
  const creator = await fetchCreator(session);
  if (!creator.ok)
    return mapFailureBeforeSend(errorMapping, creator, 'what the account may post. Nothing was posted.');
  const refused = creatorRefusal(creator.value, item);
  if (refused) return refused;
  return item.media[0]?.kind === 'video'
    ? startVideo(session, item, creator.value, saveReceipt)
    : startPhotos(session, item, creator.value, saveReceipt);
}

/** Starting publishes nothing, and an incomplete upload is never public. */
async function startVideo(
  session: Session,
  item: PublishItem,
  creator: Creator,
  saveReceipt: SaveReceipt,
): AdapterResult<StartedPost> {
  const [film, ...others] = item.media;
  if (!film || others.length > 0) return refuse('platform.refused', 'A TikTok video must be the only media.');
  const { size, count } = chunksOf(film.bytes);
  const { is_aigc: isMadeWithAi, video_cover_timestamp_ms: coverMs, ...options } = optionsOf(item);
  const started = await requestJson(
    session,
    {
      method: 'POST',
      path: '/v2/post/publish/video/init/',
      json: {
        post_info: {
          ...aboutPost(item, creator),
          title: rules.finalText(item),
          disable_duet: options.disable_duet === true || creator.duet_disabled === true,
          disable_stitch: options.disable_stitch === true || creator.stitch_disabled === true,
          is_aigc: isMadeWithAi ?? false,
          ...(coverMs !== undefined && { video_cover_timestamp_ms: Number(coverMs) }),
        },
        source_info: {
          source: 'FILE_UPLOAD',
          video_size: film.bytes,
          chunk_size: size,
          total_chunk_count: count,
        },
      },
      effect: 'idempotent',
    },
    startedVideo,
  );
  if (!started.ok)
    return mapFailureBeforeSend(errorMapping, started, 'where to upload the video. Nothing was posted.');
  const { publish_id: publishId, upload_url: url } = started.value.data;
  const one = { publishId, url, from: 0 };
  await saveReceipt(receiptOf(one, film.bytes));
  return ok(one);
}

/** This request posts them: TikTok fetches the photos without further requests. */
async function startPhotos(
  session: Session,
  item: PublishItem,
  creator: Creator,
  saveReceipt: SaveReceipt,
): AdapterResult<StartedPost> {
  await saveReceipt(SENT_RECEIPT);
  const started = await requestJson(
    session,
    {
      method: 'POST',
      path: '/v2/post/publish/content/init/',
      json: {
        media_type: 'PHOTO',
        post_mode: 'DIRECT_POST',
        post_info: {
          ...aboutPost(item, creator),
          ...(item.title !== null && { title: item.title }),
          description: rules.finalText(item),
          auto_add_music: optionsOf(item).auto_add_music ?? false,
        },
        source_info: {
          source: 'PULL_FROM_URL',
          photo_cover_index: 0,
          photo_images: item.media.map((one) => one.publicUrl()),
        },
      },
      effect: 'write',
    },
    startedPhotos,
  );
  if (!started.ok) {
    if (started.failure.code !== 'platform.outcome_unknown') await saveReceipt({});
    return started;
  }
  const { publish_id: publishId } = started.value.data;
  await saveReceipt({ publish_id: publishId, ...SENT_RECEIPT });
  return ok({ publishId, url: '', from: Infinity });
}

/** What the account itself disabled stays disabled. */
function aboutPost(item: PublishItem, creator: Creator) {
  const options = optionsOf(item);
  return {
    privacy_level: options.privacy_level,
    disable_comment: options.disable_comment === true || creator.comment_disabled === true,
    brand_content_toggle: options.brand_content_toggle ?? false,
    brand_organic_toggle: options.brand_organic_toggle ?? false,
  };
}
