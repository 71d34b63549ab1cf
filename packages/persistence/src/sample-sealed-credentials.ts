import type { ConnectionId, WorkspaceId } from '@switchboard/domain';
import { credentialBinding } from '@switchboard/domain/connections';
import type { SealBinding } from '@switchboard/domain/ports';
import type { DatabaseClient } from './columns.js';

export interface SealedSample {
  readonly workspaceId: WorkspaceId;
  readonly binding: SealBinding;
  readonly sealed: Uint8Array;
}

/** Up to `limit` sealed credentials of any workspaces, chosen at random. */
export async function sampleSealedCredentials(
  client: DatabaseClient,
  limit: number,
): Promise<readonly SealedSample[]> {
  const rows = await client.$queryRaw<
    { workspaceId: string; connectionId: string; generation: number; sealed: Uint8Array }[]
  >`
    SELECT workspace_id AS "workspaceId", connection_id AS "connectionId", generation, sealed
    FROM credentials ORDER BY random() LIMIT ${limit}`;
  return rows.map(({ workspaceId, connectionId, generation, sealed }) => ({
    workspaceId: workspaceId as WorkspaceId,
    binding: credentialBinding(connectionId as ConnectionId, generation),
    sealed,
  }));
}
