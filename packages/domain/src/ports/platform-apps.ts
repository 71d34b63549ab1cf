import type { ProfileId, WorkspaceId } from '../ids.js';
import type { PlatformApp } from '../platforms/platform-app.js';

/**
 * The tenants' own OAuth apps: at most one per platform for a workspace, and one for each of its profiles.
 * `findApp` selects among them and the operator's.
 */
export interface PlatformApps {
  /** The app at exactly this location; `profileId` null is the workspace's own. */
  find(workspaceId: WorkspaceId, platform: string, profileId: ProfileId | null): Promise<PlatformApp | null>;
  /**
   * The workspace's own and, where a profile is named, that profile's: of one platform, or of all. In no
   * order.
   */
  listApplicable(
    workspaceId: WorkspaceId,
    profileId: ProfileId | null,
    platform?: string,
  ): Promise<readonly PlatformApp[]>;
  /** The apps with this client id at any location in the workspace. Oldest first. */
  listByClientId(
    workspaceId: WorkspaceId,
    platform: string,
    clientId: string,
  ): Promise<readonly PlatformApp[]>;
  /** Rejects when its location already has one; the retried transaction finds it. */
  insert(app: PlatformApp): Promise<void>;
  /**
   * Writes the next generation over the previous one. Rejects when that no longer exists; the retried
   * transaction detects it.
   */
  replace(next: PlatformApp): Promise<void>;
  /** Rejects when this generation no longer exists; the retried transaction detects it. */
  delete(app: Pick<PlatformApp, 'workspaceId' | 'id' | 'generation'>): Promise<void>;
}
