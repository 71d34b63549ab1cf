import { ok, refuse, type Publishing, type PublishItem, type Session } from '@switchboard/domain';
import type { GraphError } from '../kit/graph.js';
import { findComment, putComment } from '../kit/graph-comments.js';
import { removeObject } from '../kit/graph-objects.js';
import { graphPart, newPart } from '../kit/graph-part.js';
import { ask } from './ask.js';
import { commentsOf } from './commenting.js';
import { lookAtFilm } from './film-state.js';
import { uploadIn, type Upload } from './film-upload.js';
import { publishFilm } from './films.js';
import { findPost } from './find-post.js';
import { manifest } from './manifest.js';
import { uploadPhotos } from './photos.js';
import { finalText, rules, sharesLink } from './rules.js';
import { made } from './wire.js';

export const publishing: Publishing = {
  ...rules,

  async publish(session, item, remember) {
    if (item.answers) {
      const put = await putComment(session, commentsOf(session), finalText(item), item.answers);
      return put.ok ? ok(graphPart(put.value, null)) : put;
    }
    const [first] = item.media;
    if (first?.kind === 'video') {
      // Looked at before, but perhaps while nobody knew yet what the film is.
      const [problem] = rules.check(item);
      if (problem) return refuse('platform.refused', `${problem.path}: ${problem.message}`);
      const film = await publishFilm(session, item, first, remember);
      return film.ok ? ok(graphPart(film.value.id, film.value.url)) : film;
    }
    const photos = await uploadPhotos(session, item, remember);
    if (!photos.ok) return photos;
    const form = formOf(item, photos.value);
    const post = {
      method: 'POST',
      path: `/${encodeURIComponent(session.account.id)}/feed`,
      form,
      effect: 'write',
    } as const;
    const posted = await ask(session, post, made, isDuplicate);
    return posted.ok ? ok(await newPart(session, manifest.name, posted.value.id, 'permalink_url')) : posted;
  },

  async find(session, item) {
    if (item.answers) {
      const found = await findComment(session, commentsOf(session), finalText(item), item, item.answers);
      return found.ok ? ok(found.value === null ? null : graphPart(found.value, null)) : found;
    }
    const film = uploadIn(item);
    if (film) return findFilm(session, film);
    const found = await findPost(session, item);
    return found.ok ? ok(found.value && graphPart(found.value.id, found.value.permalink_url)) : found;
  },

  remove: (session, { externalId }) => removeObject(session, manifest.name, externalId),
};

function formOf(item: PublishItem, photos: readonly string[]): Readonly<Record<string, string>> {
  const message = finalText(item);
  const attached = photos.map(
    (id, at) => [`attached_media[${at}]`, JSON.stringify({ media_fbid: id })] as const,
  );
  return {
    ...(message !== '' && { message }),
    ...(sharesLink(item) && { link: item.link ?? '' }),
    ...Object.fromEntries(attached),
  };
}

const DUPLICATE = 506;
const isDuplicate = ({ code }: GraphError) =>
  code === DUPLICATE
    ? refuse('platform.duplicate_content', 'Facebook has a post with these very words, and takes none twice.')
    : undefined;

async function findFilm(session: Session, upload: Upload): ReturnType<NonNullable<Publishing['find']>> {
  const seen = await lookAtFilm(session, upload);
  if (!seen.ok) return seen;
  switch (seen.value?.state) {
    case 'published':
      return ok(graphPart(upload.id, seen.value.url));
    case 'processing':
      return refuse('platform.unavailable', 'Facebook has not decided yet what becomes of this film.');
    case 'hidden':
      return refuse('platform.outcome_unknown', 'Facebook has this film and does not show it.');
    case undefined:
      return refuse('platform.outcome_unknown', 'Facebook has lost this film, or somebody removed it.');
    default:
      return ok(null);
  }
}
