import type { Idempotency, IdempotencyScope } from '@switchboard/domain/ports';
import { writeBytes, type DatabaseClient } from './columns.js';
import { Prisma } from './generated/client.js';

/** How long a response is kept, in hours. */
export const RETENTION_HOURS = 72;

/** Whether this call claimed the key, and its earlier record; null without one. */
interface KeyRow {
  readonly claimed: boolean;
  readonly fingerprint: string | null;
  readonly status: number | null;
  readonly sealedBody: Uint8Array | null;
}

export function prismaIdempotency(client: DatabaseClient): Idempotency {
  return {
    async claim(scope, fingerprint, leaseSeconds) {
      // An advisory lock, not the row lock: waiting for another transaction's row would mean waiting for its
      // response.
      const [lock] = await client.$queryRaw<{ acquired: boolean }[]>`
        SELECT pg_try_advisory_xact_lock(hashtextextended(${lockName(scope)}, 0)) AS acquired`;
      if (!lock?.acquired) return { kind: 'in_progress', fingerprint: null };

      const { workspaceId, operation, lineage, key } = scope;
      // A separate statement from the lock: it sees everything that was committed before it started.
      const [row] = await client.$queryRaw<[KeyRow]>`
        WITH existing AS (
          SELECT fingerprint, coalesce(lease_until > now(), false) AS leased, status, sealed_body
          FROM idempotency_keys
          WHERE workspace_id = ${workspaceId} AND operation = ${operation} AND lineage = ${lineage} AND key = ${key}
            AND created_at > now() - make_interval(hours => ${RETENTION_HOURS})
        ), claimed AS (
          INSERT INTO idempotency_keys (workspace_id, operation, lineage, key, fingerprint, lease_until, created_at)
          SELECT ${workspaceId}, ${operation}, ${lineage}, ${key}, ${fingerprint},
            now() + make_interval(secs => ${leaseSeconds}), now()
          WHERE NOT EXISTS (
            SELECT FROM existing
            WHERE leased OR fingerprint <> ${fingerprint} OR (status IS NOT NULL AND sealed_body IS NOT NULL)
          )
          ON CONFLICT (workspace_id, operation, lineage, key) DO UPDATE
          SET fingerprint = excluded.fingerprint, lease_until = excluded.lease_until, created_at = excluded.created_at,
            status = NULL, sealed_body = NULL
          RETURNING true
        )
        SELECT EXISTS (SELECT FROM claimed) AS claimed, fingerprint, status, sealed_body AS "sealedBody"
        FROM (VALUES (0)) AS one LEFT JOIN existing ON true`;
      if (row.claimed || row.fingerprint === null) return { kind: 'claimed' };
      const { fingerprint: storedFingerprint, status, sealedBody } = row;
      return status !== null && sealedBody
        ? { kind: 'answered', fingerprint: storedFingerprint, status, sealedBody }
        : { kind: 'in_progress', fingerprint: storedFingerprint };
    },
    async storeResponse(...kept) {
      await client.$executeRaw(storeResponseStatement(...kept));
    },
    async replaceResponse(scope, status, sealedBody) {
      await client.idempotencyKey.updateMany({
        where: { ...toKeyColumns(scope), status: { not: null } },
        data: { status, sealedBody: writeBytes(sealedBody) },
      });
    },
    async release(scope) {
      await client.idempotencyKey.deleteMany({ where: { ...toKeyColumns(scope), status: null } });
    },
  };
}

/** Stores the response of a key that has none yet. */
export const storeResponseStatement = (
  { workspaceId, operation, lineage, key }: IdempotencyScope,
  status: number,
  sealedBody: Uint8Array,
): Prisma.Sql => Prisma.sql`
  UPDATE idempotency_keys SET status = ${status}, sealed_body = ${writeBytes(sealedBody)}, lease_until = NULL
  WHERE workspace_id = ${workspaceId} AND operation = ${operation} AND lineage = ${lineage} AND key = ${key}
    AND status IS NULL`;

const toKeyColumns = ({ workspaceId, operation, lineage, key }: IdempotencyScope) => ({
  workspaceId,
  operation,
  lineage,
  key,
});

const lockName = (scope: IdempotencyScope): string =>
  `idempotency ${JSON.stringify(Object.values(toKeyColumns(scope)))}`;
