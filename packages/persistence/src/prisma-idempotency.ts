import type { Idempotency, IdempotencyScope } from '@switchboard/domain';
import { writeBytes, type Client } from './columns.js';

/** How long an answer is kept, in hours. */
export const KEPT_HOURS = 72;

interface KeyRow {
  readonly fingerprint: string;
  readonly leased: boolean;
  readonly status: number | null;
  readonly sealedBody: Uint8Array | null;
}

export function prismaIdempotency(client: Client): Idempotency {
  return {
    async claim(scope, fingerprint, leaseSeconds) {
      // Not the row's lock: waiting for another transaction's row would be waiting for its answer.
      const [turn] = await client.$queryRaw<{ ours: boolean }[]>`
        SELECT pg_try_advisory_xact_lock(hashtextextended(${lockName(scope)}, 0)) AS ours`;
      if (!turn?.ours) return { kind: 'in_progress', fingerprint: null };

      const { workspaceId, operation, lineage, key } = scope;
      const [row] = await client.$queryRaw<KeyRow[]>`
        SELECT fingerprint, coalesce(lease_until > now(), false) AS leased, status, sealed_body AS "sealedBody"
        FROM idempotency_keys
        WHERE workspace_id = ${workspaceId} AND operation = ${operation} AND lineage = ${lineage} AND key = ${key}
          AND created_at > now() - make_interval(hours => ${KEPT_HOURS})`;
      if (row?.status != null && row.sealedBody) {
        return {
          kind: 'answered',
          fingerprint: row.fingerprint,
          status: row.status,
          sealedBody: row.sealedBody,
        };
      }
      if (row && (row.leased || row.fingerprint !== fingerprint)) {
        return { kind: 'in_progress', fingerprint: row.fingerprint };
      }
      await client.$executeRaw`
        INSERT INTO idempotency_keys AS kept (workspace_id, operation, lineage, key, fingerprint, lease_until, created_at)
        VALUES (${workspaceId}, ${operation}, ${lineage}, ${key}, ${fingerprint}, now() + make_interval(secs => ${leaseSeconds}), now())
        ON CONFLICT (workspace_id, operation, lineage, key) DO UPDATE
        SET fingerprint = excluded.fingerprint, lease_until = excluded.lease_until, created_at = excluded.created_at,
          status = NULL, sealed_body = NULL`;
      return { kind: 'claimed' };
    },
    async answer(scope, status, sealedBody) {
      await client.idempotencyKey.updateMany({
        where: { ...named(scope), status: null },
        data: { status, sealedBody: writeBytes(sealedBody), leaseUntil: null },
      });
    },
    async amend(scope, status, sealedBody) {
      await client.idempotencyKey.updateMany({
        where: { ...named(scope), status: { not: null } },
        data: { status, sealedBody: writeBytes(sealedBody) },
      });
    },
    async release(scope) {
      await client.idempotencyKey.deleteMany({ where: { ...named(scope), status: null } });
    },
  };
}

const named = ({ workspaceId, operation, lineage, key }: IdempotencyScope) => ({
  workspaceId,
  operation,
  lineage,
  key,
});

const lockName = (scope: IdempotencyScope): string =>
  `idempotency ${JSON.stringify(Object.values(named(scope)))}`;
