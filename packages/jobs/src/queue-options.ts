import type { Job } from '@switchboard/domain/ports';
import type { Queue } from 'pg-boss';

export type JobName = Job['name'];

interface BatchOptions {
  readonly batchSize: number;
  readonly localConcurrency: number;
  /** These jobs only signal that something is due; the sweep takes it up. */
  readonly isSignal: boolean;
}

/**
 * One queue per kind of job. Sweeps recover work that is in a table, so the queue retries only
 * `revoke_grant`, whose row is gone, and `read_order`, of which a webhook may not be sent again.
 */
export const queueOptions: Readonly<Record<JobName, Omit<Queue, 'name'> & BatchOptions>> = {
  deliver: {
    retryLimit: 0,
    expireInSeconds: 180,
    deleteAfterSeconds: 3600,
    batchSize: 250,
    localConcurrency: 1,
    isSignal: true,
  },
  fetch_media: {
    retryLimit: 0,
    expireInSeconds: 180,
    deleteAfterSeconds: 3600,
    batchSize: 250,
    localConcurrency: 1,
    isSignal: true,
  },
  settle_refund: {
    retryLimit: 0,
    expireInSeconds: 180,
    deleteAfterSeconds: 3600,
    batchSize: 10,
    localConcurrency: 1,
    isSignal: false,
  },
  revoke_grant: {
    retryLimit: 48,
    retryDelay: 30,
    retryBackoff: true,
    retryDelayMax: 3600,
    expireInSeconds: 180,
    deleteAfterSeconds: 1,
    batchSize: 1,
    localConcurrency: 1,
    isSignal: false,
  },
  // What it does not read is found by the next poll, so that it need not be retried for long.
  read_order: {
    // At most one waits for each order. One that has started does not count: it may have read the order already.
    policy: 'short',
    retryLimit: 5,
    retryDelay: 5,
    retryBackoff: true,
    retryDelayMax: 300,
    expireInSeconds: 120,
    deleteAfterSeconds: 1,
    batchSize: 1,
    localConcurrency: 4,
    isSignal: false,
  },
};

/** Work that is already waiting is not queued again; null: all is. */
export const singletonKeyOf = (job: Job): string | null =>
  job.name === 'read_order' ? `${job.connectionId} ${job.externalId}` : null;

/** JSON has no bytes: a sealed credential is encoded as base64. */
export const encode = (job: Job, traceparent: string | null): object => ({
  ...job,
  ...(job.name === 'revoke_grant' && { sealed: Buffer.from(job.sealed).toString('base64') }),
  ...(traceparent !== null && { traceparent }),
});

/** The trace that enqueued a job. */
export const traceparentOf = (data: object): string | null =>
  'traceparent' in data && typeof data.traceparent === 'string' ? data.traceparent : null;

export function decode<Name extends JobName>(name: Name, data: unknown): Extract<Job, { name: Name }> {
  const { traceparent: _, ...rest } = data as { readonly traceparent?: string };
  const job = rest as Extract<Job, { name: Name }> & { sealed?: string };
  return name === 'revoke_grant'
    ? { ...job, sealed: Uint8Array.from(Buffer.from(job.sealed ?? '', 'base64')) }
    : job;
}
