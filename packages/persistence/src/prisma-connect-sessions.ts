import type {
  ConnectFlow,
  ConnectionId,
  ConnectSession,
  ConnectSessionId,
  ConnectSessions,
  ConnectSessionStatus,
  Metadata,
  ProfileId,
  WorkspaceId,
} from '@switchboard/domain';
import { readJson, writeBytes, writeJson, writeNullableJson, type Client } from './columns.js';
import type { ConnectSessionModel } from './generated/models.js';

export function prismaConnectSessions(client: Client): ConnectSessions {
  return {
    async find(workspaceId, id) {
      const row = await client.connectSession.findUnique({ where: { workspaceId_id: { workspaceId, id } } });
      return row && session(row);
    },
    async findByToken(tokenHash) {
      const row = await client.connectSession.findUnique({ where: { tokenHash: writeBytes(tokenHash) } });
      return row && session(row);
    },
    async insert({ tokenHash, platforms, connectionIds, metadata, error, ...rest }) {
      await client.connectSession.create({
        data: {
          ...rest,
          tokenHash: writeBytes(tokenHash),
          platforms: [...platforms],
          connectionIds: [...connectionIds],
          metadata: writeJson(metadata),
          error: writeNullableJson(error),
        },
      });
    },
    async end(id, { status, error, connectionIds }) {
      const [row] = await client.connectSession.updateManyAndReturn({
        where: { id, status: 'pending' },
        data: { status, error: writeNullableJson(error), connectionIds: [...connectionIds] },
      });
      return row ? session(row) : null;
    },
    async insertFlow({ stateHash, browserHash, sealedContext, ...rest }) {
      const { workspaceId, sessionId, platform } = rest;
      const browser = writeBytes(browserHash);
      await client.connectFlow.deleteMany({
        where: { workspaceId, sessionId, platform, browserHash: browser },
      });
      await client.connectFlow.create({
        data: {
          ...rest,
          stateHash: writeBytes(stateHash),
          browserHash: browser,
          sealedContext: writeBytes(sealedContext),
        },
      });
    },
    async consumeFlow(stateHash, browserHash) {
      const [row] = await client.$queryRaw<FlowRow[]>`
        DELETE FROM connect_flows
        WHERE state_hash = ${writeBytes(stateHash)} AND browser_hash = ${writeBytes(browserHash)} AND expires_at > now()
        RETURNING session_id AS "sessionId", workspace_id AS "workspaceId", platform, way, state_hash AS "stateHash",
          browser_hash AS "browserHash", sealed_context AS "sealedContext", expires_at AS "expiresAt"`;
      return row ?? null;
    },
  };
}

type FlowRow = { -readonly [Column in keyof ConnectFlow]: ConnectFlow[Column] };

const session = (row: ConnectSessionModel): ConnectSession => ({
  ...row,
  id: row.id as ConnectSessionId,
  workspaceId: row.workspaceId as WorkspaceId,
  profileId: row.profileId as ProfileId,
  reconnects: row.reconnects as ConnectionId | null,
  connectionIds: row.connectionIds as ConnectionId[],
  metadata: readJson<Metadata>(row.metadata),
  status: row.status as ConnectSessionStatus,
  error: readJson<ConnectSession['error']>(row.error),
});
