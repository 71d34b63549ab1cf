import type { ConnectionId, WorkspaceId } from '@switchboard/domain';
import type { RefreshReceipt, SealedCredential } from '@switchboard/domain/connections';
import { doubtfulCauses } from '@switchboard/domain/pauses';
import type { Credentials, CredentialKey, DueCredential } from '@switchboard/domain/ports';
import { batchFinds } from './batch-finds.js';
import { writeBytes, type DatabaseClient, readRow } from './columns.js';
import { Prisma } from './generated/client.js';
import type { CredentialModel, RefreshReceiptModel } from './generated/models.js';
import { rowsOf } from './model-columns.js';
import { WriteConflictError } from './write-conflict-error.js';
import { isOneOf } from './query-runner.js';

const isLeaseFree = Prisma.sql`(c.lease_until IS NULL OR c.lease_until <= now())`;
const isPastBackoff = Prisma.sql`(c.next_attempt_at IS NULL OR c.next_attempt_at <= now())`;
/**
 * The process that started the attempt may still report its outcome: releasing a lease clears `lease_until`.
 */
const isRenewalPending = Prisma.sql`
  (c.attempt IS NOT NULL AND c.lease_until IS NOT NULL AND now() < c.access_expires_at - renewal_lead(c.access_expires_at, c.renewed_at) / 2)`;

/** Evaluated once, and before any row: see `RenewalClaim`. */
const isHeld = Prisma.sql`EXISTS (SELECT FROM installation WHERE pause ->> 'cause' = ANY (${doubtfulCauses}::text[]))`;

const credentialRows = rowsOf<CredentialModel>('credentials', Prisma.CredentialScalarFieldEnum);

export function prismaCredentials(client: DatabaseClient): Credentials {
  return {
    find: batchFinds(async (workspaceId, ids: readonly ConnectionId[]) => {
      const rows = await credentialRows(
        client,
        Prisma.sql`WHERE workspace_id = ${workspaceId} AND ${isOneOf('connection_id', ids)}`,
      );
      return new Map(rows.map((row) => [row.connectionId, toSealedCredential(row)]));
    }),
    listDue: (platforms, limit) => client.$queryRaw<DueCredential[]>`
      SELECT c.workspace_id AS "workspaceId", c.connection_id AS "connectionId", c.generation
      FROM credentials c JOIN connections n ON n.workspace_id = c.workspace_id AND n.id = c.connection_id
      WHERE c.renew_at <= now() AND n.platform = ANY (${[...platforms]}) AND ${isLeaseFree} AND ${isRenewalPending} IS NOT TRUE
        AND NOT ${isHeld}
      ORDER BY c.renew_at
      LIMIT ${limit}`,
    listUnsettled: (ageSeconds, limit) => client.$queryRaw<CredentialKey[]>`
      SELECT DISTINCT r.workspace_id AS "workspaceId", r.connection_id AS "connectionId"
      FROM refresh_receipts r LEFT JOIN credentials c ON c.connection_id = r.connection_id
      WHERE r.received_at <= now() - make_interval(secs => ${ageSeconds}) AND (c.connection_id IS NULL OR c.generation = r.generation - 1)
      LIMIT ${limit}`,
    async insert({ sealed, ...rest }) {
      await client.credential.create({
        data: { ...rest, grantedAs: rest.generation, sealed: writeBytes(sealed) },
      });
    },
    async claim({ connectionId, generation, attempt, leaseSeconds, isTokenRejected }) {
      const [row] = await client.$queryRaw<{ fence: number; isOutcomeUnknown: boolean; failures: number }[]>`
        UPDATE credentials c
        SET fence = c.fence + 1, lease_until = now() + make_interval(secs => ${leaseSeconds}), attempt = ${attempt}
        FROM (SELECT connection_id, attempt FROM credentials WHERE connection_id = ${connectionId} FOR UPDATE) AS before
        WHERE c.connection_id = before.connection_id AND c.generation = ${generation} AND ${isLeaseFree} AND ${isPastBackoff}
          AND (${isTokenRejected} OR ${isRenewalPending} IS NOT TRUE) AND NOT ${isHeld}
        RETURNING c.fence, before.attempt IS NOT NULL AS "isOutcomeUnknown", c.failures`;
      if (row) return { kind: 'claimed', ...row };
      const [refused] = await client.$queryRaw<{ isHeld: boolean; retryAfterSeconds: number | null }[]>`
        SELECT ${isHeld} AS "isHeld", (
          SELECT ceil(extract(epoch FROM c.next_attempt_at - now()))::int FROM credentials c
          WHERE c.connection_id = ${connectionId} AND c.generation = ${generation} AND NOT ${isPastBackoff}) AS "retryAfterSeconds"`;
      if (refused?.isHeld) return { kind: 'held' };
      const retryAfterSeconds = refused?.retryAfterSeconds ?? null;
      return retryAfterSeconds === null ? { kind: 'busy' } : { kind: 'backing_off', retryAfterSeconds };
    },
    async extendLease(connectionId, fence, leaseSeconds) {
      const count = await client.$executeRaw`
        UPDATE credentials SET lease_until = now() + make_interval(secs => ${leaseSeconds})
        WHERE connection_id = ${connectionId} AND fence = ${fence} AND lease_until IS NOT NULL`;
      return count === 1;
    },
    async release(connectionId, fence, { backoffSeconds, isOutcomeUnknown }) {
      await client.$executeRaw`
        UPDATE credentials
        SET lease_until = NULL, attempt = CASE WHEN ${isOutcomeUnknown} THEN attempt END,
          failures = CASE WHEN ${backoffSeconds}::float8 IS NULL THEN failures ELSE failures + 1 END,
          next_attempt_at = now() + make_interval(secs => ${backoffSeconds}::float8)
        WHERE connection_id = ${connectionId} AND fence = ${fence}`;
    },
    async storeReceipt({ sealed, permissions, ...rest }) {
      const data = { ...rest, sealed: writeBytes(sealed), permissions: [...permissions] };
      await client.refreshReceipt.createMany({ data, skipDuplicates: true });
    },
    async applyReceipt(workspaceId, connectionId) {
      const [row] = await client.$queryRaw<{ attempt: string }[]>`
        WITH newest AS (
          SELECT r.* FROM refresh_receipts r JOIN credentials c ON c.connection_id = r.connection_id
          WHERE r.workspace_id = ${workspaceId} AND r.connection_id = ${connectionId} AND c.generation = r.generation - 1
          ORDER BY r.received_at DESC, r.attempt DESC
          LIMIT 1
        )
        UPDATE credentials c
        SET generation = newest.generation, sealed = newest.sealed, access_expires_at = newest.access_expires_at,
          renewed_at = newest.received_at, lease_until = NULL, attempt = NULL, failures = 0, next_attempt_at = NULL
        FROM newest
        WHERE c.connection_id = newest.connection_id AND c.generation = newest.generation - 1
        RETURNING newest.attempt`;
      if (!row) return null;
      const applied = await client.refreshReceipt.delete({ where: { attempt: row.attempt } });
      await client.refreshReceipt.deleteMany({
        where: { workspaceId, connectionId, generation: { lt: applied.generation } },
      });
      return toRefreshReceipt(applied);
    },
    async deleteSpareReceipt(workspaceId, connectionId, generation) {
      const [row] = await client.$queryRaw<{ attempt: string }[]>`
        SELECT r.attempt FROM refresh_receipts r JOIN credentials c ON c.connection_id = r.connection_id
        WHERE r.workspace_id = ${workspaceId} AND r.connection_id = ${connectionId} AND r.generation = ${generation}
          AND r.generation > c.granted_as
        ORDER BY r.received_at DESC
        LIMIT 1`;
      return row ? toRefreshReceipt(await client.refreshReceipt.delete({ where: row })) : null;
    },
    async deleteReceipts(workspaceId, connectionId) {
      const where = { workspaceId, connectionId };
      const rows = await client.refreshReceipt.findMany({ where, orderBy: { receivedAt: 'desc' } });
      await client.refreshReceipt.deleteMany({
        where: { attempt: { in: rows.map(({ attempt }) => attempt) } },
      });
      return rows.map(toRefreshReceipt);
    },
    async replace({ connectionId, workspaceId, generation, sealed, accessExpiresAt }) {
      // Increments the fence, so that a process that was renewing the old grant cannot release a lease on the
      // new one.
      const count = await client.$executeRaw`
        UPDATE credentials
        SET generation = ${generation}, sealed = ${writeBytes(sealed)}, access_expires_at = ${accessExpiresAt},
          granted_as = ${generation}, renewed_at = now(), fence = fence + 1, lease_until = NULL, attempt = NULL, failures = 0,
          next_attempt_at = NULL
        WHERE connection_id = ${connectionId} AND workspace_id = ${workspaceId} AND generation = ${generation - 1}`;
      if (count !== 1) throw new WriteConflictError('the credential was replaced concurrently');
      await client.refreshReceipt.deleteMany({ where: { workspaceId, connectionId } });
    },
  };
}

const toSealedCredential = (row: CredentialModel): SealedCredential => ({
  connectionId: row.connectionId as ConnectionId,
  workspaceId: row.workspaceId as WorkspaceId,
  generation: row.generation,
  sealed: row.sealed,
  accessExpiresAt: row.accessExpiresAt,
});

const toRefreshReceipt = ({ receivedAt: _, ...row }: RefreshReceiptModel) => readRow<RefreshReceipt>(row);
