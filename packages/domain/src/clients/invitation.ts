import type { InvitationId, WorkspaceId } from '../ids.js';

/**
 * The permission to authorize clients with a key, held by the person who knows its one-time code. Only a
 * digest of the code is stored.
 */
export interface Invitation {
  readonly id: InvitationId;
  readonly workspaceId: WorkspaceId;
  readonly lineage: string;
  readonly maxClients: number;
  /** How many clients were authorized with it. */
  readonly uses: number;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}
