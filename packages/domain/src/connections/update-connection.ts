import { actorName, type Call } from '../call.js';
import { refuse } from '../failure.js';
import { nextCall } from '../next-call.js';
import type { ProfileId } from '../ids.js';
import { repeatPause, type Pause } from '../pauses/pause.js';
import type { AtomicPorts } from '../ports/index.js';
import { findReachableProfile } from '../profiles/find-reachable.js';
import type { Metadata } from '../profiles/profile.js';
import type { Result } from '../result.js';
import { changesNothing, isStale, preconditionFailed } from '../version.js';
import { identityOf } from './account-identity.js';
import type { Connection } from './connection.js';
import { lockReachableConnection } from './find-reachable.js';
import { offersStoreWebhooks } from '../orders/offers-store-webhooks.js';
import { findConnectionView, type ConnectionView } from './list-connections.js';

export interface UpdateConnection {
  readonly id: string;
  readonly profileId?: string | undefined;
  readonly label?: string | null | undefined;
  readonly externalId?: string | null | undefined;
  readonly metadata?: Metadata | undefined;
  /** Holds posts and refunds through it, or sends what was held. */
  readonly paused?: boolean | undefined;
  /** Why it is paused. */
  readonly pauseReason?: string | undefined;
  /** Reports changes of its orders, or stops that. */
  readonly watchOrders?: boolean | undefined;
  /** Reports orders that were changed since then as well; now when omitted. */
  readonly watchOrdersSince?: Date | undefined;
}

type UpdateWatchPorts = Pick<
  AtomicPorts,
  'clock' | 'manifests' | 'orderWatches' | 'settings' | 'storeWebhooks' | 'tokens'
>;

export async function updateConnection(
  ports: UpdateWatchPorts & Pick<AtomicPorts, 'connections' | 'profiles' | 'pauses'>,
  call: Call,
  { id, profileId, paused, pauseReason, watchOrdersSince, ...changes }: UpdateConnection,
): Promise<
  Result<
    ConnectionView,
    | 'connection.not_found'
    | 'connection.exists'
    | 'connection.orders_unsupported'
    | 'profile.not_found'
    | 'request.invalid'
    | 'request.precondition_failed'
  >
> {
  if (paused !== undefined) await ports.pauses.lock();
  const found = await lockReachableConnection(ports, call, id);
  if (!found.ok) return found;
  const before = found.value;
  if (isStale(call, before)) return preconditionFailed('connection', nextCall.getConnection(before.id));
  const profile = profileId === undefined ? null : await findReachableProfile(ports, call, profileId);
  if (profile && !profile.ok) return profile;
  const duplicate = profile && (await findDuplicateConnection(ports, before, profile.value.id));
  if (duplicate) {
    return refuse('connection.exists', 'The profile already has a connection for this account.', {
      details: { id: duplicate.id },
      next: nextCall.getConnection(duplicate.id),
    });
  }
  if (watchOrdersSince && !changes.watchOrders) {
    return refuse('request.invalid', 'Orders are reported since a time only while they are watched.', {
      problems: [
        { path: 'watch_orders', code: 'field.required', message: 'must be true with watch_orders_since' },
      ],
    });
  }
  const manifest = ports.manifests.find(before.platform);
  if (changes.watchOrders && !(manifest && ports.manifests.getAbilities(manifest.id).orders))
    return refuse('connection.orders_unsupported', 'This account has no orders. Watch a connected store.');
  const requested: Pause = {
    cause: 'requested',
    reason: pauseReason ?? null,
    by: actorName(call),
    at: ports.clock.now(),
  };
  const edit = {
    ...changes,
    ...(profile && { profileId: profile.value.id }),
    ...(paused !== undefined && { pause: paused ? repeatPause(before.pause, requested) : null }),
  };
  const updated = changesNothing(before, edit)
    ? before
    : await ports.connections.update(call.workspaceId, before.id, edit);
  if (!updated) return preconditionFailed('connection', nextCall.getConnection(before.id));
  await updateWatch(ports, before, updated, watchOrdersSince);
  return findConnectionView(ports, call, updated.id);
}

async function updateWatch(
  ports: UpdateWatchPorts,
  before: Connection,
  after: Connection,
  since: Date | undefined,
): Promise<void> {
  const { workspaceId, id: connectionId, watchOrders } = after;
  const { clock, orderWatches, storeWebhooks, tokens } = ports;
  if (!watchOrders) await orderWatches.delete(workspaceId, connectionId);
  else if (!before.watchOrders || since)
    await orderWatches.start({ workspaceId, connectionId, since: since ?? clock.now() });
  if (before.watchOrders === watchOrders) return;
  const isOffered = watchOrders && offersStoreWebhooks(ports, after);
  await storeWebhooks.wake({ workspaceId, connectionId }, isOffered ? { address: tokens.random() } : null);
}

/** Another connection of the same account in the target profile. */
async function findDuplicateConnection(
  { connections }: Pick<AtomicPorts, 'connections'>,
  before: Connection,
  profileId: ProfileId,
): Promise<Connection | null> {
  const existing = await connections.findByAccount(before.workspaceId, profileId, identityOf(before));
  return existing?.id === before.id ? null : existing;
}
