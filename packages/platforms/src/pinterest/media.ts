import { ok, type PublishItem, type PublishMedia, type Remember, type Session } from '@switchboard/domain';
import type { Answer } from '../kit/answers.js';
import { beforeSending } from '../kit/before-sending.js';
import { uploadFilm } from './film.js';
import { jsonWithPictures, type JsonBody } from './json-with-pictures.js';
import { ALT_TEXT_MAX } from './manifest.js';
import { coverSecondOf } from './rules.js';
import { dialect } from './wire.js';

/** A pin as it is sent: pictures stand in it, a film is uploaded before. */
export async function pinWithMedia(
  session: Session,
  item: PublishItem,
  fields: object,
  remember: Remember,
): Answer<JsonBody> {
  const [first] = item.media;
  const words = altTextOf(item.media);
  const about = { ...fields, ...(words !== '' && { alt_text: words }) };
  if (first?.kind !== 'video') return ok(pinOfPictures(about, item.media));
  const film = await uploadFilm(session, first, item, remember);
  if (!film.ok) return beforeSending(dialect, film, 'what became of the film. No pin was made.');
  const source = {
    source_type: 'video_id',
    media_id: film.value,
    cover_image_key_frame_time: coverSecondOf(item),
  };
  return ok(jsonWithPictures([], () => ({ ...about, media_source: source })));
}

const pinOfPictures = (about: object, pictures: readonly PublishMedia[]): JsonBody =>
  jsonWithPictures(pictures, (places) => {
    const items = places.map(({ picture, data }) => ({ content_type: picture.type, data }));
    const [only] = items;
    const source =
      items.length === 1
        ? { source_type: 'image_base64', ...only }
        : { source_type: 'multiple_image_base64', items };
    return { ...about, media_source: source };
  });

/** A pin has one, whatever it shows: those of several pictures stand below each other, as far as there is room. */
function altTextOf(media: readonly PublishMedia[]): string {
  const all = media.flatMap(({ altText }) => altText ?? []).join('\n');
  return [...all].slice(0, ALT_TEXT_MAX).join('');
}
