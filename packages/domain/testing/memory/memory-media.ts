import type { DeliveryStatus } from '../../src/deliveries/delivery.js';
import type { MediaId, WorkspaceId } from '../../src/ids.js';
import { MEDIA_KEPT_DAYS, UPLOAD_SECONDS, uploadExpired, type Media } from '../../src/media/media.js';
import type { Clock, MediaLibrary, MediaStores, NewMedia } from '../../src/ports/index.js';
import type { MemoryState, StoredMedia } from './memory-state.js';
import { ofWorkspace, oldestFirst, findOwned, insertNew, keptOnce, pageOf } from './rows.js';

const settled: readonly DeliveryStatus[] = ['published', 'failed', 'missed', 'cancelled', 'deleted'];
const KEPT_MS = MEDIA_KEPT_DAYS * 86_400_000;
const UPLOAD_MS = UPLOAD_SECONDS * 1000;

export function memoryMedia(state: MemoryState, clock: Clock): MediaLibrary {
  const nowMs = () => clock.now().getTime();
  const usersOf = (id: MediaId) =>
    [...state.postMedia].flatMap(([postId, uses]) => {
      const post = state.posts.get(postId);
      return post && uses.includes(id) ? [post] : [];
    });
  const whole = ({ leaseUntilMs: _, dueAtMs: __, ...row }: StoredMedia): Media => {
    const users = usersOf(row.id);
    const waits = (postId: string) =>
      [...state.deliveries.values()].some((each) => each.postId === postId && !settled.includes(each.status));
    return {
      ...row,
      inUse: users.some(({ id, draft }) => draft || waits(id)),
      lastUsedAt: users.reduce<Date | null>(
        (last, { updatedAt }) => (last && last > updatedAt ? last : updatedAt),
        null,
      ),
    };
  };
  const isFree = ({ status, leaseUntilMs, dueAtMs }: StoredMedia) =>
    status === 'processing' && leaseUntilMs <= nowMs() && dueAtMs <= nowMs();
  function insert(media: NewMedia): void {
    insertNew(state.media, { ...media, ...none, attempts: 0, leaseUntilMs: 0, dueAtMs: 0 });
  }
  function remove(id: MediaId): void {
    state.media.delete(id);
    for (const [postId, uses] of state.postMedia)
      state.postMedia.set(
        postId,
        uses.filter((use) => use !== id),
      );
  }
  /** The row, if this is its latest attempt. */
  const findAttempt = (workspaceId: WorkspaceId, id: MediaId, attempt: number) => {
    const row = findOwned(state.media, workspaceId, id);
    return row?.status === 'processing' && row.attempts === attempt ? row : null;
  };

  return {
    find: async (workspaceId, id) => {
      const row = findOwned(state.media, workspaceId, id);
      return row && whole(row);
    },
    findMany: async (workspaceId, ids) =>
      ofWorkspace(state.media, workspaceId)
        .filter(({ id }) => ids.includes(id))
        .map(whole),
    list: async (workspaceId, { lineage }, page) => {
      const rows = ofWorkspace(state.media, workspaceId).reverse().map(whole);
      return pageOf(
        rows.filter((row) => lineage === null || row.lineage === lineage),
        page,
      );
    },
    listToFetch: async ({ limit, perWorkspace, inProgress }) => {
      const turns = new Map(inProgress);
      return oldestFirst([...state.media.values()])
        .filter((row) => row.source === 'url' && isFree(row))
        .map(({ id, workspaceId, createdAt, dueAtMs }) => {
          const turn = (turns.get(workspaceId) ?? 0) + 1;
          turns.set(workspaceId, turn);
          const dueAt = new Date(Math.max(createdAt.getTime(), dueAtMs));
          return { turn, found: { id, workspaceId, dueAt } };
        })
        .filter(({ turn }) => turn <= perWorkspace)
        .sort((a, b) => a.turn - b.turn || a.found.dueAt.getTime() - b.found.dueAt.getTime())
        .slice(0, limit)
        .map(({ found }) => found);
    },
    countToFetch: async () => [...state.media.values()].filter(isToFetch).length,
    findFiles: async (names) => {
      const kept = [...state.media.values()].flatMap(({ file }) => (file ? [file.name] : []));
      return new Set(names.filter((name) => kept.includes(name)));
    },
    insert: async (media) => insert(media),
    insertToFetch: async (media, max) => {
      const waiting = ofWorkspace(state.media, media.workspaceId).filter(isToFetch);
      if (waiting.length >= max) return false;
      insert(media);
      return true;
    },
    claim: async (workspaceId, id, leaseSeconds) => {
      const row = findOwned(state.media, workspaceId, id);
      if (!row || !isFree(row)) return null;
      const taken = { ...row, attempts: row.attempts + 1, leaseUntilMs: nowMs() + leaseSeconds * 1000 };
      state.media.set(id, taken);
      return whole(taken);
    },
    extendLease: async (workspaceId, id, attempt, leaseSeconds) => {
      const row = findAttempt(workspaceId, id, attempt);
      if (!row || row.leaseUntilMs === 0) return false;
      state.media.set(id, { ...row, leaseUntilMs: nowMs() + leaseSeconds * 1000 });
      return true;
    },
    postpone: async (workspaceId, id, attempt, inSeconds) => {
      const row = findAttempt(workspaceId, id, attempt);
      if (row) state.media.set(id, { ...row, leaseUntilMs: 0, dueAtMs: nowMs() + inSeconds * 1000 });
    },
    settle: async (workspaceId, id, attempt, outcome) => {
      const row = findAttempt(workspaceId, id, attempt);
      if (!row) return false;
      const status = 'file' in outcome ? 'ready' : 'failed';
      state.media.set(id, { ...row, ...outcome, status, leaseUntilMs: 0 });
      return true;
    },
    setUses: async (workspaceId, postId, mediaIds) => {
      if (!findOwned(state.posts, workspaceId, postId)) throw new Error(`there is no post ${postId}`);
      for (const id of mediaIds) {
        if (!findOwned(state.media, workspaceId, id)) throw new Error(`there is no media ${id}`);
      }
      state.postMedia.set(postId, [...new Set(mediaIds)]);
    },
    delete: async (workspaceId, id) => {
      const row = findOwned(state.media, workspaceId, id);
      if (!row) return { kind: 'missing' };
      if (whole(row).inUse) return { kind: 'in_use' };
      remove(id);
      return { kind: 'removed', file: row.file?.name ?? null };
    },
    failExpiredUploads: async () => {
      const late = [...state.media.values()].filter(
        (row) => row.source === 'put' && isFree(row) && row.createdAt.getTime() <= nowMs() - UPLOAD_MS,
      );
      for (const row of late) state.media.set(row.id, { ...row, status: 'failed', error: uploadExpired });
      return late.map(({ id, workspaceId }) => ({ id, workspaceId }));
    },
    deleteExpired: async (limit) => {
      const old = [...state.media.values()].map(whole).filter(({ inUse, createdAt, lastUsedAt }) => {
        const since = Math.max(createdAt.getTime(), lastUsedAt?.getTime() ?? 0);
        return !inUse && since <= nowMs() - KEPT_MS;
      });
      const gone = old.slice(0, limit);
      for (const { id } of gone) remove(id);
      return gone.flatMap(({ file }) => (file ? [file.name] : []));
    },
  };
}

const isToFetch = ({ source, status }: StoredMedia) => source === 'url' && status === 'processing';

/** Computed on reading. */
const none = { inUse: false, lastUsedAt: null } as const;

export const memoryMediaStores = (state: () => MemoryState): MediaStores =>
  keptOnce(() => state().mediaStores);
