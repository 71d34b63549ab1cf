import { WORKER } from '../call.js';
import { mapSettled } from '../map-settled.js';
import type { Ports, PublishedPart, Publishing, Session } from '../ports/index.js';
import type { DeliveryChanges } from '../ports/deliveries.js';
import type { Delivery, DeliveryPart } from './delivery.js';
import { ok } from '../result.js';
import { withTimeout } from './with-timeout.js';

import { recordStates } from './record-states.js';

type ResolveUrlPorts = Pick<
  Ports,
  'connections' | 'platforms' | 'sessions' | 'transactions' | 'clock' | 'ids'
>;

/** Delays after publication: short at first, then longer, ending after a day. */
const FIRST_CHECK_SECONDS = 60;
const CHECK_SECONDS = [FIRST_CHECK_SECONDS, 300, 900, 3600, 10_800, 21_600, 43_200, 86_400];
const BATCH_SIZE = 20;
const CONCURRENCY = 8;
/** No caller waits for it. */
const WORK_MS = 60_000;

/** Published, with an id that only the platform's adapter can interpret. */
const needsUrl = ({ status, externalId, url }: DeliveryPart): boolean =>
  status === 'published' && externalId !== null && url === null;

/** Whether the platform's public id is known, so that the post can be queried by it. */
export const hasResolvedUrl = (publishing: Publishing | undefined, { url }: Pick<Delivery, 'url'>): boolean =>
  url !== null || !publishing?.resolvePublishedUrl;

/**
 * When the URL of a delivery that was just published is first queried; null where there is nothing to
 * resolve.
 */
export function firstUrlCheckAt(
  { platforms }: Pick<Ports, 'platforms'>,
  { platform }: Delivery,
  { status, parts }: DeliveryChanges,
  now: Date,
): Date | null {
  if (status !== 'published' || !parts?.some(needsUrl)) return null;
  if (!platforms.find(platform)?.publishing?.resolvePublishedUrl) return null;
  return new Date(now.getTime() + FIRST_CHECK_SECONDS * 1000);
}

/** Queries platforms that assign the URL after publishing. A failed query is repeated at the next time. */
export async function resolvePublishedUrls(ports: ResolveUrlPorts, stop: AbortSignal): Promise<void> {
  let claimed: readonly Delivery[];
  do {
    const taken = await ports.transactions.run<readonly Delivery[], never>(async (tx) =>
      ok(await tx.deliveries.claimUnresolvedUrls(BATCH_SIZE, CHECK_SECONDS)),
    );
    claimed = taken.ok ? taken.value : [];
    await mapSettled(claimed, stop, (delivery) => resolveDeliveryUrls(ports, delivery, stop), CONCURRENCY);
  } while (claimed.length === BATCH_SIZE && !stop.aborted);
}

async function resolveDeliveryUrls(
  ports: ResolveUrlPorts,
  delivery: Delivery,
  stop: AbortSignal,
): Promise<void> {
  const publishing = ports.platforms.find(delivery.platform)?.publishing;
  const connection = await ports.connections.find(delivery.workspaceId, delivery.connectionId);
  if (!publishing?.resolvePublishedUrl || !connection || connection.status === 'needs_reauth') return;
  const signal = AbortSignal.any([stop, AbortSignal.timeout(WORK_MS)]);
  const session = await ports.sessions.open(connection, { purpose: 'read_back', actor: WORKER }, signal);
  if (!session.ok) return;
  const found = await queryPlatform(ports, publishing, session.value, delivery);
  if (found.size > 0) await recordUrls(ports, delivery, found);
}

type ResolvedParts = ReadonlyMap<DeliveryPart['index'], PublishedPart>;

async function queryPlatform(
  { clock }: Pick<ResolveUrlPorts, 'clock'>,
  publishing: Publishing,
  session: Session,
  { parts }: Delivery,
): Promise<ResolvedParts> {
  const found = new Map<DeliveryPart['index'], PublishedPart>();
  for (const part of parts.filter(needsUrl)) {
    const { index, externalId, url, receipt } = part;
    if (externalId === null || !publishing.resolvePublishedUrl) continue;
    const resolved = await withTimeout(
      clock,
      session.signal,
      publishing.resolvePublishedUrl(session, { externalId, url, receipt }),
    );
    if (resolved.ok && resolved.value?.url != null) found.set(index, resolved.value);
  }
  return found;
}

/** Unless it was unpublished meanwhile. */
async function recordUrls(
  ports: ResolveUrlPorts,
  { workspaceId, postId, id }: Delivery,
  found: ResolvedParts,
): Promise<void> {
  await ports.transactions.run<undefined, never>(async (tx) => {
    const post = await tx.posts.lock(workspaceId, postId);
    const current = post?.deliveries.find((one) => one.id === id);
    if (current?.status !== 'published') return ok();
    const parts = current.parts.map((part) =>
      needsUrl(part) ? { ...part, ...found.get(part.index) } : part,
    );
    const [first] = parts;
    const changes = {
      parts,
      externalId: first?.externalId ?? current.externalId,
      url: first?.url ?? current.url,
      ...(!parts.some(needsUrl) && { resolveUrlAt: null }),
    };
    await tx.deliveries.settle([{ id, epoch: current.epoch, changes }]);
    await recordStates({ ...ports, deliveries: tx.deliveries }, [current], 'located', WORKER);
    return ok();
  });
}
