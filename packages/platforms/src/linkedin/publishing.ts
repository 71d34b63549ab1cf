import {
  ok,
  refuse,
  type PublishedPart,
  type Publishing,
  type PublishItem,
  type PublishMedia,
  type Session,
} from '@switchboard/domain';
import { unreadable, type Words } from '../kit/answers.js';
import { ask, askAnswer, inUrl, missing } from './ask.js';
import { commentPath, findComment, isComment, putComment } from './commenting.js';
import { findPost } from './find-post.js';
import { littleText } from './little-text.js';
import { uploadMedia, type Uploaded } from './media.js';
import { cardLink, finalText, optionsOf, rules } from './rules.js';
import { anything, dialect, postUrn } from './wire.js';

export const publishing: Publishing = {
  ...rules,

  async publish(session, item, remember) {
    if (item.answers) return putComment(session, item, item.answers);
    const uploaded = await uploadMedia(session, item, remember);
    if (!uploaded.ok) return uploaded;
    const json = bodyOf(session, item, uploaded.value);
    const request = { method: 'POST', path: '/rest/posts', json, effect: 'write' } as const;
    const posted = await askAnswer(session, request, isDuplicate);
    if (!posted.ok) return posted;
    const urn = postUrn.safeParse(posted.value.headers['x-restli-id']);
    return urn.success ? ok(partOf(urn.data)) : unreadable(dialect, 'write');
  },

  async find(session, item) {
    if (item.answers) return findComment(session, item, item.answers);
    const found = await findPost(session, item);
    return found.ok ? ok(found.value && partOf(found.value.id)) : found;
  },

  async remove(session, { externalId }) {
    const path = isComment(externalId)
      ? commentPath(session, externalId)
      : `/rest/posts/${inUrl(externalId)}`;
    const removed = await ask(session, { method: 'DELETE', path, effect: 'idempotent' }, anything, missing);
    return removed.ok ? ok() : removed;
  },
};

function bodyOf(session: Session, item: PublishItem, uploaded: Uploaded) {
  const { visibility, no_reposts: isReshareDisabledByAuthor } = optionsOf(item);
  const content = contentOf(item, uploaded);
  return {
    author: session.account.id,
    commentary: littleText(finalText(item)),
    visibility,
    distribution: { feedDistribution: 'MAIN_FEED', targetEntities: [], thirdPartyDistributionChannels: [] },
    ...(content && { content }),
    lifecycleState: 'PUBLISHED',
    isReshareDisabledByAuthor,
  };
}

/** What is shown below the text: one file, several pictures, or the link's card, to which LinkedIn adds nothing of its own. */
function contentOf(item: PublishItem, { media, thumbnail }: Uploaded) {
  const source = cardLink(item);
  if (source !== null) {
    const description = item.card?.description ?? '';
    return {
      article: {
        source,
        title: item.card?.title ?? source,
        ...(description !== '' && { description }),
        ...(thumbnail !== null && { thumbnail }),
      },
    };
  }
  const files = item.media.map((one, at) => shownFile(one, media[at] ?? ''));
  if (files.length > 1) return { multiImage: { images: files } };
  return files[0] ? { media: files[0] } : null;
}

/** A document has to have a title; that of a film would be shown above it, and is no description. */
const shownFile = ({ kind, altText, fileName }: PublishMedia, id: string) => ({
  id,
  ...(kind === 'image' && altText && { altText }),
  ...(kind === 'document' && { title: altText ?? fileName }),
});

/** Also of one that was removed not long ago, so that the post which LinkedIn names may not be there any more. */
const isDuplicate = ({ code, message }: Words) =>
  code === 'DUPLICATE_POST' || /\bis a duplicate of\b/i.test(message)
    ? refuse('platform.duplicate_content', 'LinkedIn has, or had not long ago, a post with these very words.')
    : undefined;

const partOf = (urn: string): PublishedPart => ({
  externalId: urn,
  url: `https://www.linkedin.com/feed/update/${urn}/`,
  receipt: {},
});
