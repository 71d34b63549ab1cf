import {
  ok,
  refuse,
  type Result,
  type PlatformFailureCode,
  type PublishedPart,
  type PublishItem,
  type SaveReceipt,
  type Session,
} from '@switchboard/platform-kit';
import type { z } from 'zod';
import { discardIfRefused, openReceipt } from '@switchboard/platform-kit/part-receipt';
import type { PlatformError, AdapterResult } from '@switchboard/platform-kit/platform-client';
import { waitUntilPublished } from '@switchboard/platform-kit/wait-until-published';
import { submitForm } from './client.js';
import { findListed, partOf, postPart } from './find-post.js';
import { resolveFlair } from './flair.js';
import { uploadMedia } from './media.js';
import { madePost, receiptOfMade, shownToAll, whereShown } from './post-state.js';
import { bodyOf, kindOf, optionsOf, subredditOf } from './rules.js';
import { checkSubreddit } from './subreddit-rules.js';
import { acceptedMedia, createdPost, errorMapping } from './wire.js';

type SubmitResult = Promise<Result<PublishedPart, PlatformFailureCode | 'platform.duplicate_content'>>;

/**
 * The delay before each poll of an image or a video. Longer processing is looked up, and never sent again.
 */
const POLL_DELAYS_MS: readonly number[] = [0, 1_000, 2_000, 3_000, ...Array<number>(13).fill(4_000)];

/** Reddit has accepted it. Nothing is sent after that. */
const ACCEPTED_KEY = 'taken';
/** It was sent, and may have been accepted. */
const SENT_KEY = 'sent';
/** It may exist without being visible yet: Reddit creates media posts asynchronously. */
export const mayBeSubmitted = ({ receipt }: Pick<PublishItem, 'receipt'>): boolean =>
  receipt[SENT_KEY] !== undefined;
const isAccepted = ({ receipt }: Pick<PublishItem, 'receipt'>): boolean =>
  receipt[ACCEPTED_KEY] !== undefined;

export async function submit(
  session: Session,
  item: PublishItem,
  saveReceipt: SaveReceipt,
  delaysMs = POLL_DELAYS_MS,
): SubmitResult {
  const made = madePost(item);
  if (made) return shownToAll(session, made);
  if (isAccepted(item)) return waitUntilListed(session, item, delaysMs);
  const allowed = await checkSubreddit(session, item);
  if (!allowed.ok) return allowed;
  const flair = await resolveFlair(session, item);
  if (!flair.ok) return flair;
  const receipt = openReceipt(item, saveReceipt);
  const media = await uploadMedia(session, item, receipt);
  if (!media.ok) return media;
  const fields = fieldsOf(item, flair.value);
  const kind = kindOf(item);
  const shown = async (part: PublishedPart): AdapterResult<PublishedPart> => {
    await receipt.save(receiptOfMade(part));
    return shownToAll(session, part);
  };
  switch (kind) {
    case 'self':
    case 'link': {
      const link = kind === 'link' ? { url: item.link ?? '' } : {};
      const posted = await submitForm(session, form({ ...fields, kind, ...link }), createdPost, isDuplicate);
      return posted.ok ? shown(toPublishedPart(posted.value)) : posted;
    }
    case 'gallery': {
      const items = media.value.map(({ id }) => ({ media_id: id, caption: '', outbound_url: '' }));
      const json = { ...fields, items, show_error_list: true };
      const posted = await submitForm(session, { path: '/api/submit_gallery_post.json', json }, createdPost);
      return posted.ok ? shown(toPublishedPart(posted.value)) : discardIfRefused(receipt, posted);
    }
    case 'image':
    case 'video': {
      const [file, poster] = media.value;
      const place = { url: file?.url ?? '', ...(poster && { video_poster_url: poster.url }) };
      const uploaded = receipt.entries;
      await receipt.save({ [SENT_KEY]: 'yes' });
      const accepted = await submitForm(session, form({ ...fields, kind, ...place }), acceptedMedia);
      if (!accepted.ok) {
        if (accepted.failure.code !== 'platform.outcome_unknown') await receipt.replace(uploaded);
        return discardIfRefused(receipt, accepted);
      }
      await receipt.save({ [ACCEPTED_KEY]: 'yes' });
      return waitUntilListed(session, { ...item, receipt: receipt.entries }, delaysMs);
    }
  }
}

function fieldsOf(item: PublishItem, flairId: string | null) {
  const { flair_text: flairText, nsfw, spoiler, send_replies: sendReplies, resubmit } = optionsOf(item);
  return {
    api_type: 'json',
    sr: subredditOf(item),
    title: item.title ?? '',
    text: bodyOf(item),
    nsfw: nsfw ?? false,
    spoiler: spoiler ?? false,
    sendreplies: sendReplies ?? true,
    ...(flairId !== null && { flair_id: flairId, ...(flairText !== undefined && { flair_text: flairText }) }),
    ...(resubmit !== undefined && { resubmit }),
    // Reddit itself validates what the moderators require.
    validate_on_submit: true,
  };
}

const form = (fields: Readonly<Record<string, string | boolean>>) => ({
  path: '/api/submit',
  form: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)])),
});

/** A form returns `id` and `name`; a gallery returns the fullname as `id`. */
const toPublishedPart = ({ id, name, url }: z.infer<typeof createdPost>): PublishedPart =>
  partOf(name ?? (id.startsWith('t3_') ? id : `t3_${id}`), url);

const isDuplicate = ({ code }: PlatformError) =>
  code === 'ALREADY_SUB'
    ? refuse(
        'platform.duplicate_content',
        'The subreddit has this link already. Set `resubmit` to post it anyway.',
      )
    : undefined;

/**
 * Media becomes a post asynchronously, which only a websocket reports: the adapter polls the account's own
 * list.
 */
const waitUntilListed = (
  session: Session,
  item: PublishItem,
  delaysMs: readonly number[],
): AdapterResult<PublishedPart> =>
  waitUntilPublished(session, {
    name: errorMapping.name,
    delaysMs,
    async look() {
      const found = await findListed(session, item);
      if (!found.ok) return found;
      return ok(found.value && whereShown(found.value, postPart(found.value)));
    },
  });
