import {
  ok,
  refuse,
  type PlatformFailureCode,
  type PublishedPart,
  type Publishing,
  type PublishItem,
  type Result,
  type Session,
} from '@switchboard/platform-kit';
import {
  findRecentPosts,
  resolveSingleMatchWithOptions,
  type ListedPage,
} from '@switchboard/platform-kit/find-recent-posts';
import { discardIfRefused, openReceipt } from '@switchboard/platform-kit/part-receipt';
import { unreadableResponse, type AdapterResult } from '@switchboard/platform-kit/platform-client';
import { contentOf, editOf, hasSameText, matchesItem, showsEdit } from './content.js';
import { locationOf } from './location-of.js';
import {
  acceptedPost,
  decisionOf,
  getPost,
  isProcessing,
  partOf,
  postPath,
  receiptOfAccepted,
  stillProcessing,
  waitForDecision,
} from './post-state.js';
import { rules } from './rules.js';
import { errorMapping, localPost, localPosts, remove, requestJson, type LocalPost } from './wire.js';

export const publishing: Publishing = {
  ...rules,

  async publish(session, item, saveReceipt) {
    const receipt = openReceipt(item, saveReceipt);
    const accepted = acceptedPost(item.receipt);
    if (accepted !== null) {
      return discardIfRefused(receipt, await waitForDecision(session, accepted, partOf));
    }
    const posted = await requestJson(
      session,
      {
        method: 'POST',
        path: locationOf(session).posts,
        json: {
          ...contentOf(item),
          ...(item.media.length > 0 && {
            media: item.media.map((one) => ({ mediaFormat: 'PHOTO', sourceUrl: one.publicUrl() })),
          }),
        },
        effect: 'write',
      },
      localPost,
    );
    if (!posted.ok) return posted;
    const decided = decisionOf(posted.value, partOf(posted.value));
    if (decided) return decided;
    await receipt.save(receiptOfAccepted(posted.value.name));
    if (!isProcessing(posted.value)) return unreadableResponse(errorMapping, 'write');
    return discardIfRefused(receipt, await waitForDecision(session, posted.value.name, partOf));
  },

  async find(session, item) {
    const accepted = acceptedPost(item.receipt);
    if (accepted !== null && !item.isReceiptOutdated) return findAccepted(session, accepted);
    const found = await findPost(session, item);
    if (!found.ok || found.value === null) return found.ok ? ok(null) : found;
    return publishedPart(found.value);
  },

  /** Text and link; the topic, the event and the image stay. */
  async edit(session, { externalId }, item) {
    const { mask, body } = editOf(item);
    const edited = await requestJson(
      session,
      {
        method: 'PATCH',
        path: postPath(externalId),
        query: { updateMask: mask },
        json: body,
        effect: 'write',
      },
      localPost,
    );
    if (!edited.ok) return edited;
    const show = (post: LocalPost): Result<undefined, PlatformFailureCode> =>
      showsEdit(post, item) ? ok() : unreadableResponse(errorMapping, 'write');
    const decided = decisionOf(edited.value, show(edited.value));
    if (decided) return decided.ok ? decided.value : decided;
    if (!isProcessing(edited.value)) return unreadableResponse(errorMapping, 'write');
    const shown = await waitForDecision(session, externalId, show);
    return shown.ok ? shown.value : shown;
  },

  async isEdited(session, { externalId }, item) {
    const seen = await getPost(session, externalId);
    if (!seen.ok) return seen;
    if (seen.value === null) return ok(false);
    const decided = decisionOf(seen.value, showsEdit(seen.value, item));
    if (decided || isProcessing(seen.value)) return decided ?? stillProcessing;
    return unreadableResponse(errorMapping, 'read');
  },

  /** A 404 is also returned for a location that this login may no longer manage. */
  async exists(session, { externalId }) {
    const seen = await getPost(session, externalId);
    if (!seen.ok || seen.value !== null) return seen.ok ? ok(true) : seen;
    const listed = await listPage(session, undefined, 1);
    return listed.ok ? ok(false) : listed;
  },

  remove: (session, { externalId }) => remove(session, { path: postPath(externalId) }),
};

/** The outcome of a post that an earlier attempt knows to be accepted. */
async function findAccepted(session: Session, name: string): AdapterResult<PublishedPart | null> {
  const seen = await getPost(session, name);
  if (!seen.ok) return seen;
  if (seen.value === null) return refuse('platform.outcome_unknown', 'Google no longer has this post.');
  // The next attempt does not send it again, and reports the rejection.
  if (seen.value.state === 'REJECTED') return ok(null);
  return publishedPart(seen.value);
}

function publishedPart(post: LocalPost): Result<PublishedPart, PlatformFailureCode> {
  if (post.state === 'LIVE') return ok(partOf(post));
  return isProcessing(post)
    ? stillProcessing
    : refuse('platform.outcome_unknown', 'Google has the post but does not report it as published.');
}

/** More posts per page are refused. */
const PAGE = 100;
const PAGES_MAX = 5;

/** The location's post that is this item. Null: there is none. */
async function findPost(session: Session, item: PublishItem): AdapterResult<LocalPost | null> {
  const recent = await findRecentPosts(item, (pageToken) => listPage(session, pageToken, PAGE), {
    pagesMax: PAGES_MAX,
    // The order of the list is not documented.
    newestFirst: 'if_seen',
    createdAtOf: ({ createTime }) => createTime,
  });
  if (!recent.ok) return recent;
  const same = recent.value.filter((post) => hasSameText(post, item));
  return resolveSingleMatchWithOptions(same, (post) => matchesItem(post, item));
}

async function listPage(
  session: Session,
  pageToken: string | undefined,
  pageSize: number,
): AdapterResult<ListedPage<LocalPost>> {
  const query = { pageSize, pageToken };
  const listed = await requestJson(session, { path: locationOf(session).posts, query }, localPosts);
  if (!listed.ok) return listed;
  return ok({ found: listed.value.localPosts, next: listed.value.nextPageToken || undefined });
}
