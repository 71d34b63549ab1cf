import type { Id, ProfileId, WorkspaceId } from '../ids.js';
import type { SealBinding } from '../ports/vault.js';

/**
 * A tenant's own OAuth app at a platform, in place of the operator's: for the workspace, or for one profile.
 */
export interface PlatformApp {
  readonly id: Id<'app'>;
  readonly workspaceId: WorkspaceId;
  /** The profile whose accounts use it; null: those of every profile without an app of its own. */
  readonly profileId: ProfileId | null;
  readonly platform: string;
  readonly clientId: string;
  /** Opens only for this workspace, app and generation. */
  readonly sealedSecret: Uint8Array;
  /** Incremented with every replacement; also the entity tag. */
  readonly generation: number;
}

export const appBinding = (id: Id<'app'>, generation: number): SealBinding => ({
  table: 'platform_apps',
  row: id,
  field: 'sealed_secret',
  generation,
});
