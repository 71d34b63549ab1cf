import { refuse, type Problem } from '../failure.js';
import type { Ports, Platform, Publishing, PublishItem, Session } from '../ports/index.js';
import type { DeliveryProgress } from '../ports/deliveries.js';
import type { Delivery, DeliveryPart } from './delivery.js';
import { ok, type Result } from '../result.js';
import { historyEntry } from './history-entry.js';
import { withTimeout } from './with-timeout.js';
import { openPartMedia, type MediaPorts } from './open-part-media.js';
import { withPublishedPart } from './with-published-part.js';

import { nextPart, publishItemOf } from './publish-item.js';

type PublishPartsPorts = MediaPorts & Pick<Ports, 'transactions' | 'ids' | 'linkPreviews'>;

/** Another worker holds the delivery: nothing more is sent, and its settlement is ignored. */
class SupersededError extends Error {}

/**
 * Publishes the remaining parts in order. Each is stored before the next is sent, so that a later attempt
 * continues there.
 */
export async function publishParts(
  ports: PublishPartsPorts,
  delivery: Delivery,
  { manifest, publishing }: Platform,
  session: Session,
): Promise<Result<DeliveryProgress>> {
  if (!publishing) return refuse('platform.refused', `${manifest.name} does not support publishing.`);
  const target = { name: manifest.name, rules: session.account.mediaLimits ?? manifest.media };
  let current = delivery;
  try {
    for (let part = nextPart(current); part; part = nextPart(current)) {
      const sending = part;
      const media = await openPartMedia(ports, delivery, part.media, target, session.signal);
      if (!media.ok) return media;
      const card = manifest.linkCards ? await fetchLinkCard(ports, delivery, part, session.signal) : null;
      const item = publishItemOf(current, part, media.value, card);
      const problems = findLateProblems(publishing, item, session);
      if (problems.length > 0)
        return refuse('post.invalid', problems.map(({ message }) => message).join(' '));
      const published = await withTimeout(
        ports.clock,
        session.signal,
        publishing.publish(session, item, (receipt) =>
          recordProgress(ports, { ...current, parts: withReceipt(current.parts, sending, receipt) }),
        ),
      );
      if (!published.ok) return published;
      current = { ...current, ...withPublishedPart(current, part, published.value, ports.clock.now()) };
      if (nextPart(current)) await recordProgress(ports, current, 'part_published');
    }
  } catch (error) {
    if (!(error instanceof SupersededError)) throw error;
    return refuse('platform.outcome_unknown', 'Another worker has claimed this delivery.');
  }
  const { parts, externalId, url, publishedAt } = current;
  return ok({ parts, externalId, url, publishedAt });
}

/**
 * The validation of a post knows only the media that is processed by then: the platform's own rules are
 * checked again, unless an earlier attempt has sent something.
 */
const findLateProblems = (
  publishing: Publishing,
  item: PublishItem,
  { account }: Pick<Session, 'account'>,
): readonly Problem[] =>
  item.media.length > 0 && Object.keys(item.receipt).length === 0
    ? (publishing.check?.(item, account.textLimits, account.id) ?? [])
    : [];

/** A part with media shows those instead of a card. */
const fetchLinkCard = async (
  { linkPreviews }: PublishPartsPorts,
  { workspaceId }: Pick<Delivery, 'workspaceId'>,
  { link, media }: DeliveryPart,
  signal: AbortSignal,
) => (link !== null && media.length === 0 ? linkPreviews.find(link, { workspaceId, signal }) : null);

const withReceipt = (
  parts: readonly DeliveryPart[],
  { index }: DeliveryPart,
  receipt: DeliveryPart['receipt'],
): readonly DeliveryPart[] => parts.map((one) => (one.index === index ? { ...one, receipt } : one));

/** Stores the progress and its history entry. */
async function recordProgress(ports: PublishPartsPorts, delivery: Delivery, outcome?: string): Promise<void> {
  const { id, epoch, parts, externalId, url, publishedAt } = delivery;
  const recorded = await ports.transactions.run<boolean, never>(async (tx) => {
    const isCurrent = await tx.deliveries.recordParts(id, epoch, { parts, externalId, url, publishedAt });
    if (isCurrent && outcome !== undefined) {
      await tx.deliveries.insertAttempts(historyEntry(ports, delivery, { kind: 'attempt', outcome }));
    }
    return ok(isCurrent);
  });
  if (!recorded.ok || !recorded.value) throw new SupersededError();
}
