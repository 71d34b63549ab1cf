import { ok, refuse, type PublishItem, type Remember, type Session } from '@switchboard/domain';
import type { Answer } from '../kit/answers.js';
import { beforeSending } from '../kit/before-sending.js';
import { ask } from './ask.js';
import { askCreator, disallowed } from './creator.js';
import { cut, receiptOf, SENT, type Begun } from './media.js';
import { optionsOf, rules } from './rules.js';
import { begunFilm, begunPhotos, dialect, type Creator } from './wire.js';

export async function begin(session: Session, item: PublishItem, remember: Remember): Answer<Begun> {
  // Looked at before, but perhaps while nobody knew yet of what kind the media are.
  const [problem] = rules.check(item);
  if (problem) return refuse('platform.refused', `${problem.path}: ${problem.message}`);
  const creator = await askCreator(session);
  if (!creator.ok) return beforeSending(dialect, creator, 'what the account may post. Nothing was posted.');
  const refused = disallowed(creator.value, item);
  if (refused) return refused;
  return item.media[0]?.kind === 'video'
    ? beginFilm(session, item, creator.value, remember)
    : beginPhotos(session, item, creator.value, remember);
}

/** Nothing is posted by it, and nobody sees what is begun and never sent. */
async function beginFilm(
  session: Session,
  item: PublishItem,
  creator: Creator,
  remember: Remember,
): Answer<Begun> {
  const [film, ...others] = item.media;
  if (!film || others.length > 0) return refuse('platform.refused', 'A film stands alone at TikTok.');
  const { size, count } = cut(film.bytes);
  const { is_aigc: isMadeWithAi, video_cover_timestamp_ms: coverMs, ...options } = optionsOf(item);
  const begun = await ask(
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
    begunFilm,
  );
  if (!begun.ok) return beforeSending(dialect, begun, 'where the film goes. Nothing was posted.');
  const { publish_id: publishId, upload_url: url } = begun.value.data;
  const one = { publishId, url, from: 0 };
  await remember(receiptOf(one, film.bytes));
  return ok(one);
}

/** With this they are posted: TikTok fetches them and asks nothing more. */
async function beginPhotos(
  session: Session,
  item: PublishItem,
  creator: Creator,
  remember: Remember,
): Answer<Begun> {
  await remember(SENT);
  const begun = await ask(
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
    begunPhotos,
  );
  if (!begun.ok) {
    if (begun.failure.code !== 'platform.outcome_unknown') await remember({});
    return begun;
  }
  const { publish_id: publishId } = begun.value.data;
  await remember({ publish_id: publishId, ...SENT });
  return ok({ publishId, url: '', from: Infinity });
}

/** What the account itself turned off stays off. */
function aboutPost(item: PublishItem, creator: Creator) {
  const options = optionsOf(item);
  return {
    privacy_level: options.privacy_level,
    disable_comment: options.disable_comment === true || creator.comment_disabled === true,
    brand_content_toggle: options.brand_content_toggle ?? false,
    brand_organic_toggle: options.brand_organic_toggle ?? false,
  };
}
