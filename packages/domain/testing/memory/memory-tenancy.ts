import type { WorkspaceId } from '../../src/ids.js';
import type {
  ApiKeys,
  Canaries,
  Clock,
  DataKeys,
  ProcessRegistry,
  MasterKeyUsage,
  Notifications,
  Profiles,
  DataKeyRewrap,
  Workspaces,
  WrappedDataKey,
} from '../../src/ports/index.js';
import { waitingStatuses } from './memory-deliveries.js';
import type { MemoryState } from './memory-state.js';
import {
  omitUndefined,
  ofWorkspace,
  oldestFirst,
  findOwned,
  pageOf,
  assertUnique,
  insertNew,
  keptOnce,
} from './rows.js';

export const memoryWorkspaces = (state: MemoryState): Workspaces => ({
  find: async (id) => state.workspaces.get(id) ?? null,
  findByName: async (name) => [...state.workspaces.values()].find((row) => row.name === name) ?? null,
  list: async () => oldestFirst([...state.workspaces.values()]),
  insert: async (workspace) => {
    const taken = [...state.workspaces.values()].some(
      ({ id, name }) => id === workspace.id || name === workspace.name,
    );
    assertUnique(!taken, workspace.name);
    state.workspaces.set(workspace.id, workspace);
  },
  update: async (id, changes, ifVersion) => {
    const row = state.workspaces.get(id);
    if (!row || (ifVersion !== undefined && row.version !== ifVersion)) return null;
    const changed = { ...row, ...omitUndefined(changes), version: row.version + 1 };
    state.workspaces.set(id, changed);
    return changed;
  },
  disable: async (id) => {
    for (const rows of [state.dataKeys, state.apiKeys] as readonly Map<string, unknown>[]) {
      for (const [name, row] of rows) if (JSON.stringify(row).includes(`"${id}"`)) rows.delete(name);
    }
    return state.workspaces.has(id);
  },
  deleteRows: async (id, limit) => {
    const posts = ofWorkspace(state.posts, id).slice(0, limit);
    for (const post of posts) state.posts.delete(post.id);
    return posts.length;
  },
  delete: async (id) => deleteWorkspace(state, id),
});

export const memoryNotifications = (state: MemoryState, clock: Clock): Notifications => {
  const isDue = (id: string) => (state.notifications.get(id)?.nextCheckAt ?? clock.now()) <= clock.now();
  const dueMs = (id: string) => state.notifications.get(id)?.nextCheckAt.getTime() ?? 0;
  return {
    listDue: async (limit) =>
      [...state.workspaces.values()]
        .filter(({ id, notifyEmails }) => notifyEmails.length > 0 && isDue(id))
        .sort((a, b) => dueMs(a.id) - dueMs(b.id))
        .slice(0, limit),
    claim: async (workspaceId, nextCheckAt) => {
      if (!isDue(workspaceId)) return false;
      const items = state.notifications.get(workspaceId)?.items ?? [];
      state.notifications.set(workspaceId, { items, nextCheckAt });
      return true;
    },
    listItems: async (workspaceId) => state.notifications.get(workspaceId)?.items ?? [],
    store: async (workspaceId, items, nextCheckAt) =>
      void state.notifications.set(workspaceId, { items, nextCheckAt }),
  };
};

/** Rows of a workspace reference it, or a resource of it: ids are globally unique texts. */
function deleteWorkspace(state: MemoryState, id: string): { readonly files: readonly string[] } | null {
  if (!state.workspaces.has(id)) return null;
  const media = ofWorkspace(state.media, id as WorkspaceId);
  const posts = new Set(ofWorkspace(state.posts, id as WorkspaceId).map((post): string => post.id));
  const { audit: _audit, auditHeads: _auditHeads, ...rest } = state;
  for (const rows of Object.values(rest as unknown as Record<string, Map<string, unknown>>)) {
    for (const [name, row] of rows)
      if (posts.has(name) || name.includes(id) || JSON.stringify(row).includes(`"${id}"`)) rows.delete(name);
  }
  return { files: media.flatMap(({ file }) => (file ? [file.name] : [])) };
}

export const memoryProfiles = (state: MemoryState): Profiles => ({
  find: async (workspaceId, id) => findOwned(state.profiles, workspaceId, id),
  list: async (workspaceId, { reach, name, externalId, isPaused }, page) => {
    const rows = ofWorkspace(state.profiles, workspaceId).filter(
      (row) =>
        (reach?.includes(row.id) ?? true) &&
        (name ?? row.name).toLowerCase() === row.name.toLowerCase() &&
        (externalId ?? row.externalId) === row.externalId &&
        (!isPaused || row.pause !== null),
    );
    return pageOf(rows.reverse(), page);
  },
  insert: async (profile) => insertNew(state.profiles, profile),
  update: async (workspaceId, id, changes, ifVersion) => {
    const row = findOwned(state.profiles, workspaceId, id);
    if (!row || (ifVersion !== undefined && row.version !== ifVersion)) return null;
    const changed = { ...row, ...(omitUndefined(changes) as object), version: row.version + 1 };
    state.profiles.set(id, changed);
    return changed;
  },
  delete: async (workspaceId, profileId) => {
    if (!findOwned(state.profiles, workspaceId, profileId)) return;
    state.profiles.delete(profileId);
    for (const rows of [state.connections, state.connectSessions, state.posts, state.platformApps] as const) {
      for (const row of rows.values()) if (row.profileId === profileId) rows.delete(row.id);
    }
    for (const { connectionId } of state.credentials.values()) {
      if (!state.connections.has(connectionId)) state.credentials.delete(connectionId);
    }
    for (const { id, postId } of state.deliveries.values())
      if (!state.posts.has(postId)) state.deliveries.delete(id);
    for (const { id, deliveryId } of state.attempts.values()) {
      if (!state.deliveries.has(deliveryId)) state.attempts.delete(id);
    }
  },
  countUses: async (workspaceId, profileId) => {
    const posts = ofWorkspace(state.deliveries, workspaceId)
      .filter(
        ({ status, postId }) =>
          waitingStatuses.includes(status) && state.posts.get(postId)?.profileId === profileId,
      )
      .map(({ postId }) => postId);
    const connections = ofWorkspace(state.connections, workspaceId).filter(
      (row) => row.profileId === profileId,
    );
    return { connections: connections.length, scheduledPosts: new Set(posts).size };
  },
});

export const memoryApiKeys = (state: MemoryState, clock: Clock): ApiKeys => {
  const keys = () => new Map([...state.apiKeys].map(([id, { key }]) => [id, key]));
  return {
    findByPublicId: async (publicId) =>
      [...state.apiKeys.values()].find(({ key }) => key.publicId === publicId) ?? null,
    findAllByPublicId: async (publicIds) =>
      [...state.apiKeys.values()].filter(({ key }) => publicIds.includes(key.publicId)),
    find: async (workspaceId, id) => findOwned(keys(), workspaceId, id),
    listCurrent: async (workspaceId, lineages) =>
      ofWorkspace(keys(), workspaceId).filter(
        ({ lineage, replacedBy }) => replacedBy === null && lineages.includes(lineage),
      ),
    list: async (workspaceId, page) => pageOf(ofWorkspace(keys(), workspaceId).reverse(), page),
    insert: async (key, hash) => {
      assertUnique(![...keys().values()].some(({ publicId }) => publicId === key.publicId), key.publicId);
      state.apiKeys.set(key.id, { key, hash });
    },
    update: async (workspaceId, id, changes, ifVersion) => {
      const row = state.apiKeys.get(id);
      if (row?.key.workspaceId !== workspaceId) return null;
      if (ifVersion !== undefined && row.key.version !== ifVersion) return null;
      const key = { ...row.key, ...omitUndefined(changes), version: row.key.version + 1 };
      state.apiKeys.set(id, { ...row, key });
      return key;
    },
    revoke: async (workspaceId, id) => {
      const row = state.apiKeys.get(id);
      if (row?.key.workspaceId !== workspaceId) return null;
      const key = { ...row.key, revokedAt: row.key.revokedAt ?? clock.now() };
      state.apiKeys.set(id, { ...row, key });
      return key;
    },
    touch: async (uses) => {
      for (const { id, at } of uses) {
        const row = state.apiKeys.get(id);
        if (!row || (row.key.lastUsedAt && row.key.lastUsedAt >= at)) continue;
        state.apiKeys.set(id, { ...row, key: { ...row.key, lastUsedAt: at } });
      }
    },
  };
};

export const memoryDataKeys = (state: MemoryState, clock: Clock): DataKeys => {
  const nameOf = ({ workspaceId, version }: WrappedDataKey) => `${workspaceId} ${version}`;
  const ofOwner = (workspaceId: WorkspaceId | null) =>
    [...state.dataKeys.values()]
      .filter(({ key }) => key.workspaceId === workspaceId)
      .sort((a, b) => b.key.version - a.key.version)[0]?.key ?? null;
  return {
    find: async (workspaceId) => ofOwner(workspaceId),
    countByMasterKey: async () => {
      const uses = new Map<string, MasterKeyUsage>();
      for (const { key, wrappedAt } of state.dataKeys.values()) {
        const use = uses.get(key.masterKeyId) ?? {
          masterKeyId: key.masterKeyId,
          dataKeys: 0,
          since: wrappedAt,
        };
        const since = wrappedAt < use.since ? wrappedAt : use.since;
        uses.set(key.masterKeyId, { ...use, dataKeys: use.dataKeys + 1, since });
      }
      return [...uses.values()].sort((a, b) => (a.masterKeyId < b.masterKeyId ? -1 : 1));
    },
    listWrappedByOtherKeys: async (masterKeyId, after, limit) =>
      [...state.dataKeys.values()]
        .map(({ key }) => key)
        .filter((key) => key.masterKeyId !== masterKeyId && (!after || nameOf(key) > nameOf(after)))
        .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
        .slice(0, limit),
    insert: async (key) => {
      const installation = ofOwner(null);
      if (key.workspaceId !== null && installation && installation.masterKeyId !== key.masterKeyId)
        return null;
      const kept = state.dataKeys.get(nameOf(key)) ?? { key, wrappedAt: clock.now() };
      state.dataKeys.set(nameOf(key), kept);
      return kept.key;
    },
    rewrap: async (changes) => rewrapIn(state, clock, changes),
  };
};

function rewrapIn(state: MemoryState, clock: Clock, changes: readonly DataKeyRewrap[]): number {
  const unchanged = changes.filter(({ before: { workspaceId, version, wrapped } }) => {
    const kept = state.dataKeys.get(`${workspaceId} ${version}`)?.key.wrapped;
    return kept?.length === wrapped.length && kept.every((byte, at) => byte === wrapped[at]);
  });
  for (const { after } of unchanged)
    state.dataKeys.set(`${after.workspaceId} ${after.version}`, { key: after, wrappedAt: clock.now() });
  return unchanged.length;
}

const REGISTRATION_TTL_MS = 30_000;

export const memoryProcessRegistry = (state: () => MemoryState, clock: Clock): ProcessRegistry => {
  const list = () =>
    [...state().processRegistry.values()]
      .filter(({ seenAt }) => seenAt > clock.after(-REGISTRATION_TTL_MS))
      .sort((a, b) => a.startedAt.getTime() - b.startedAt.getTime());
  return {
    register: async (holder) => {
      const { startedAt } = state().processRegistry.get(holder.id) ?? holder;
      state().processRegistry.set(holder.id, { ...holder, startedAt, seenAt: clock.now() });
    },
    deregister: async (id) => void state().processRegistry.delete(id),
    list: async () => list(),
    beginRotation: async (change) => {
      const holders = list().filter(({ masterKeyIds }) => !masterKeyIds.includes(change.after.masterKeyId));
      if (holders.length > 0) return { kind: 'missing_key', processes: holders };
      return { kind: rewrapIn(state(), clock, [change]) === 1 ? 'started' : 'conflict' };
    },
  };
};

export const memoryCanaries = (state: () => MemoryState): Canaries => keptOnce(() => state().canaries);
