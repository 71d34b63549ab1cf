import { decode, queueOptions, type JobName } from './queue-options.js';
import type { JobQueue } from './boss-queue.js';

/** A job of the queue as it is in a backup. */
export interface UnfinishedJob {
  readonly name: string;
  readonly data: unknown;
  readonly startAfter: string;
}

type Query = <Row extends object>(text: string, values?: unknown[]) => Promise<Row[]>;

const PAGE = 1000;

/** The jobs that have not ended, in pages: also those that a worker has started. */
export async function* readUnfinishedJobs(query: Query): AsyncGenerator<readonly UnfinishedJob[]> {
  const [queue] = await query<{ exists: boolean }>(`SELECT to_regclass('pgboss.job') IS NOT NULL AS exists`);
  if (!queue?.exists) return;
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const rows = await query<{ id: string; name: string; data: unknown; startAfter: Date }>(
      `SELECT id, name, data, start_after AS "startAfter" FROM pgboss.job
       WHERE state IN ('created', 'retry', 'active') AND id > $1 ORDER BY id LIMIT $2`,
      [after, PAGE],
    );
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
    yield rows.map(({ name, data, startAfter }) => ({ name, data, startAfter: startAfter.toISOString() }));
  }
}

/**
 * Writes jobs of a backup into the queue, in the transaction of `query`. Jobs of a kind that this version no longer
 * has are dropped: their tables say what is due.
 */
export async function writeUnfinishedJobs(
  queue: Pick<JobQueue, 'jobsIn'>,
  query: (text: string, values?: unknown[]) => Promise<readonly object[]>,
  jobs: readonly UnfinishedJob[],
): Promise<void> {
  const target = queue.jobsIn({
    $queryRawUnsafe: async <Row>(text: string, ...values: unknown[]) => (await query(text, values)) as Row,
  });
  for (const { name, data, startAfter } of jobs)
    if (isJobName(name)) await target.enqueue(decode(name, data), { startAfter: new Date(startAfter) });
}

const isJobName = (name: string): name is JobName => Object.hasOwn(queueOptions, name);
