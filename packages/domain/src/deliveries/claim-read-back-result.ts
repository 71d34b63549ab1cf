import type { Tx } from '../ports/index.js';
import type { Delivery, DeliveryPart } from './delivery.js';
import { nextPart } from './publish-item.js';
import type { AttemptOutcome } from './settle-delivery.js';

/** By then, a delivery that is being sent has a result, or an unknown outcome itself. */
const RECHECK_SECONDS = 30;

/**
 * Settles a delivery with the result of its read-back, if it cannot belong to another delivery: two posts
 * with the same text look alike at the platform, and the published one may be the other one. `taken` contains
 * the results that other deliveries were settled with in the same transaction.
 */
export async function claimReadBackResult(
  tx: Pick<Tx, 'connections' | 'deliveries'>,
  delivery: Delivery,
  found: AttemptOutcome & { readonly kind: 'published' },
  claimedKeys: Set<string>,
): Promise<AttemptOutcome> {
  const part = nextPart(delivery);
  const id = found.progress.parts.find(({ index }) => index === part?.index)?.externalId;
  if (!part || id == null) return found;
  // The lock ensures that of two deliveries with the same result, the second sees what the first has written.
  const connection = await tx.connections.lock(delivery.workspaceId, delivery.connectionId);
  const others = await tx.deliveries.listConflicting(delivery, id);
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
      'The post found at the platform belongs to another delivery with the same text. Check the account and resolve this delivery.',
  },
};

const undecided: AttemptOutcome = {
  kind: 'unknown',
  failure: {
    code: 'read_back.contested',
    message:
      'Another delivery with the same text is being sent to the account, so the match is ambiguous. It is checked again.',
    retryAfterSeconds: RECHECK_SECONDS,
  },
};

/** Published with that id; or resolved as published by a person, so that the id is unknown. */
const isPublishedAs = ({ parts }: Delivery, id: string, part: DeliveryPart): boolean =>
  parts.some(
    (one) =>
      one.externalId === id ||
      (one.status === 'published' && one.externalId === null && hasSameText(one, part)),
  );

/** A delivery being sent may own the match and receive its id a moment later. */
const isBeingSent = ({ status, parts }: Delivery, part: DeliveryPart): boolean =>
  status === 'sending' && parts.some((one) => one.status === 'pending' && hasSameText(one, part));

const hasSameText = (one: DeliveryPart, other: DeliveryPart): boolean =>
  normalizeText(one) === normalizeText(other);

/** Compares only what no platform rewrites: letters and digits. */
const normalizeText = ({ title, text, link }: DeliveryPart): string =>
  [title ?? '', text, link === null || text.includes(link) ? '' : link]
    .join('')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
