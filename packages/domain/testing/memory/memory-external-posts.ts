import type { ExternalPost } from '../../src/analytics/external-post.js';
import { EXTERNAL_POSTS_DAYS } from '../../src/analytics/snapshot-schedule.js';
import type { AnalyticsSource, Clock, ExternalPosts } from '../../src/ports/index.js';
import type { ConnectionId, WorkspaceId } from '../../src/ids.js';
import type { MemoryState } from './memory-state.js';
import { ofWorkspace } from './rows.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export function memoryExternalPosts(state: MemoryState, clock: Clock): ExternalPosts {
  return {
    listByIds: async (workspaceId, ids) =>
      ofWorkspace(state.externalPosts, workspaceId).filter(({ id }) => ids.includes(id)),
    listListings: async (workspaceId, connectionIds) =>
      new Map(
        [...state.postListings.values()]
          .filter((row) => row.workspaceId === workspaceId && connectionIds.includes(row.connectionId))
          .map((listing) => [listing.connectionId, listing]),
      ),
    request: async (workspaceId, connectionIds, at) => {
      for (const { id: connectionId } of ofWorkspace(state.connections, workspaceId)) {
        if (!connectionIds.includes(connectionId)) continue;
        const known = state.postListings.get(connectionId);
        if (known && known.requestedAt.getTime() < at.getTime() - EXTERNAL_POSTS_DAYS * DAY_MS) {
          for (const { id, publishedAt } of postsOf(state, connectionId)) {
            const isYoung = publishedAt.getTime() > at.getTime() - 90 * DAY_MS;
            if (isYoung && state.nextReads.get(id) === null) state.nextReads.set(id, clock.now());
          }
        }
        const requestedAt = known && known.requestedAt > at ? known.requestedAt : at;
        state.postListings.set(connectionId, {
          ...notListed(workspaceId, connectionId),
          ...known,
          requestedAt,
        });
      }
    },
    save: async (listing, posts) => {
      const { connectionId } = listing;
      const known = state.postListings.get(connectionId);
      if (known) state.postListings.set(connectionId, { ...listing, requestedAt: known.requestedAt });
      const saved: ExternalPost[] = [];
      for (const post of posts) {
        const before = postsOf(state, connectionId).find(({ externalId }) => externalId === post.externalId);
        if (isPublishedBy(state, connectionId, post.externalId)) {
          if (before) deletePost(state, before);
          continue;
        }
        const now = before ? { ...before, url: post.url, text: post.text } : post;
        const isYoung = post.publishedAt.getTime() > clock.now().getTime() - 90 * DAY_MS;
        if (!before) state.nextReads.set(post.id, isYoung ? clock.after(DAY_MS) : null);
        state.externalPosts.set(now.id, now);
        saved.push(now);
      }
      return saved;
    },
  };
}

const notListed = (workspaceId: WorkspaceId, connectionId: ConnectionId) => ({
  workspaceId,
  connectionId,
  listedAt: null,
  knownSince: null,
  resumeCursor: null,
  listedCount: 0,
  limited: false,
});

const postsOf = (state: MemoryState, connectionId: ConnectionId): readonly ExternalPost[] =>
  [...state.externalPosts.values()].filter((post) => post.connectionId === connectionId);

const isPublishedBy = (state: MemoryState, connectionId: ConnectionId, externalId: string): boolean =>
  [...state.deliveries.values()].some(
    (delivery) => delivery.connectionId === connectionId && delivery.externalId === externalId,
  );

function deletePost(state: MemoryState, { id }: ExternalPost): void {
  state.externalPosts.delete(id);
  for (const [key, { externalPostId }] of state.snapshots)
    if (externalPostId === id) state.snapshots.delete(key);
}

/** The external posts of these connections that count: each once, and none that one of them published. */
export function countedExternalPosts(
  state: MemoryState,
  workspaceId: WorkspaceId,
  {
    connectionIds,
    source,
  }: { readonly connectionIds: readonly ConnectionId[]; readonly source: AnalyticsSource },
): readonly ExternalPost[] {
  if (source === 'switchboard') return [];
  const takenAt = (id: string) =>
    Math.max(
      0,
      ...[...state.snapshots.values()].flatMap((row) =>
        row.externalPostId === id ? row.takenAt.getTime() : [],
      ),
    );
  const all = ofWorkspace(state.externalPosts, workspaceId);
  return all.filter((post) => {
    if (!connectionIds.includes(post.connectionId)) return false;
    const own = state.connections.get(post.connectionId);
    const same = ofWorkspace(state.connections, workspaceId).filter(
      ({ id, platform, accountServer, account }) =>
        connectionIds.includes(id) &&
        platform === own?.platform &&
        accountServer === own.accountServer &&
        account.id === own.account.id,
    );
    const at = post.publishedAt.getTime();
    return !same.some(
      ({ id }) =>
        isPublishedBy(state, id, post.externalId) ||
        [...state.deliveries.values()].some(
          ({ connectionId, status, publishedAt, resolveUrlAt }) =>
            connectionId === id &&
            status === 'published' &&
            resolveUrlAt !== null &&
            publishedAt !== null &&
            publishedAt.getTime() > at - DAY_MS &&
            publishedAt.getTime() < at + HOUR_MS,
        ) ||
        all.some(
          (other) =>
            other.connectionId === id &&
            other.externalId === post.externalId &&
            (takenAt(other.id) - takenAt(post.id) ||
              (other.id > post.id ? 1 : other.id === post.id ? 0 : -1)) > 0,
        ),
    );
  });
}
