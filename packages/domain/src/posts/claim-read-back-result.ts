import type { Tx } from '../ports/index.js';
import type { Delivery, DeliveryPart } from './post.js';
import { nextPart } from './publish-item.js';
import type { AttemptOutcome } from './settle-delivery.js';

/** What is being sent has an answer by then, or is in doubt itself. */
const RECHECK_SECONDS = 30;

/**
 * Settles a delivery with what reading back has found, where that can be no other's: two posts with the same words look alike
 * at the platform, and the one that is there may be the one that was not lost. `taken` is what others were settled with in the
 * same transaction.
 */
export async function claimReadBackResult(
  tx: Pick<Tx, 'connections' | 'posts'>,
  delivery: Delivery,
  found: AttemptOutcome & { readonly kind: 'published' },
  claimedKeys: Set<string>,
): Promise<AttemptOutcome> {
  const part = nextPart(delivery);
  const id = found.progress.parts.find(({ index }) => index === part?.index)?.externalId;
  if (!part || id == null) return found;
  // Of two that have found the same, the second sees what the first has written.
  const connection = await tx.connections.lock(delivery.workspaceId, delivery.connectionId);
  const others = await tx.posts.listConflictingDeliveries(delivery, id);
  const key = JSON.stringify([delivery.platform, connection?.accountServer, delivery.account.id, id]);
  const isKnown = delivery.parts.some(({ externalId }) => externalId === id) || claimedKeys.has(key);
  if (isKnown || others.some((other) => isPublishedAs(other, id, part))) return belongsToAnotherPost;
  if (others.some((other) => isBeingSent(other, part))) return undecided;
  claimedKeys.add(key);
  return found;
}

const belongsToAnotherPost: AttemptOutcome = {
  kind: 'needs_review',
  failure: {
    code: 'platform.outcome_unknown',
    message:
      'What was found belongs to another post with the same words. Look at the account and decide whether this one is there as well.',
  },
};

const undecided: AttemptOutcome = {
  kind: 'unknown',
  failure: {
    code: 'read_back.contested',
    message:
      'Another post with the same words is being sent to the account, and what was found may be that one. It is looked at again.',
    retryAfterSeconds: RECHECK_SECONDS,
  },
};

/** Known by that id; or called published by a person, so that nobody knows by which. */
const isPublishedAs = ({ parts }: Delivery, id: string, part: DeliveryPart): boolean =>
  parts.some(
    (one) =>
      one.externalId === id || (one.status === 'published' && one.externalId === null && hasSameText(one, part)),
  );

/** Being sent, it may have what was found, and be told its id a moment later. */
const isBeingSent = ({ status, parts }: Delivery, part: DeliveryPart): boolean =>
  status === 'sending' && parts.some((one) => one.status === 'pending' && hasSameText(one, part));

const hasSameText = (one: DeliveryPart, other: DeliveryPart): boolean => normalizeText(one) === normalizeText(other);

/** Only what no platform writes in another way: letters and digits. */
const normalizeText = ({ title, text, link }: DeliveryPart): string =>
  [title ?? '', text, link === null || text.includes(link) ? '' : link]
    .join('')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
