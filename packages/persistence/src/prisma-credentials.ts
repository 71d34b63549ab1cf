import type { ConnectionId, Credentials, SealedCredential, WorkspaceId } from '@switchboard/domain';
import { writeBytes, type Client } from './columns.js';
import type { CredentialModel } from './generated/models.js';
import { Outrun } from './outrun.js';

export function prismaCredentials(client: Client): Credentials {
  return {
    async find(workspaceId, connectionId) {
      const row = await client.credential.findUnique({
        where: { workspaceId_connectionId: { workspaceId, connectionId } },
      });
      return row && credential(row);
    },
    async insert({ sealed, ...rest }) {
      await client.credential.create({ data: { ...rest, sealed: writeBytes(sealed) } });
    },
    async claim(connectionId, generation, leaseSeconds) {
      const [row] = await client.$queryRaw<{ fence: number }[]>`
        UPDATE credentials SET fence = fence + 1, lease_until = now() + make_interval(secs => ${leaseSeconds})
        WHERE connection_id = ${connectionId} AND generation = ${generation} AND (lease_until IS NULL OR lease_until <= now())
        RETURNING fence`;
      return row?.fence ?? null;
    },
    async renew({ connectionId, workspaceId, generation, sealed, accessExpiresAt }, fence) {
      const { count } = await client.credential.updateMany({
        where: { connectionId, workspaceId, fence, generation: generation - 1 },
        data: { generation, sealed: writeBytes(sealed), accessExpiresAt, leaseUntil: null },
      });
      return count === 1;
    },
    async release(connectionId, fence) {
      await client.credential.updateMany({ where: { connectionId, fence }, data: { leaseUntil: null } });
    },
    async replace({ connectionId, workspaceId, generation, sealed, accessExpiresAt }) {
      const { count } = await client.credential.updateMany({
        where: { connectionId, workspaceId, generation: generation - 1 },
        // The fence moves on, so that whoever was renewing the old grant cannot write it back.
        data: {
          generation,
          sealed: writeBytes(sealed),
          accessExpiresAt,
          leaseUntil: null,
          fence: { increment: 1 },
        },
      });
      if (count !== 1) throw new Outrun('the credential has been renewed meanwhile');
    },
  };
}

const credential = ({ fence: _, leaseUntil: __, ...row }: CredentialModel): SealedCredential => ({
  ...row,
  connectionId: row.connectionId as ConnectionId,
  workspaceId: row.workspaceId as WorkspaceId,
});
