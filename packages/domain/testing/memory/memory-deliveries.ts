import { TITLE_CHARACTERS } from '../../src/attention/attention.js';
import type { Delivery, DeliveryStatus } from '../../src/deliveries/delivery.js';
import type { DeliveryId, PostId, ProfileId } from '../../src/ids.js';
import type { Deliveries, ClaimedDelivery, Clock, DeliverySettlement } from '../../src/ports/index.js';
import { approvalStateOf } from './memory-approvals.js';
import { isHeld } from './memory-holds.js';
import type { MemoryState, StoredDelivery } from './memory-state.js';
import { omitUndefined, ofWorkspace, oldestFirst, findOwned, insertNew, pageOf } from './rows.js';

export const waitingStatuses: readonly DeliveryStatus[] = ['pending', 'retrying', 'blocked'];
const DAY_MS = 86_400_000;
type AccountDelivery = Pick<Delivery, 'connectionId' | 'platform' | 'account'>;

export const toDelivery = ({ leaseUntilMs: _, ...delivery }: StoredDelivery): Delivery => delivery;

/** The latest of `times`; of `otherwise` where there are none. */
const latest = (otherwise: readonly Date[], times: readonly Date[] = []): Date =>
  new Date(Math.max(...(times.length > 0 ? times : otherwise).map((time) => time.getTime())));

const groupByPost = (deliveries: readonly Delivery[], isMissed: boolean) => ({
  accounts: deliveries.map(({ platform, account: { username, name } }) => ({ platform, username, name })),
  codes: [...new Set(deliveries.flatMap(({ error }) => error?.code ?? []))].sort(),
  occurrence: deliveries.reduce((sum, { epoch }) => sum + epoch + 1, 0),
  at: latest(deliveries.map(({ notAfter, scheduledAt }) => (isMissed ? notAfter : scheduledAt))),
});

const dueAtMs = ({ nextAttemptAt, scheduledAt }: Delivery) => (nextAttemptAt ?? scheduledAt).getTime();
const byDueTime = (a: Delivery, b: Delivery) => dueAtMs(a) - dueAtMs(b) || (a.id < b.id ? -1 : 1);

/** In the order of their post's list, which is the storage order. */
export const deliveriesOf = (state: MemoryState, postId: string): StoredDelivery[] =>
  [...state.deliveries.values()].filter((row) => row.postId === postId);

/** Changes deliveries, and the version of their posts. */
export function updateDeliveries(
  state: MemoryState,
  clock: Clock,
  rows: readonly StoredDelivery[],
  changes: Partial<StoredDelivery>,
): void {
  for (const row of rows) state.deliveries.set(row.id, { ...row, ...changes });
  for (const id of new Set(rows.map(({ postId }) => postId))) {
    const post = state.posts.get(id);
    if (post) state.posts.set(id, { ...post, version: post.version + 1, updatedAt: clock.now() });
  }
}

export function memoryDeliveries(state: MemoryState, clock: Clock): Deliveries {
  const nowMs = () => clock.now().getTime();
  const isDue = ({
    status,
    nextAttemptAt,
    scheduledAt,
    notAfter,
    leaseUntilMs,
    connectionId,
  }: StoredDelivery) =>
    leaseUntilMs <= nowMs() &&
    !isHeld(state, connectionId) &&
    (status === 'blocked'
      ? notAfter.getTime() <= nowMs()
      : (status === 'pending' || status === 'retrying') &&
        (nextAttemptAt ?? scheduledAt).getTime() <= nowMs());
  const isToDeliver = (row: StoredDelivery) => row.restoredAt === null && isDue(row);
  const isRestoredAndDue = (row: StoredDelivery) => row.restoredAt !== null && isDue(row);
  const isToReadBack = (row: StoredDelivery) =>
    isRestoredAndDue(row) ||
    (row.leaseUntilMs <= nowMs() && (row.status === 'unknown' || row.status === 'sending'));

  const updateRows = (rows: readonly StoredDelivery[], changes: Partial<StoredDelivery>) =>
    updateDeliveries(state, clock, rows, changes);
  function claim(
    id: DeliveryId,
    leaseSeconds: number,
    changes: (row: StoredDelivery) => Partial<Delivery>,
  ): ClaimedDelivery | null {
    const row = state.deliveries.get(id);
    const profileId = row && state.posts.get(row.postId)?.profileId;
    if (!profileId) return null;
    const taken = {
      ...row,
      ...changes(row),
      epoch: row.epoch + 1,
      leaseUntilMs: nowMs() + leaseSeconds * 1000,
    };
    state.deliveries.set(id, taken);
    const needsApproval = approvalStateOf(state, row.postId) !== null;
    return { delivery: toDelivery(taken), profileId, needsApproval, traceparent: null };
  }
  const claimToDeliver = (id: DeliveryId, leaseSeconds: number) =>
    claim(id, leaseSeconds, ({ attempts }) => ({ status: 'sending', attempts: attempts + 1, readBacks: 0 }));
  const claimToReadBack = (id: DeliveryId, leaseSeconds: number) =>
    claim(id, leaseSeconds, ({ readBacks }) => ({ status: 'unknown', readBacks: readBacks + 1 }));
  const isOfOneAccount = (one: AccountDelivery, other: AccountDelivery): boolean => {
    const server = ({ connectionId }: AccountDelivery) =>
      state.connections.get(connectionId)?.accountServer ?? '';
    const isSame = one.platform === other.platform && one.account.id === other.account.id;
    return isSame && server(one) === server(other);
  };
  const isDueToReadBack = (row: StoredDelivery) =>
    isToReadBack(row) &&
    (row.status === 'sending' || isRestoredAndDue(row) || (row.nextAttemptAt?.getTime() ?? 0) <= nowMs());
  const settle = ({ id, epoch, changes }: DeliverySettlement): boolean => {
    const row = state.deliveries.get(id);
    if (row?.epoch !== epoch) return false;
    updateRows([row], { ...omitUndefined(changes), leaseUntilMs: 0 });
    return true;
  };
  const currentDeliveries = (rows: readonly StoredDelivery[]): Delivery[] =>
    rows.flatMap((row) => state.deliveries.get(row.id) ?? []).map(toDelivery);
  function cancelUnsent(rows: readonly StoredDelivery[]): Delivery[] {
    const unsent = rows.filter(
      ({ status, parts }) =>
        (waitingStatuses.includes(status) || status === 'awaiting_approval') &&
        !parts.some((part) => part.status === 'published'),
    );
    updateRows(unsent, { status: 'cancelled', nextAttemptAt: null });
    return currentDeliveries(unsent);
  }

  const isWithin = (reach: readonly ProfileId[] | null, postId: PostId) => {
    const post = state.posts.get(postId);
    return post !== undefined && (reach === null || reach.includes(post.profileId));
  };
  const beginning = (postId: PostId) =>
    [...(state.posts.get(postId)?.text ?? '')].slice(0, TITLE_CHARACTERS).join('');
  const timesOf = (id: DeliveryId) =>
    [...state.attempts.values()].filter(({ deliveryId }) => deliveryId === id).map(({ at }) => at);

  return {
    find: async (workspaceId, id) => {
      const row = findOwned(state.deliveries, workspaceId, id);
      return row && toDelivery(row);
    },
    listHistory: async (workspaceId, id) =>
      ofWorkspace(state.attempts, workspaceId)
        .filter(({ deliveryId }) => state.deliveries.get(deliveryId)?.postId === id)
        .sort((a, b) => a.at.getTime() - b.at.getTime()),
    listByIds: async (workspaceId, ids) =>
      ofWorkspace(state.deliveries, workspaceId)
        .filter(({ id }) => ids.includes(id))
        .map(toDelivery),
    listConflicting: async (own, externalId) =>
      ofWorkspace(state.deliveries, own.workspaceId)
        .filter((row) => row.id !== own.id && isOfOneAccount(row, own))
        .filter(
          ({ status, publishedAt, parts }) =>
            status === 'sending' ||
            (publishedAt !== null &&
              publishedAt.getTime() >= own.scheduledAt.getTime() - DAY_MS &&
              parts.some(
                (part) =>
                  part.externalId === externalId || (part.status === 'published' && part.externalId === null),
              )),
        )
        .map(toDelivery),
    listDue: async (limit) =>
      oldestFirst([...state.deliveries.values()])
        .filter((row) => isToDeliver(row) || isDueToReadBack(row))
        .slice(0, limit)
        .map(({ id, workspaceId, status }) => ({ id, workspaceId, status })),
    measureBacklog: async (limit) => {
      const due = [...state.deliveries.values()].filter(isToDeliver);
      const oldestMs = Math.min(nowMs(), ...due.map(dueAtMs));
      return { due: Math.min(limit, due.length), oldestSeconds: (nowMs() - oldestMs) / 1000 };
    },
    findNextDueInMs: async (withinMs) => {
      const now = nowMs();
      const inMs = [...state.deliveries.values()]
        .filter(({ status }) => status === 'pending' || status === 'retrying')
        .map((row) => dueAtMs(row) - now)
        .filter((ms) => ms > 0 && ms <= withinMs);
      return inMs.length > 0 ? Math.min(...inMs) : null;
    },
    listInReview: async (workspaceId, reach, page) =>
      pageOf(
        ofWorkspace(state.deliveries, workspaceId)
          .reverse()
          .filter(({ postId, status }) => status === 'needs_review' && isWithin(reach, postId))
          .map(({ id, postId, connectionId, platform, account, scheduledAt }) => ({
            id,
            postId,
            connectionId,
            platform,
            account,
            text: beginning(postId),
            since: latest([scheduledAt], timesOf(id)),
          })),
        page,
      ),
    recordMediaFailure: async (workspaceId, mediaId, error) => {
      const rows = ofWorkspace(state.deliveries, workspaceId).filter(
        ({ status, parts }) =>
          waitingStatuses.includes(status) &&
          parts.some(({ media }) => media.some((use) => use.mediaId === mediaId)),
      );
      updateRows(rows, { error });
      return rows.flatMap(({ id, postId }) => {
        const post = state.posts.get(postId);
        return post ? [{ id, postId, profileId: post.profileId }] : [];
      });
    },
    listUnpublished: async (workspaceId, reason, reach, since, page) => {
      const hasReason = ({ status, error }: StoredDelivery) =>
        reason === 'media_failed'
          ? waitingStatuses.includes(status) && error?.code === 'media.failed'
          : status === reason;
      const unpublished = ofWorkspace(state.deliveries, workspaceId).filter(
        (row) =>
          hasReason(row) &&
          row.notAfter > since &&
          isWithin(reach, row.postId) &&
          state.connections.has(row.connectionId),
      );
      const posts = ofWorkspace(state.posts, workspaceId).reverse();
      const rows = posts.flatMap(({ id, timezone }) => {
        const candidates = unpublished.filter(({ postId }) => postId === id);
        return candidates.length === 0
          ? []
          : [{ id, text: beginning(id), timezone, ...groupByPost(candidates, reason === 'missed') }];
      });
      return pageOf(rows, page);
    },
    claim: async (purpose, which, leaseSeconds) => {
      const taking = purpose === 'deliver' ? claimToDeliver : claimToReadBack;
      if ('id' in which) {
        const row = state.deliveries.get(which.id);
        const isClaimable = purpose === 'deliver' ? isToDeliver : isToReadBack;
        return row && isClaimable(row) ? [taking(row.id, leaseSeconds)].filter((one) => one !== null) : [];
      }
      const { limit, perConnection, remaining } = which;
      const isDue = purpose === 'deliver' ? isToDeliver : isDueToReadBack;
      const left = new Map(remaining);
      const claimed: ClaimedDelivery[] = [];
      for (const row of [...state.deliveries.values()].filter(isDue).sort(byDueTime)) {
        const room = left.get(row.connectionId) ?? perConnection;
        if (claimed.length === limit || room <= 0) continue;
        left.set(row.connectionId, room - 1);
        claimed.push(...[taking(row.id, leaseSeconds)].filter((one) => one !== null));
      }
      return claimed;
    },
    claimUnresolvedUrls: async (limit, afterSeconds) => {
      const due = [...state.deliveries.values()]
        .filter(
          ({ status, resolveUrlAt }) =>
            status === 'published' && resolveUrlAt !== null && +resolveUrlAt <= nowMs(),
        )
        .sort((a, b) => Number(a.resolveUrlAt) - Number(b.resolveUrlAt))
        .slice(0, limit);
      for (const row of due) {
        const checkSeconds = afterSeconds.map((seconds) => Number(row.publishedAt) + seconds * 1000);
        const next = Math.min(...checkSeconds.filter((at) => at > nowMs()));
        const resolveUrlAt = Number.isFinite(next) ? new Date(next) : null;
        state.deliveries.set(row.id, { ...row, resolveUrlAt });
      }
      return currentDeliveries(due);
    },
    claimEdits: async (limit, leaseSeconds) =>
      [...state.deliveries.values()]
        .filter(
          ({ status, edit, nextAttemptAt, leaseUntilMs, connectionId }) =>
            status === 'published' &&
            edit !== null &&
            (nextAttemptAt?.getTime() ?? 0) <= nowMs() &&
            leaseUntilMs <= nowMs() &&
            !isHeld(state, connectionId),
        )
        .sort((a, b) => Number(a.nextAttemptAt) - Number(b.nextAttemptAt))
        .slice(0, limit)
        .flatMap(({ id }) => claim(id, leaseSeconds, () => ({})) ?? []),
    extendLease: async (id, epoch, leaseSeconds) => {
      const row = state.deliveries.get(id);
      if (row?.epoch !== epoch || row.leaseUntilMs === 0) return false;
      state.deliveries.set(id, { ...row, leaseUntilMs: nowMs() + leaseSeconds * 1000 });
      return true;
    },
    recordParts: async (id, epoch, progress) => {
      const row = state.deliveries.get(id);
      if (row?.epoch !== epoch) return false;
      updateRows([row], progress);
      return true;
    },
    settle: async (endings) => new Set(endings.filter(settle).map(({ id }) => id)),
    cancelUnsent: async (workspaceId, postId, ids) =>
      cancelUnsent(
        ofWorkspace(state.deliveries, workspaceId).filter(
          (row) => row.postId === postId && ids.includes(row.id),
        ),
      ).map(({ id }) => id),
    cancelUnsentOf: async (workspaceId, id) =>
      cancelUnsent(
        ofWorkspace(state.deliveries, workspaceId).filter(({ connectionId }) => connectionId === id),
      ),
    listUnsentOf: async (workspaceId, id, limit) => {
      const rows = ofWorkspace(state.deliveries, workspaceId)
        .filter(({ connectionId, status }) => connectionId === id && waitingStatuses.includes(status))
        .sort((a, b) => Number(a.nextAttemptAt ?? a.scheduledAt) - Number(b.nextAttemptAt ?? b.scheduledAt));
      const ids = [...new Set(rows.map(({ postId }) => postId))];
      return { count: ids.length, ids: ids.slice(0, limit) };
    },
    unblock: async (workspaceId, id) => {
      const rows = ofWorkspace(state.deliveries, workspaceId).filter(
        ({ connectionId, status }) => connectionId === id && status === 'blocked',
      );
      updateRows(rows, { status: 'pending', nextAttemptAt: null, error: null });
      return currentDeliveries(rows);
    },
    insertAttempts: async (...attempts) => {
      for (const attempt of attempts) insertNew(state.attempts, attempt);
    },
  };
}
