import {
  ok,
  quotePlatform,
  refuse,
  type Refusal,
  type Result,
  type PublishedPart,
  type PublishItem,
  type Session,
} from '@switchboard/platform-kit';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { waitUntilPublished } from '@switchboard/platform-kit/wait-until-published';
import { readJson } from './client.js';
import { authored, DELETED_AUTHOR, errorMapping, posts, type Removal } from './wire.js';

/** The delay before each poll, in milliseconds. */
const POLL_DELAYS_MS: readonly number[] = [0, 1_000, 2_000, 4_000];

/** The receipt key with the ID of the post that Reddit reported as created. Nothing is sent after that. */
const [POST, URL_OF_POST] = ['post', 'post_url'];
export const receiptOfMade = ({ externalId, url }: PublishedPart) => ({
  [POST]: externalId,
  [URL_OF_POST]: url ?? '',
});
export function madePost({ receipt }: Pick<PublishItem, 'receipt'>): PublishedPart | null {
  const { [POST]: externalId, [URL_OF_POST]: url = '' } = receipt;
  return externalId === undefined ? null : { externalId, url: url || null, receipt: {} };
}

const hiddenBy = ({ removed_by_category: category, removed, spam }: Removal): string | null =>
  category ?? (spam ? 'spam' : removed ? 'removed' : null);

/**
 * A post removed by Reddit or the subreddit still exists, is visible only to its author, and may be approved.
 */
function removedAs(listed: Removal, { url }: PublishedPart): Refusal<'platform.outcome_unknown'> | null {
  const category = hiddenBy(listed);
  if (category === null) return null;
  return refuse(
    'platform.outcome_unknown',
    `Reddit created ${url ?? 'the comment'} and removed it at once (${category}), so that only the account sees it. ` +
      'Ask the moderators of the subreddit to approve it, or delete it.',
    { platform: quotePlatform(errorMapping.name, `removed_by_category: ${category}`, category) },
  );
}

export const whereShown = (listed: Removal, part: PublishedPart) => removedAs(listed, part) ?? ok(part);

/** Null: Reddit does not list it, or not yet. */
async function look(
  session: Session,
  part: PublishedPart,
): AdapterResult<Result<PublishedPart, 'platform.outcome_unknown'> | null> {
  const result = await readJson(session, '/api/info', posts, { id: part.externalId });
  if (!result.ok) return result;
  const listed = result.value.data.children.find(({ data }) => data.name === part.externalId);
  return ok(listed ? whereShown(listed.data, part) : null);
}

/**
 * The response to a submission reports that a post was created, and not whether it is visible: a filter may
 * have removed it at once.
 */
export const shownToAll = (
  session: Session,
  part: PublishedPart,
  delaysMs = POLL_DELAYS_MS,
): AdapterResult<PublishedPart> =>
  waitUntilPublished(session, {
    name: errorMapping.name,
    delaysMs,
    unconfirmed: inDoubt(part).failure.message,
    look: () => look(session, part),
  });

/** The same, for a post that an earlier attempt created. */
export async function findMade(session: Session, part: PublishedPart): AdapterResult<PublishedPart> {
  const seen = await look(session, part);
  return seen.ok ? (seen.value ?? inDoubt(part)) : seen;
}

/** An author's own deletion removes their name and nothing else; Reddit lists the post, or the comment, as before. */
export async function exists(session: Session, part: PublishedPart): AdapterResult<boolean> {
  const result = await readJson(session, '/api/info', authored, { id: part.externalId });
  if (!result.ok) return result;
  const listed = result.value.data.children.find(({ data }) => data.name === part.externalId)?.data;
  if (!listed) return refuse('platform.outcome_unknown', 'Reddit does not list the post.');
  if (listed.author === DELETED_AUTHOR) return ok(false);
  const category = hiddenBy(listed);
  return category === null
    ? ok(true)
    : refuse('platform.outcome_unknown', 'Reddit has the post and shows it to this account only.', {
        platform: quotePlatform(errorMapping.name, `removed_by_category: ${category}`, category),
      });
}

const inDoubt = ({ url }: PublishedPart) =>
  refuse(
    'platform.outcome_unknown',
    `Reddit created ${url ?? 'the post'} and does not report whether it is visible.`,
  );
