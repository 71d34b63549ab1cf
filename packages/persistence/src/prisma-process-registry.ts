import type { ProcessRegistry, RegisteredProcess } from '@switchboard/domain/ports';
import type { DatabaseClient } from './columns.js';
import type { PrismaClient } from './generated/client.js';
import type { KeyHolderModel } from './generated/models.js';
import { ownerOf } from './data-key-row.js';
import { rewrap } from './prisma-data-keys.js';

const LIVENESS_SECONDS = 30;
/** Limits how long rows of stopped processes are kept. */
const RETENTION_HOURS = 24;
const ROTATION_LOCK = 727_003;

export function prismaProcessRegistry(prisma: PrismaClient): ProcessRegistry {
  return {
    // One statement each: every process runs it every few seconds.
    async register({ id, app, host, pid, masterKeyIds, startedAt, adapterFaults = [] }) {
      await prisma.$executeRaw`
        INSERT INTO key_holders (id, app, host, pid, master_key_ids, started_at, seen_at, adapter_faults)
        SELECT ${id}, ${app}, ${host}, ${pid}::int, ${[...masterKeyIds]}::text[], ${startedAt}::timestamptz, clock_timestamp(), ${JSON.stringify(adapterFaults)}::jsonb
        FROM (SELECT pg_advisory_xact_lock_shared(${ROTATION_LOCK})::text AS turn) t WHERE t.turn IS NOT NULL
        ON CONFLICT (id) DO UPDATE SET master_key_ids = excluded.master_key_ids, seen_at = excluded.seen_at,
          adapter_faults = excluded.adapter_faults`;
    },
    async deregister(id) {
      await prisma.$executeRaw`
        DELETE FROM key_holders WHERE id = ${id} OR seen_at < now() - make_interval(hours => ${RETENTION_HOURS})`;
    },
    list: () => listLiveProcesses(prisma),
    beginRotation: (change) =>
      prisma.$transaction(async (client) => {
        await client.$queryRaw`SELECT pg_advisory_xact_lock(${ROTATION_LOCK})::text`;
        const processes = (await listLiveProcesses(client)).filter(
          ({ masterKeyIds }) => !masterKeyIds.includes(change.after.masterKeyId),
        );
        if (processes.length > 0) return { kind: 'missing_key', processes };
        // Creating a workspace does not wait; a rotation waits for it.
        await client.$queryRaw`SELECT FROM data_keys WHERE owner = ${ownerOf(null)} FOR UPDATE`;
        return { kind: (await rewrap(client, [change])) === 1 ? 'started' : 'conflict' };
      }),
  };
}

type ProcessRow = Omit<KeyHolderModel, 'adapterFaults'> & Pick<RegisteredProcess, 'adapterFaults'>;

const listLiveProcesses = (client: DatabaseClient): Promise<ProcessRow[]> => client.$queryRaw`
  SELECT id, app, host, pid, master_key_ids AS "masterKeyIds", started_at AS "startedAt", seen_at AS "seenAt",
    adapter_faults AS "adapterFaults"
  FROM key_holders WHERE seen_at > clock_timestamp() - make_interval(secs => ${LIVENESS_SECONDS})
  ORDER BY started_at, id`;
