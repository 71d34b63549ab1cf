import type { Clock, PostFilter, PostingQueues, Posts } from '../../src/ports/index.js';
import { isToSend, statusOf } from '../../src/posts/post-status.js';
import type { Post } from '../../src/posts/post.js';
import { removedAtOf } from '../../src/deliveries/delivery.js';
import { approvalStateOf } from './memory-approvals.js';
import { deliveriesOf, toDelivery } from './memory-deliveries.js';
import { holdOf } from './memory-holds.js';
import type { MemoryState, StoredPost } from './memory-state.js';
import { ofWorkspace, findOwned, insertNew, pageOf } from './rows.js';

const DAY_MS = 86_400_000;

export function memoryPosts(state: MemoryState, clock: Clock): Posts {
  const whole = (row: StoredPost): Post => ({
    ...row,
    approval: approvalStateOf(state, row.id),
    deliveries: deliveriesOf(state, row.id).map(toDelivery),
    holds: holdsOf(state, row.id),
  });

  return {
    find: async (workspaceId, id) => {
      const row = findOwned(state.posts, workspaceId, id);
      return row && whole(row);
    },
    list: async (workspaceId, filter, page) => {
      const fitting = ofWorkspace(state.posts, workspaceId)
        .map(whole)
        .filter((post) => matchesFilter(post, filter, clock.now()));
      if (filter.sort === '-created_at') return pageOf(fitting.reverse(), page);
      const byTime = (a: Post, b: Post) => a.scheduledAt.getTime() - b.scheduledAt.getTime();
      return pageOf(fitting.sort(byTime), page);
    },
    findDuplicate: async (workspaceId, connectionId, contentDigest, around, except) =>
      ofWorkspace(state.deliveries, workspaceId).findLast(
        (row) =>
          row.connectionId === connectionId &&
          row.postId !== except &&
          row.contentDigest === contentDigest &&
          !['failed', 'missed', 'cancelled', 'deleted'].includes(row.status) &&
          removedAtOf(row) === null &&
          Math.abs((row.publishedAt ?? row.scheduledAt).getTime() - around.getTime()) <= DAY_MS,
      )?.postId ?? null,
    listByIds: async (ids) => ids.flatMap((id) => state.posts.get(id) ?? []).map(whole),
    // Transactions are serialized here.
    lockContent: async () => undefined,
    insert: async ({ deliveries, approval: _, holds: __, ...post }) => {
      insertNew(state.posts, post);
      for (const row of deliveries) state.deliveries.set(row.id, { ...row, leaseUntilMs: 0 });
    },
    // Transactions are serialized here, too.
    lock: async (workspaceId, id) => {
      const row = findOwned(state.posts, workspaceId, id);
      return row && whole(row);
    },
    rewrite: async ({ deliveries, approval: _, holds: __, ...post }) => {
      const before = deliveriesOf(state, post.id);
      const stored = state.posts.get(post.id);
      if (!stored) return;
      const { createdAt, createdBy, version } = stored;
      state.posts.set(post.id, {
        ...post,
        createdAt,
        createdBy,
        version: version + 1,
        updatedAt: clock.now(),
      });
      for (const { id } of before) state.deliveries.delete(id);
      for (const row of deliveries) {
        const earlier = before.find(({ id }) => id === row.id);
        const epoch = earlier ? earlier.epoch + 1 : row.epoch;
        state.deliveries.set(row.id, { ...row, epoch, leaseUntilMs: 0 });
      }
      for (const { id, deliveryId } of state.attempts.values()) {
        if (!state.deliveries.has(deliveryId)) state.attempts.delete(id);
      }
    },
  };
}

const holdsOf = (state: MemoryState, postId: string): Post['holds'] =>
  Object.fromEntries(
    deliveriesOf(state, postId)
      .filter(isToSend)
      .flatMap(({ connectionId }) => {
        const scope = holdOf(state, connectionId);
        return scope ? [[connectionId, scope]] : [];
      }),
  );

export function memoryPostingQueues(state: MemoryState, clock: Clock): PostingQueues {
  const ofProfile = (profileId: string) =>
    [...state.posts.values()].filter(
      ({ id, profileId: owner, queueSlot }) =>
        owner === profileId && queueSlot !== null && !isOver(deliveriesOf(state, id)),
    );
  return {
    find: async (workspaceId, profileId) => findOwned(state.postingQueues, workspaceId, profileId),
    save: async (queue, ifVersion) => {
      const version = state.postingQueues.get(queue.profileId)?.version ?? 0;
      if (ifVersion !== undefined && ifVersion !== version) return null;
      const saved = { ...queue, version: version + 1 };
      state.postingQueues.set(queue.profileId, saved);
      return saved;
    },
    listClaimed: async (workspaceId, profileId) =>
      ofProfile(profileId)
        .filter((post) => post.workspaceId === workspaceId)
        .flatMap(({ id, queueSlot }) =>
          queueSlot && queueSlot > clock.now() ? { at: queueSlot, postId: id } : [],
        )
        .sort((a, b) => a.at.getTime() - b.at.getTime()),
    // Transactions are serialized here.
    claim: async (_, profileId, slots) => {
      const taken = new Set(ofProfile(profileId).map(({ queueSlot }) => queueSlot?.getTime()));
      return slots.find((at) => !taken.has(at.getTime())) ?? null;
    },
    release: async (_, profileId) => {
      for (const post of ofProfile(profileId)) state.posts.set(post.id, { ...post, queueSlot: null });
    },
  };
}

/** Whether no delivery is or will be published. */
const isOver = (deliveries: readonly { readonly status: string }[]) =>
  deliveries.every(({ status }) => ['failed', 'missed', 'cancelled', 'deleted'].includes(status));

function matchesFilter(post: Post, filter: PostFilter, now: Date): boolean {
  const { connectionId, platforms, publishedAfter, publishedBefore, scheduledAfter, scheduledBefore } =
    filter;
  const asksOfDeliveries = [connectionId, platforms, publishedAfter, publishedBefore].some(
    (each) => each !== undefined,
  );
  return (
    (filter.reach?.includes(post.profileId) ?? true) &&
    (filter.profileId ?? post.profileId) === post.profileId &&
    (filter.externalId ?? post.externalId) === post.externalId &&
    Object.entries(filter.metadata ?? {}).every(([key, value]) => post.metadata[key] === value) &&
    (filter.statuses?.includes(statusOf(post, now)) ?? true) &&
    ((!asksOfDeliveries && isWithin(post.scheduledAt, scheduledAfter, scheduledBefore)) ||
      post.deliveries.some(
        (delivery) =>
          isWithin(delivery.scheduledAt, scheduledAfter, scheduledBefore) &&
          (connectionId ?? delivery.connectionId) === delivery.connectionId &&
          (platforms?.includes(delivery.platform) ?? true) &&
          isWithin(delivery.publishedAt, publishedAfter, publishedBefore),
      ))
  );
}

const isWithin = (at: Date | null, after: Date | undefined, before: Date | undefined): boolean =>
  (after === undefined || (at !== null && at >= after)) &&
  (before === undefined || (at !== null && at < before));
