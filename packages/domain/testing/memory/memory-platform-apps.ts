import type { PlatformApp } from '../../src/platforms/platform-app.js';
import type { PlatformApps } from '../../src/ports/index.js';
import type { MemoryState } from './memory-state.js';
import { ofWorkspace, findOwned, assertUnique } from './rows.js';

export function memoryPlatformApps(state: MemoryState): PlatformApps {
  const at = (rows: readonly PlatformApp[], platform: string, profileId: string | null) =>
    rows.find((row) => row.platform === platform && row.profileId === profileId) ?? null;
  return {
    find: async (workspaceId, platform, profileId) =>
      at(ofWorkspace(state.platformApps, workspaceId), platform, profileId),
    listApplicable: async (workspaceId, profileId, platform) =>
      ofWorkspace(state.platformApps, workspaceId).filter(
        (row) =>
          (row.profileId === null || row.profileId === profileId) &&
          (platform ?? row.platform) === row.platform,
      ),
    listByClientId: async (workspaceId, platform, clientId) =>
      ofWorkspace(state.platformApps, workspaceId).filter(
        (row) => row.platform === platform && row.clientId === clientId,
      ),
    insert: async (app) => {
      const rows = ofWorkspace(state.platformApps, app.workspaceId);
      if (app.profileId !== null && !findOwned(state.profiles, app.workspaceId, app.profileId)) {
        throw new Error('the profile does not belong to this workspace');
      }
      assertUnique(!at(rows, app.platform, app.profileId), app.platform);
      state.platformApps.set(app.id, app);
    },
    replace: async ({ workspaceId, id, clientId, sealedSecret, generation }) => {
      const row = findOwned(state.platformApps, workspaceId, id);
      if (row?.generation !== generation - 1)
        throw new Error('the app has been replaced or deleted meanwhile');
      state.platformApps.set(id, { ...row, clientId, sealedSecret, generation });
    },
    delete: async ({ workspaceId, id, generation }) => {
      if (findOwned(state.platformApps, workspaceId, id)?.generation !== generation)
        throw new Error('the app has been replaced or deleted meanwhile');
      state.platformApps.delete(id);
    },
  };
}
