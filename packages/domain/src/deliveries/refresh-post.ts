import { auditRow } from '../audit/audit-row.js';
import { actorName, type Call } from '../call.js';
import { catchAdapterErrors } from '../catch-adapter-errors.js';
import type { Failure } from '../failure.js';
import { mapSettled } from '../map-settled.js';
import { ok, type Result } from '../result.js';
import { refuse } from '../failure.js';
import type { DeliveryId } from '../ids.js';
import type { Ports, Publishing, Session } from '../ports/index.js';
import { getPost, type GetPost } from '../posts/get-post.js';
import { postEvent } from '../posts/post-event.js';
import type { Post } from '../posts/post.js';
import { possiblyPublished, type Delivery, type DeliveryPart } from './delivery.js';
import { recordStates } from './record-states.js';
import { hasResolvedUrl } from './resolve-published-urls.js';
import { withTimeout } from './with-timeout.js';

interface RefreshPost extends GetPost {
  readonly refresh?: boolean | undefined;
}

/** What its platform answered about a published delivery: `unknown` where it proves neither. */
export interface PresenceCheck {
  readonly status: 'exists' | 'removed' | 'unknown';
  /** Why it is unknown. */
  readonly failure: Failure | null;
}

/** A post, with what the platforms answered about its deliveries where they were asked. */
export interface CheckedPost extends Post {
  readonly checks?: ReadonlyMap<DeliveryId, PresenceCheck> | undefined;
}

type RefreshPorts = Pick<
  Ports,
  'posts' | 'connections' | 'platforms' | 'sessions' | 'transactions' | 'clock' | 'ids'
>;

/** A caller waits for it. */
const CHECK_MS = 20_000;
const CONCURRENCY = 8;
/** A platform may not find everywhere what was published just now. */
const PROPAGATED_MS = 5 * 60_000;

/**
 * With `refresh`, the platforms are asked whether what was published still exists. A removal that a platform proves is
 * recorded, and so is that a post is back; whatever proves less changes nothing.
 */
export async function refreshPost(
  ports: RefreshPorts,
  call: Call,
  { id, refresh }: RefreshPost,
): Promise<Result<CheckedPost, 'post.not_found'>> {
  const found = await getPost(ports, call, { id });
  if (!found.ok || !refresh) return found;
  const published = found.value.deliveries.filter(
    ({ status, parts }) => possiblyPublished.includes(status) && parts.some(isPublished),
  );
  const answers = new Map<DeliveryId, PartAnswers>();
  await mapSettled(
    published,
    call.signal,
    async (delivery) => void answers.set(delivery.id, await checkDelivery(ports, call, delivery)),
    CONCURRENCY,
  );
  await recordAnswers(ports, call, found.value, answers);
  const current = (await ports.posts.find(call.workspaceId, found.value.id)) ?? found.value;
  const checks = new Map(
    published.map((delivery) => [delivery.id, presenceOf(delivery, answers.get(delivery.id))]),
  );
  return ok({ ...current, checks });
}

type PartAnswer = Result<boolean>;
/** By the index of the part. */
type PartAnswers = ReadonlyMap<DeliveryPart['index'], PartAnswer>;

const isPublished = ({ status }: DeliveryPart): boolean => status === 'published';

async function checkDelivery(ports: RefreshPorts, call: Call, delivery: Delivery): Promise<PartAnswers> {
  const parts = delivery.parts.filter(isPublished);
  const all = (answer: PartAnswer): PartAnswers => new Map(parts.map(({ index }) => [index, answer]));
  const publishing = ports.platforms.find(delivery.platform)?.publishing;
  if (!publishing?.exists) return all(cannotBeAsked);
  const connection = await ports.connections.find(delivery.workspaceId, delivery.connectionId);
  if (!connection) return all(refuse('connection.not_found', 'The account is no longer connected.'));
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(CHECK_MS)]);
  const purpose = { purpose: 'read_back', actor: actorName(call) } as const;
  const session = await ports.sessions.open(connection, purpose, signal);
  if (!session.ok) return all(session);
  const answers = new Map<DeliveryPart['index'], PartAnswer>();
  for (const part of parts) {
    answers.set(part.index, await checkPart(ports, publishing, session.value, delivery, part));
  }
  return answers;
}

const cannotBeAsked = refuse('platform.refused', 'The platform does not say whether a post still exists.');

async function checkPart(
  { clock }: Pick<RefreshPorts, 'clock'>,
  publishing: Publishing,
  session: Session,
  { publishedAt }: Delivery,
  { externalId, url, receipt, kind }: DeliveryPart,
): Promise<PartAnswer> {
  const isPublic = kind !== 'post' || hasResolvedUrl(publishing, { url });
  if (externalId === null || !isPublic || !publishing.exists) {
    return refuse('platform.outcome_unknown', 'The id of the post at the platform is not known.');
  }
  const query = publishing.exists.bind(publishing, session, { externalId, url, receipt });
  const answer = await withTimeout(clock, session.signal, catchAdapterErrors(query));
  const isRecent = clock.now().getTime() - (publishedAt?.getTime() ?? 0) < PROPAGATED_MS;
  return answer.ok && !answer.value && isRecent
    ? refuse(
        'platform.outcome_unknown',
        'The platform does not find the post, which was published less than five minutes ago. Ask again later.',
      )
    : answer;
}

/** By the first part, which is the post itself: the others reply to it. */
function presenceOf({ parts }: Delivery, answers: PartAnswers | undefined): PresenceCheck {
  const answer = answers?.get(parts.find(isPublished)?.index ?? 0);
  if (answer?.ok) return { status: answer.value ? 'exists' : 'removed', failure: null };
  return { status: 'unknown', failure: answer?.failure ?? notAsked.failure };
}

const notAsked = refuse('platform.unavailable', 'The request ended before the platform was asked.');

/** A part whose recorded state differs from what its platform answered. */
const isOutdated = (part: DeliveryPart, answer: PartAnswer | undefined): boolean =>
  isPublished(part) && answer?.ok === true && answer.value === (part.removedAt !== undefined);

/** A removal is recorded once, with its event: the parts are compared again under the lock of the post. */
async function recordAnswers(
  ports: RefreshPorts,
  call: Call,
  { workspaceId, id, deliveries }: Post,
  answers: ReadonlyMap<DeliveryId, PartAnswers>,
): Promise<void> {
  const isChanged = ({ id: deliveryId, status, parts }: Delivery) =>
    possiblyPublished.includes(status) &&
    parts.some((part) => isOutdated(part, answers.get(deliveryId)?.get(part.index)));
  if (!deliveries.some(isChanged)) return;
  await ports.transactions.run<undefined, never>(async (tx) => {
    const post = await tx.posts.lock(workspaceId, id);
    const now = ports.clock.now();
    const changed = (post?.deliveries ?? []).filter(isChanged).map((delivery) => {
      const answersOf = answers.get(delivery.id);
      const parts = delivery.parts.map((part): DeliveryPart => {
        if (!isOutdated(part, answersOf?.get(part.index))) return part;
        const { removedAt, ...rest } = part;
        return removedAt === undefined ? { ...rest, removedAt: now.toISOString() } : rest;
      });
      const isRemoved = parts.some(
        ({ removedAt }, at) => removedAt !== undefined && delivery.parts[at]?.removedAt === undefined,
      );
      return { delivery, parts, isRemoved };
    });
    if (changed.length === 0) return ok();
    await tx.deliveries.settle(
      changed.map(({ delivery, parts }) => ({ id: delivery.id, epoch: delivery.epoch, changes: { parts } })),
    );
    for (const { delivery, isRemoved } of changed) {
      const outcome = isRemoved ? 'removed_at_platform' : 'found_at_platform';
      await recordStates({ ...ports, deliveries: tx.deliveries }, [delivery], outcome, actorName(call));
      await tx.audit.append(
        auditRow(call, `delivery.${outcome}`, delivery.id, {
          post_id: id,
          connection_id: delivery.connectionId,
        }),
      );
    }
    const after = await tx.posts.find(workspaceId, id);
    if (!after) return ok();
    const removedIds = changed.filter(({ isRemoved }) => isRemoved).map(({ delivery }) => delivery.id);
    const event = postEvent(after, now);
    const data = { ...event.data, removed_delivery_ids: removedIds };
    await tx.events.append(
      removedIds.length > 0
        ? { ...event, type: 'post.removed_at_platform', data }
        : { ...event, type: 'post.updated' },
    );
    return ok();
  });
}
