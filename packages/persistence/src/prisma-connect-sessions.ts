import type { ConnectChoice, ConnectFlow, ConnectSession } from '@switchboard/domain/connections';
import type { ConnectSessions } from '@switchboard/domain/ports';
import { Prisma } from './generated/client.js';
import { writeBytes, writeJson, type DatabaseClient, readRow } from './columns.js';
import type { ConnectChoiceModel, ConnectSessionModel } from './generated/models.js';
import { rowsOf } from './model-columns.js';
import { writeNullableJson } from './write-nullable-json.js';

const sessionRows = rowsOf<ConnectSessionModel>('connect_sessions', Prisma.ConnectSessionScalarFieldEnum);

export function prismaConnectSessions(client: DatabaseClient): ConnectSessions {
  return {
    async find(workspaceId, id) {
      const [row] = await sessionRows(client, Prisma.sql`WHERE workspace_id = ${workspaceId} AND id = ${id}`);
      return row ? toSession(row) : null;
    },
    async findByToken(tokenHash) {
      const [row] = await sessionRows(client, Prisma.sql`WHERE token_hash = ${writeBytes(tokenHash)}`);
      return row ? toSession(row) : null;
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
    async lock(workspaceId, id) {
      const locked = Prisma.sql`WHERE workspace_id = ${workspaceId} AND id = ${id} FOR NO KEY UPDATE`;
      const [row] = await sessionRows(client, locked);
      return row ? toSession(row) : null;
    },
    async extend(id, { connectionIds, expiresAt }) {
      const [row] = await client.connectSession.updateManyAndReturn({
        where: { id, status: 'pending' },
        data: { connectionIds: [...connectionIds], expiresAt },
      });
      return row ? toSession(row) : null;
    },
    async postponeExpiry(id, expiresAt) {
      await client.connectSession.updateMany({
        where: { id, status: 'pending', expiresAt: { lt: expiresAt } },
        data: { expiresAt },
      });
    },
    async end(id, { status, error, connectionIds }) {
      const [row] = await client.connectSession.updateManyAndReturn({
        where: { id, status: 'pending' },
        data: { status, error: writeNullableJson(error), connectionIds: [...connectionIds] },
      });
      return row ? toSession(row) : null;
    },
    async insertFlow({ stateHash, browserHash, sealedContext, deliveryHash, sealedDelivery, ...rest }) {
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
          deliveryHash: deliveryHash && writeBytes(deliveryHash),
          sealedDelivery: sealedDelivery && writeBytes(sealedDelivery),
        },
      });
    },
    async consumeFlow(stateHash, browserHash) {
      const [row] = await client.$queryRaw<FlowRow[]>`
        DELETE FROM connect_flows
        WHERE state_hash = ${writeBytes(stateHash)} AND browser_hash = ${writeBytes(browserHash)} AND expires_at > now()
        RETURNING ${FLOW_COLUMNS}`;
      return row ?? null;
    },
    async findFlowByKeyCallback(deliveryHash) {
      const [row] = await client.$queryRaw<FlowRow[]>`
        SELECT ${FLOW_COLUMNS} FROM connect_flows
        WHERE delivery_hash = ${writeBytes(deliveryHash)} AND sealed_delivery IS NULL AND expires_at > now()`;
      return row ?? null;
    },
    async storeKeyCallback(deliveryHash, sealedDelivery) {
      const updated = await client.$executeRaw`
        UPDATE connect_flows SET sealed_delivery = ${writeBytes(sealedDelivery)}
        WHERE delivery_hash = ${writeBytes(deliveryHash)} AND sealed_delivery IS NULL AND expires_at > now()`;
      return updated > 0;
    },
    async findChoice(workspaceId, sessionId, browserHash) {
      const [row] = await client.$queryRaw<ConnectChoiceModel[]>`
        SELECT ${CHOICE_COLUMNS} FROM connect_choices
        WHERE workspace_id = ${workspaceId} AND session_id = ${sessionId}
          AND browser_hash = ${writeBytes(browserHash)} AND expires_at > now()
        ORDER BY id DESC LIMIT 1`;
      return row ? toChoice(row) : null;
    },
    async insertChoice({ browserHash, sealedLogin, accounts, ...rest }) {
      const { workspaceId, sessionId } = rest;
      const browser = writeBytes(browserHash);
      await client.$executeRaw`
        UPDATE connect_choices SET expires_at = date_trunc('milliseconds', now())
        WHERE workspace_id = ${workspaceId} AND session_id = ${sessionId} AND browser_hash = ${browser}
          AND expires_at > now()`;
      await client.connectChoice.create({
        data: {
          ...rest,
          browserHash: browser,
          sealedLogin: writeBytes(sealedLogin),
          accounts: writeJson(accounts),
        },
      });
    },
    async consumeChoice(id) {
      const [row] = await client.$queryRaw<ConnectChoiceModel[]>`
        DELETE FROM connect_choices WHERE id = ${id} AND expires_at > clock_timestamp() RETURNING ${CHOICE_COLUMNS}`;
      return row ? toChoice(row) : null;
    },
    async abandonChoice(id) {
      const count = await client.$executeRaw`
        UPDATE connect_choices
        SET expires_at = LEAST(expires_at, date_trunc('milliseconds', clock_timestamp())) WHERE id = ${id}`;
      return count > 0;
    },
    async deleteChoice(id) {
      await client.connectChoice.deleteMany({ where: { id } });
    },
    async listAbandonedChoices(limit) {
      const rows = await client.$queryRaw<ConnectChoiceModel[]>`
        SELECT ${CHOICE_COLUMNS} FROM connect_choices c
        WHERE expires_at <= now() OR EXISTS (
          SELECT FROM connect_sessions s
          WHERE s.workspace_id = c.workspace_id AND s.id = c.session_id AND s.status <> 'pending')
        ORDER BY random() LIMIT ${limit}`;
      return rows.map(toChoice);
    },
  };
}

const CHOICE_COLUMNS = Prisma.sql`
  id, session_id AS "sessionId", workspace_id AS "workspaceId", platform, connect_method AS "connectMethod", browser_hash AS "browserHash",
  sealed_login AS "sealedLogin", accounts, account_server AS "accountServer", expires_at AS "expiresAt"`;

const toChoice = (row: ConnectChoiceModel) => readRow<ConnectChoice>(row);

const FLOW_COLUMNS = Prisma.sql`session_id AS "sessionId", workspace_id AS "workspaceId", platform, connect_method AS "connectMethod", state_hash AS "stateHash",
  browser_hash AS "browserHash", sealed_context AS "sealedContext", delivery_hash AS "deliveryHash",
  sealed_delivery AS "sealedDelivery", expires_at AS "expiresAt"`;

type FlowRow = { -readonly [Column in keyof ConnectFlow]: ConnectFlow[Column] };

const toSession = (row: ConnectSessionModel) => readRow<ConnectSession>(row);
