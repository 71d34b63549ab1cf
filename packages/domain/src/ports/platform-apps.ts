import type { ProfileId, WorkspaceId } from '../ids.js';
import type { PlatformApp } from '../platforms/platform-app.js';

/**
 * The OAuth apps that tenants brought: at most one a platform for a workspace, and one for each of its profiles. Which
 * of them serves whom is decided by `findApp`, which also knows the operator's.
 */
export interface PlatformApps {
  /** The one that is kept at exactly this place; `profileId` null is the workspace's own. */
  find(workspaceId: WorkspaceId, platform: string, profileId: ProfileId | null): Promise<PlatformApp | null>;
  /** The workspace's own and, where a profile is named, that profile's: of one platform, or of all. In no order. */
  listApplicable(
    workspaceId: WorkspaceId,
    profileId: ProfileId | null,
    platform?: string,
  ): Promise<readonly PlatformApp[]>;
  /** Wherever in the workspace one with this client id is kept. Oldest first. */
  listByClientId(
    workspaceId: WorkspaceId,
    platform: string,
    clientId: string,
  ): Promise<readonly PlatformApp[]>;
  /** Rejects when there is one at its place already; run again, the transaction finds it. */
  insert(app: PlatformApp): Promise<void>;
  /** Writes the next generation over the one before it. Rejects when that is not there any more; run again, the transaction finds out. */
  replace(next: PlatformApp): Promise<void>;
  /** Rejects when this generation is not there any more; run again, the transaction finds out. */
  delete(app: Pick<PlatformApp, 'workspaceId' | 'id' | 'generation'>): Promise<void>;
}
