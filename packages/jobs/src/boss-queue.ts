import type { Job, Jobs } from '@switchboard/domain/ports';
import { fromPrisma, PgBoss } from 'pg-boss';
import {
  decode,
  encode,
  singletonKeyOf,
  queueOptions,
  traceparentOf,
  type JobName,
} from './queue-options.js';

/** The interface of a Prisma transaction that pg-boss needs to write its job into it. */
interface TransactionLike {
  $queryRawUnsafe<Row = unknown>(query: string, ...values: unknown[]): Promise<Row>;
}

/**
 * The handler of each kind of job. Where the queue retries, an exception causes a retry; otherwise it is only
 * reported.
 */
export type JobHandlers = {
  readonly [Name in JobName]: (job: Extract<Job, { name: Name }>, stop: AbortSignal) => Promise<void>;
};

/** Runs a job as a part of the trace that enqueued it (W3C Trace Context). */
export type TraceJob = (
  name: JobName,
  traceparent: string | null,
  perform: () => Promise<void>,
) => Promise<void>;

interface QueueConnectionOptions {
  /** A direct connection: pg-boss needs session-level features. */
  readonly connectionString: string;
  readonly worker: boolean;
  /**
   * Connect with the first job, inside its transaction: for a command, which runs once and mostly enqueues none. A server
   * connects before it serves.
   */
  readonly isLazy?: boolean | undefined;
  /**
   * The interval for deleting finished jobs, which limits how long a sealed credential stays in the queue.
   */
  readonly housekeepingSeconds?: number | undefined;
  /** How often a worker looks for jobs of each kind, also when it is idle: each time is a statement. */
  readonly pollSeconds?: number | undefined;
  /** The trace that enqueues a job. */
  readonly currentTraceparent?: (() => string | null) | undefined;
  readonly onError: (error: unknown) => void;
}

const jobNames = Object.keys(queueOptions) as JobName[];

/**
 * The queue on pg-boss, in the schema `pgboss` of the same database, so that a job and its change commit
 * together.
 */
export async function openQueue({
  connectionString,
  worker,
  isLazy = false,
  housekeepingSeconds = 60,
  pollSeconds = 5,
  currentTraceparent = () => null,
  onError,
}: QueueConnectionOptions) {
  const boss = new PgBoss({
    connectionString,
    schema: 'pgboss',
    application_name: 'switchboard jobs',
    max: worker ? 6 : 2,
    supervise: worker,
    schedule: false,
    // Not pg-boss's listener: closing it while the database shuts down ends the process (seen with 12.30.0).
    useListenNotify: false,
    superviseIntervalSeconds: housekeepingSeconds,
    maintenanceIntervalSeconds: housekeepingSeconds,
    monitorIntervalSeconds: 15,
  });
  boss.on('error', onError);
  let opening: Promise<void> | null = null;
  /** Creates or updates the schema of pg-boss. A later call tries again what has failed. */
  const open = () =>
    (opening ??= boss
      .start()
      .then(() => createQueues(boss))
      .catch(async (error: unknown) => {
        opening = null;
        await boss.stop({ graceful: false }).catch(onError);
        throw error;
      }));
  if (!isLazy) await open();
  const stopping = new AbortController();
  const workers = new Map<JobName, string>();

  return {
    /** Jobs written in the transaction `tx`: they exist if and only if it commits. */
    jobsIn: (tx: TransactionLike): Jobs => ({
      async enqueue(job, when) {
        await open();
        const db = fromPrisma(tx);
        const startAfter = when?.startAfter;
        const singletonKey = singletonKeyOf(job);
        await boss.send(job.name, encode(job, currentTraceparent()), {
          db,
          ...(singletonKey !== null && { singletonKey }),
          ...(startAfter && { startAfter: startAfter.toISOString() }),
        });
      },
    }),

    /** Starts to process jobs. `stop` aborts running jobs when the worker shuts down. */
    async work(handlers: JobHandlers, trace: TraceJob = (_name, _traceparent, perform) => perform()) {
      for (const name of jobNames)
        workers.set(
          name,
          await workQueue(boss, name, handlers, { pollSeconds, stop: stopping.signal, trace, onError }),
        );
    },

    /** Fetches jobs of this kind now, if this process works on them, and not at the next poll. */
    wake(name: JobName) {
      const worker = workers.get(name);
      if (worker !== undefined) boss.notifyWorker(worker);
    },

    /** The number of waiting jobs of each kind. */
    async depth(): Promise<ReadonlyMap<JobName, number>> {
      await open();
      const found = await boss.getQueues(jobNames);
      return new Map(found.map((queue) => [queue.name as JobName, queue.queuedCount]));
    },

    /** Waits for running jobs for at most `graceMs`, then aborts them. */
    async stop(graceMs: number) {
      await opening?.catch(() => undefined);
      const abort = setTimeout(() => stopping.abort(), Math.max(0, graceMs - 500));
      await boss.stop({ graceful: true, timeout: Math.max(1000, graceMs) });
      clearTimeout(abort);
      stopping.abort();
    },
  };
}

export type JobQueue = Awaited<ReturnType<typeof openQueue>>;

async function createQueues(boss: PgBoss): Promise<void> {
  const existing = new Set((await boss.getQueues(jobNames)).map((queue) => queue.name));
  for (const name of jobNames) {
    const { localConcurrency: _, batchSize: __, isSignal: ___, ...options } = queueOptions[name];
    if (!existing.has(name)) await boss.createQueue(name, options);
  }
}

async function workQueue<Name extends JobName>(
  boss: PgBoss,
  name: Name,
  handlers: JobHandlers,
  {
    pollSeconds,
    stop,
    trace,
    onError,
  }: {
    readonly pollSeconds: number;
    readonly stop: AbortSignal;
    readonly trace: TraceJob;
    readonly onError: (error: unknown) => void;
  },
): Promise<string> {
  const options = {
    batchSize: queueOptions[name].batchSize,
    localConcurrency: queueOptions[name].localConcurrency,
    pollingIntervalSeconds: pollSeconds,
    burstWhenBatchFull: true,
  };
  const perform = (data: object) => {
    const handle = () => handlers[name](decode(name, data), stop);
    // The others only signal that rows are due, which have traces of their own.
    return queueOptions[name].isSignal ? handle() : trace(name, traceparentOf(data), handle);
  };
  return boss.work<object>(name, options, async (jobs) => {
    const results = await Promise.allSettled(jobs.map((job) => perform(job.data)));
    const failed = results.filter((result) => result.status === 'rejected');
    for (const { reason } of failed) onError(reason);
    if (failed.length > 0) throw new Error(`${failed.length} of ${jobs.length} ${name} jobs failed`);
  });
}
