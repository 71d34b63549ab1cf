import type { ApiKeys, Clock, DataKeys, Canaries, Profiles, Workspaces } from '../../src/index.js';
import { waiting } from './memory-posts.js';
import type { MemoryState } from './memory-state.js';
import { given, ofWorkspace, oldestFirst, owned, pageOf, unique } from './rows.js';

export const memoryWorkspaces = (state: MemoryState): Workspaces => ({
  find: async (id) => state.workspaces.get(id) ?? null,
  findByName: async (name) => [...state.workspaces.values()].find((row) => row.name === name) ?? null,
  list: async () => oldestFirst([...state.workspaces.values()]),
  insert: async (workspace) => {
    const taken = [...state.workspaces.values()].some(
      ({ id, name }) => id === workspace.id || name === workspace.name,
    );
    unique(!taken, workspace.name);
    state.workspaces.set(workspace.id, workspace);
  },
  update: async (id, changes, ifVersion) => {
    const row = state.workspaces.get(id);
    if (!row || (ifVersion !== undefined && row.version !== ifVersion)) return null;
    const changed = { ...row, ...given(changes), version: row.version + 1 };
    state.workspaces.set(id, changed);
    return changed;
  },
});

export const memoryProfiles = (state: MemoryState): Profiles => ({
  find: async (workspaceId, id) => owned(state.profiles, workspaceId, id),
  list: async (workspaceId, reach, page) => {
    const rows = ofWorkspace(state.profiles, workspaceId).reverse();
    return pageOf(
      rows.filter(({ id }) => reach === null || reach.includes(id)),
      page,
    );
  },
  insert: async (profile) => {
    unique(!state.profiles.has(profile.id), profile.id);
    state.profiles.set(profile.id, profile);
  },
  update: async (workspaceId, id, changes, ifVersion) => {
    const row = owned(state.profiles, workspaceId, id);
    if (!row || (ifVersion !== undefined && row.version !== ifVersion)) return null;
    const changed = { ...row, ...(given(changes) as object), version: row.version + 1 };
    state.profiles.set(id, changed);
    return changed;
  },
  delete: async (workspaceId, profileId) => {
    if (!owned(state.profiles, workspaceId, profileId)) return;
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
        ({ status, postId }) => waiting.includes(status) && state.posts.get(postId)?.profileId === profileId,
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
    find: async (workspaceId, id) => owned(keys(), workspaceId, id),
    list: async (workspaceId, page) => pageOf(ofWorkspace(keys(), workspaceId).reverse(), page),
    insert: async (key, hash) => {
      unique(![...keys().values()].some(({ publicId }) => publicId === key.publicId), key.publicId);
      state.apiKeys.set(key.id, { key, hash });
    },
    update: async (workspaceId, id, changes, ifVersion) => {
      const row = state.apiKeys.get(id);
      if (row?.key.workspaceId !== workspaceId) return null;
      if (ifVersion !== undefined && row.key.version !== ifVersion) return null;
      const key = { ...row.key, ...given(changes), version: row.key.version + 1 };
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

export const memoryDataKeys = (state: MemoryState): DataKeys => ({
  find: async (workspaceId) => {
    const own = [...state.dataKeys.values()].filter((key) => key.workspaceId === workspaceId);
    return own.sort((a, b) => b.version - a.version)[0] ?? null;
  },
  insert: async (key) => {
    const name = `${key.workspaceId} ${key.version}`;
    const kept = state.dataKeys.get(name) ?? key;
    state.dataKeys.set(name, kept);
    return kept;
  },
});

export const memoryCanaries = (state: () => MemoryState): Canaries => ({
  find: async () => state().canaries.get('canary') ?? null,
  insert: async (sealed) => {
    const kept = state().canaries.get('canary') ?? sealed;
    state().canaries.set('canary', kept);
    return kept;
  },
});
