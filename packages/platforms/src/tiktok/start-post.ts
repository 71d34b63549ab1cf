import { ok, refuse, type PublishItem, type Session } from '@switchboard/platform-kit';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import type { PartReceipt } from '@switchboard/platform-kit/part-receipt';
import { requestJson } from './client.js';
import { fetchCreator, creatorRefusal } from './creator.js';
import { chunksOf, SENT_RECEIPT } from './media.js';
import { optionsOf, rules } from './rules.js';
import { startedVideo, startedPhotos, type Creator } from './wire.js';

export async function startPost(
  session: Session,
  item: PublishItem,
  receipt: PartReceipt,
): AdapterResult<PublishItem['receipt']> {
  const creator = await fetchCreator(session);
  if (!creator.ok) return creator;
  const refused = creatorRefusal(creator.value, item);
  if (refused) return refused;
  return item.media[0]?.kind === 'video'
    ? startVideo(session, item, creator.value)
    : startPhotos(session, item, creator.value, receipt);
}

/** Starting publishes nothing, and an incomplete upload is never public. */
async function startVideo(
  session: Session,
  item: PublishItem,
  creator: Creator,
): AdapterResult<PublishItem['receipt']> {
  const [video, ...others] = item.media;
  if (!video || others.length > 0)
    return refuse('platform.refused', 'A TikTok video must be the only media.');
  const { size, count } = chunksOf(video.bytes);
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
          video_size: video.bytes,
          chunk_size: size,
          total_chunk_count: count,
        },
      },
      effect: 'idempotent',
    },
    startedVideo,
  );
  return started.ok ? ok({ ...started.value.data, bytes: String(video.bytes) }) : started;
}

/** This request posts them: TikTok fetches the photos without further requests. */
async function startPhotos(
  session: Session,
  item: PublishItem,
  creator: Creator,
  receipt: PartReceipt,
): AdapterResult<PublishItem['receipt']> {
  await receipt.replace(SENT_RECEIPT);
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
    if (started.failure.code !== 'platform.outcome_unknown') await receipt.replace({});
    return started;
  }
  return ok({ publish_id: started.value.data.publish_id, ...SENT_RECEIPT });
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
