import type { Scope } from '@switchboard/domain/access';
import type { AuthorizedClient, ClientEndReason, Invitation } from '@switchboard/domain/clients';
import type {
  AccessTokens,
  Clients,
  Invitations,
  OAuthRecord,
  OAuthRecords,
  StoredAccessToken,
} from '@switchboard/domain/ports';
import { toApiKey } from './api-key-row.js';
import { touchUsed, writeBytes, writeJson, type DatabaseClient, readRow } from './columns.js';
import { Prisma } from './generated/client.js';
import type {
  ApiKeyModel,
  AuthorizedClientModel,
  InvitationModel,
  OAuthRecordModel,
} from './generated/models.js';
import { afterCursor, newestFirst, toPage } from './keyset.js';

export function prismaInvitations(client: DatabaseClient): Invitations {
  return {
    async insert(invitation, codeDigest) {
      await client.invitation.create({ data: { ...invitation, codeDigest: writeBytes(codeDigest) } });
    },
    async findByCode(codeDigest) {
      const row = await client.invitation.findUnique({ where: { codeDigest: writeBytes(codeDigest) } });
      return row && toInvitation(row);
    },
    async find(id) {
      const row = await client.invitation.findUnique({ where: { id } });
      return row && toInvitation(row);
    },
    async use(id) {
      const used = await client.$executeRaw`
        UPDATE invitations SET uses = uses + 1 WHERE id = ${id} AND uses < max_clients AND expires_at > now()`;
      return used === 0 ? null : this.find(id);
    },
  };
}

export function prismaClients(client: DatabaseClient): Clients {
  const endWhere = async (where: Prisma.Sql, reason: ClientEndReason) => {
    const rows = await client.$queryRaw<AuthorizedClientModel[]>`
      UPDATE authorized_clients SET revoked_at = now(), end_reason = ${reason}
      WHERE ${where} AND revoked_at IS NULL RETURNING ${CLIENT_COLUMNS}`;
    for (const { workspaceId, id } of rows)
      await client.oAuthRecord.deleteMany({ where: { workspaceId, clientId: id } });
    return rows.map(toClient);
  };
  return {
    async find(workspaceId, id) {
      const row = await client.authorizedClient.findUnique({
        where: { workspaceId_id: { workspaceId, id } },
      });
      return row && toClient(row);
    },
    async findById(id) {
      const row = await client.authorizedClient.findUnique({ where: { id } });
      return row && toClient(row);
    },
    async list(workspaceId, lineage, page) {
      const rows = await client.authorizedClient.findMany({
        where: { workspaceId, lineage, ...afterCursor(page) },
        ...newestFirst(page),
      });
      return toPage(rows, page, toClient);
    },
    async insert({ scopes, ...rest }) {
      await client.authorizedClient.create({ data: { ...rest, scopes: [...scopes] } });
    },
    async end(workspaceId, id, reason) {
      const [ended] = await endWhere(Prisma.sql`workspace_id = ${workspaceId} AND id = ${id}`, reason);
      return ended ?? null;
    },
    endAll: (workspaceId, lineage, reason) =>
      endWhere(Prisma.sql`workspace_id = ${workspaceId} AND lineage = ${lineage}`, reason),
    touch: (uses) => touchUsed(client, Prisma.sql`authorized_clients`, uses),
  };
}

export function prismaAccessTokens(client: DatabaseClient): AccessTokens {
  const findAll: AccessTokens['findAll'] = async (digests) => {
    const records = await client.oAuthRecord.findMany({
      where: { kind: 'access_token', digest: { in: digests.map(writeBytes) } },
      include: { client: true },
    });
    if (records.length === 0) return digests.map(() => null);
    const keys = await client.apiKey.findMany({
      where: {
        replacedBy: null,
        OR: records.map(({ client: owner }) => ({
          workspaceId: owner?.workspaceId ?? '',
          lineage: owner?.lineage ?? '',
        })),
      },
    });
    const keyOf = ({ workspaceId, lineage }: AuthorizedClientModel) =>
      keys.find((key) => key.workspaceId === workspaceId && key.lineage === lineage);
    return digests.map((digest) => {
      const record = records.find((one) => Buffer.compare(one.digest, digest) === 0);
      const key = record?.client && keyOf(record.client);
      return record && key ? toAccessToken(record, key) : null;
    });
  };
  return { findAll, find: async (digest) => (await findAll([digest]))[0] ?? null };
}

type TokenRow = OAuthRecordModel & { readonly client: AuthorizedClientModel | null };

/** Null where a column of an access token is missing, which a constraint excludes. */
function toAccessToken(row: TokenRow, key: ApiKeyModel): StoredAccessToken | null {
  const { client, scopes, audience, expiresAt } = row;
  if (client === null || audience === null || expiresAt === null) return null;
  return { client: toClient(client), key: toApiKey(key), scopes: scopes as Scope[], audience, expiresAt };
}

export function prismaOAuthRecords(client: DatabaseClient): OAuthRecords {
  return {
    async find(kind, digest) {
      const row = await client.oAuthRecord.findUnique({
        where: { kind_digest: { kind, digest: writeBytes(digest) } },
      });
      return row && toRecord(row);
    },
    async store({ kind, digest, clientId, payload, token, expiresAt }) {
      const columns = {
        kind,
        digest: writeBytes(digest),
        clientId,
        payload: writeJson(payload),
        scopes: [...(token?.scopes ?? [])],
        audience: token?.audience ?? null,
        expiresAt,
      };
      const upsert = (workspaceId: string | null) =>
        client.oAuthRecord.upsert({
          where: { kind_digest: { kind, digest: columns.digest } },
          create: { ...columns, workspaceId },
          update: { ...columns, workspaceId, consumedAt: null },
        });
      if (clientId === null) {
        await upsert(null);
        return true;
      }
      // Locked until the transaction ends: the end of the access waits, and then deletes this record.
      const [owner] = await client.$queryRaw<{ workspaceId: string }[]>`
        SELECT workspace_id AS "workspaceId" FROM authorized_clients
        WHERE id = ${clientId} AND revoked_at IS NULL FOR SHARE`;
      if (!owner) return false;
      await upsert(owner.workspaceId);
      return true;
    },
    async consume(kind, digest) {
      const consumed = await client.$executeRaw`
        UPDATE oauth_records SET consumed_at = now()
        WHERE kind = ${kind} AND digest = ${writeBytes(digest)} AND consumed_at IS NULL`;
      return consumed > 0;
    },
    async delete(kind, digest) {
      await client.oAuthRecord.deleteMany({ where: { kind, digest: writeBytes(digest) } });
    },
  };
}

const CLIENT_COLUMNS = Prisma.sql`id, workspace_id AS "workspaceId", lineage, oauth_client_id AS "oauthClientId", name, host, scopes,
  created_at AS "createdAt", last_used_at AS "lastUsedAt", revoked_at AS "revokedAt", end_reason AS "endReason"`;

const toInvitation = ({ codeDigest: _, ...row }: InvitationModel) => readRow<Invitation>(row);

const toClient = (row: AuthorizedClientModel) => readRow<AuthorizedClient>(row);

const toRecord = ({
  workspaceId: _,
  createdAt: __,
  scopes,
  audience,
  ...row
}: OAuthRecordModel): OAuthRecord => ({
  ...readRow<Omit<OAuthRecord, 'token'>>(row),
  token: audience === null ? null : { scopes: scopes as Scope[], audience },
});
