import { WORKER } from '../call.js';
import { eachAlone } from '../each-alone.js';
import type { Ports, PublishedPart, Publishing, Session } from '../ports/index.js';
import type { DeliveryChanges } from '../ports/posts.js';
import { ok } from '../result.js';
import { inTime } from './in-time.js';
import type { Delivery, DeliveryPart } from './post.js';
import { recordStates } from './record-states.js';

export type LocatePorts = Pick<
  Ports,
  'connections' | 'platforms' | 'sessions' | 'transactions' | 'clock' | 'ids'
>;

/** After it was published: soon at first, then seldom, and not any more when a day has gone by. */
const FIRST_LOOK_SECONDS = 60;
const LOOKS_SECONDS = [FIRST_LOOK_SECONDS, 300, 900, 3600, 10_800, 21_600, 43_200, 86_400];
const CLAIMED_AT_ONCE = 20;
const ASKED_AT_ONCE = 8;
/** Nobody waits for it. */
const WORK_MS = 60_000;

/** Out, and with an id that only the platform's adapter knows what to do with. */
const isToLocate = ({ status, externalId, url }: DeliveryPart): boolean =>
  status === 'published' && externalId !== null && url === null;

/** Whether what the platform calls it is known, so that it can be asked about by that. */
export const isLocated = (publishing: Publishing | undefined, { url }: Pick<Delivery, 'url'>): boolean =>
  url !== null || !publishing?.locate;

/** When a delivery that has just been published is looked for; null where nothing is to be found. */
export function firstLookAt(
  { platforms }: Pick<Ports, 'platforms'>,
  { platform }: Delivery,
  { status, parts }: DeliveryChanges,
  now: Date,
): Date | null {
  if (status !== 'published' || !parts?.some(isToLocate)) return null;
  if (!platforms.find(platform)?.publishing?.locate) return null;
  return new Date(now.getTime() + FIRST_LOOK_SECONDS * 1000);
}

/** Asks platforms that publish first and say later where it is. What cannot be asked now is asked the next time. */
export async function locateDeliveries(ports: LocatePorts, stop: AbortSignal): Promise<void> {
  let claimed: readonly Delivery[];
  do {
    const taken = await ports.transactions.run<readonly Delivery[], never>(async (tx) =>
      ok(await tx.posts.claimToLocate(CLAIMED_AT_ONCE, LOOKS_SECONDS)),
    );
    claimed = taken.ok ? taken.value : [];
    await eachAlone(claimed, stop, (delivery) => locate(ports, delivery, stop), ASKED_AT_ONCE);
  } while (claimed.length === CLAIMED_AT_ONCE && !stop.aborted);
}

async function locate(ports: LocatePorts, delivery: Delivery, stop: AbortSignal): Promise<void> {
  const publishing = ports.platforms.find(delivery.platform)?.publishing;
  const connection = await ports.connections.find(delivery.workspaceId, delivery.connectionId);
  if (!publishing?.locate || !connection || connection.status === 'needs_reauth') return;
  const signal = AbortSignal.any([stop, AbortSignal.timeout(WORK_MS)]);
  const session = await ports.sessions.open(connection, { purpose: 'read_back', actor: WORKER }, signal);
  if (!session.ok) return;
  const found = await look(ports, publishing, session.value, delivery);
  if (found.size > 0) await write(ports, delivery, found);
}

type Found = ReadonlyMap<DeliveryPart['index'], PublishedPart>;

async function look(
  { clock }: Pick<LocatePorts, 'clock'>,
  publishing: Publishing,
  session: Session,
  { parts }: Delivery,
): Promise<Found> {
  const found = new Map<DeliveryPart['index'], PublishedPart>();
  for (const part of parts.filter(isToLocate)) {
    const { index, externalId, url, receipt } = part;
    if (externalId === null || !publishing.locate) continue;
    const located = await inTime(
      clock,
      session.signal,
      publishing.locate(session, { externalId, url, receipt }),
    );
    if (located.ok && located.value?.url != null) found.set(index, located.value);
  }
  return found;
}

/** Unless it was unpublished meanwhile. */
async function write(ports: LocatePorts, { workspaceId, postId, id }: Delivery, found: Found): Promise<void> {
  await ports.transactions.run<undefined, never>(async (tx) => {
    const post = await tx.posts.lock(workspaceId, postId);
    const current = post?.deliveries.find((one) => one.id === id);
    if (current?.status !== 'published') return ok();
    const parts = current.parts.map((part) =>
      isToLocate(part) ? { ...part, ...found.get(part.index) } : part,
    );
    const [first] = parts;
    await tx.posts.settleDelivery(id, current.epoch, {
      parts,
      externalId: first?.externalId ?? current.externalId,
      url: first?.url ?? current.url,
      ...(!parts.some(isToLocate) && { locateAt: null }),
    });
    await recordStates({ ...ports, posts: tx.posts }, [current], 'located', WORKER);
    return ok();
  });
}
