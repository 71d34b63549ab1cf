import {
  ok,
  quotePlatform,
  refuse,
  type PublishedPart,
  type PublishItem,
  type Refusal,
  type Session,
} from '@switchboard/domain';
import { mapFailureAfterSend } from '../kit/map-failure-after-send.js';
import type { AdapterResult } from '../kit/platform-client.js';
import { waitUntilReady } from '../kit/wait-until-ready.js';
import { readJson } from './client.js';
import { errorMapping, posts, type Removal } from './wire.js';

/** Before each look, in milliseconds. */
const POLL_DELAYS_MS: readonly number[] = [0, 1_000, 2_000, 4_000];

/** The post that Reddit said it made, in the receipt. Nothing is sent after that. */
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

/** What Reddit or the subreddit has removed is still there, is shown to its author alone, and may be approved. */
export function removedAs(
  listed: Removal,
  { url }: PublishedPart,
): Refusal<'platform.outcome_unknown'> | null {
  const category = hiddenBy(listed);
  if (category === null) return null;
  return refuse(
    'platform.outcome_unknown',
    `Reddit made ${url ?? 'the comment'} and removed it at once (${category}), so that only the account sees it. ` +
      'Ask the moderators of the subreddit to approve it, or delete it.',
    { platform: quotePlatform(errorMapping.name, `removed_by_category: ${category}`, category) },
  );
}

/** A part that is shown to everybody. */
export const whereShown = (listed: Removal, part: PublishedPart) => removedAs(listed, part) ?? ok(part);

/** Null: Reddit does not list it (yet). */
async function look(session: Session, part: PublishedPart): AdapterResult<PublishedPart | null> {
  const result = await readJson(session, '/api/info', posts, { id: part.externalId });
  if (!result.ok) return result;
  const listed = result.value.data.children.find(({ data }) => data.name === part.externalId);
  return listed ? whereShown(listed.data, part) : ok(null);
}

/** The answer to a submission says that a post was made, and not whether anybody sees it: a filter may have removed it at once. */
export async function shownToAll(
  session: Session,
  part: PublishedPart,
  delaysMs = POLL_DELAYS_MS,
): AdapterResult<PublishedPart> {
  const ready = await waitUntilReady(session, {
    name: errorMapping.name,
    delaysMs,
    async look() {
      const seen = await look(session, part);
      // That we may not look is no refusal of the post.
      if (!seen.ok) return seen.failure.code === 'platform.outcome_unknown' ? seen : inDoubt(part);
      return ok(seen.value ? 'ready' : 'processing');
    },
  });
  if (ready.ok) return ok(part);
  return ready.failure.code === 'platform.outcome_unknown' ? ready : mapFailureAfterSend(errorMapping, ready);
}

/** The same, of a post that an earlier attempt made. */
export async function findMade(session: Session, part: PublishedPart): AdapterResult<PublishedPart> {
  const seen = await look(session, part);
  if (!seen.ok) return seen;
  return seen.value ? ok(seen.value) : inDoubt(part);
}

const inDoubt = ({ url }: PublishedPart) =>
  refuse(
    'platform.outcome_unknown',
    `Reddit made ${url ?? 'the post'} and does not say whether it is shown.`,
  );
