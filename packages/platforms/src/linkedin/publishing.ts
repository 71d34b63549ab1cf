import { ok, refuse } from '@switchboard/domain';
import type { Publishing, PublishItem, PublishMedia, Session } from '@switchboard/domain/ports';
import { discardIfRefused, openReceipt } from '../kit/part-receipt.js';
import { unreadableResponse, type PlatformError } from '../kit/platform-client.js';
import { requestJson, requestResponse, encodeUrn, nullIfNotFound } from './client.js';
import { commentPath, findComment, isComment, createComment } from './commenting.js';
import { findPost } from './find-post.js';
import { toLittleText } from './little-text.js';
import { uploadMedia, type UploadedUrns } from './media.js';
import { receiptOfTaken, settled, takenPost } from './post-state.js';
import { cardLink, finalText, optionsOf, rules } from './rules.js';
import { anything, errorMapping, postUrn } from './wire.js';

export const publishing: Publishing = {
  ...rules,

  async publish(session, item, saveReceipt) {
    if (item.replyTo) return createComment(session, item, item.replyTo);
    const receipt = openReceipt(item, saveReceipt);
    const accepted = takenPost(item.receipt);
    if (accepted !== null) return discardIfRefused(receipt, await settled(session, accepted));
    const uploaded = await uploadMedia(session, item, receipt);
    if (!uploaded.ok) return uploaded;
    const json = bodyOf(session, item, uploaded.value);
    const request = { method: 'POST', path: '/rest/posts', json, effect: 'write' } as const;
    const posted = await requestResponse(session, request, isDuplicate);
    if (!posted.ok) return posted;
    const urn = postUrn.safeParse(posted.value.headers['x-restli-id']);
    if (!urn.success) return unreadableResponse(errorMapping, 'write');
    await receipt.save(receiptOfTaken(urn.data));
    return discardIfRefused(receipt, await settled(session, urn.data));
  },

  async find(session, item) {
    if (item.replyTo) return findComment(session, item, item.replyTo);
    return findPost(session, item);
  },

  async remove(session, { externalId }) {
    const path = isComment(externalId)
      ? commentPath(session, externalId)
      : `/rest/posts/${encodeUrn(externalId)}`;
    const removed = await requestJson(
      session,
      { method: 'DELETE', path, effect: 'idempotent' },
      anything,
      nullIfNotFound,
    );
    return removed.ok ? ok() : removed;
  },
};

function bodyOf(session: Session, item: PublishItem, uploaded: UploadedUrns) {
  const { visibility, no_reposts: isReshareDisabledByAuthor } = optionsOf(item);
  const content = contentOf(item, uploaded);
  return {
    author: session.account.id,
    commentary: toLittleText(finalText(item)),
    visibility,
    distribution: { feedDistribution: 'MAIN_FEED', targetEntities: [], thirdPartyDistributionChannels: [] },
    ...(content && { content }),
    lifecycleState: 'PUBLISHED',
    isReshareDisabledByAuthor,
  };
}

/**
 * The content below the text: one file, several images, or the link's card, to which LinkedIn adds nothing of
 * its own.
 */
function contentOf(item: PublishItem, { media, thumbnail }: UploadedUrns) {
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

/**
 * A document requires a title; the title of a video would be shown above it, and is not alternative text.
 */
const shownFile = ({ kind, altText, fileName }: PublishMedia, id: string) => ({
  id,
  ...(kind === 'image' && altText && { altText }),
  ...(kind === 'document' && { title: altText ?? fileName }),
});

/** Also for a recently removed post, so that the post which LinkedIn names may no longer exist. */
const isDuplicate = ({ code, message }: PlatformError) =>
  code === 'DUPLICATE_POST' || /\bis a duplicate of\b/i.test(message)
    ? refuse(
        'platform.duplicate_content',
        'LinkedIn rejects text identical to a current or recently deleted post.',
      )
    : undefined;
