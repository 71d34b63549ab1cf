import type { Id, ProfileId, WorkspaceId } from '../ids.js';
import type { SealBinding } from '../ports/vault.js';

/** A tenant's own OAuth app at a platform, in place of the operator's: the workspace's, or that of one profile. */
export interface PlatformApp {
  readonly id: Id<'app'>;
  readonly workspaceId: WorkspaceId;
  /** Whose accounts it is for; null: those of every profile that has none of its own. */
  readonly profileId: ProfileId | null;
  readonly platform: string;
  readonly clientId: string;
  /** Opens only for this workspace, app and generation. */
  readonly sealedSecret: Uint8Array;
  /** Grows whenever it is replaced: the entity tag, too. */
  readonly generation: number;
}

/** Where the secret of an app is sealed. */
export const appBinding = (id: Id<'app'>, generation: number): SealBinding => ({
  table: 'platform_apps',
  row: id,
  field: 'sealed_secret',
  generation,
});
