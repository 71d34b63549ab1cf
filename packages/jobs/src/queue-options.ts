import type { Job } from '@switchboard/domain';
import type { Queue } from 'pg-boss';

export type JobName = Job['name'];

/** How many are taken at a time, and by how many at once. */
interface BatchOptions {
  readonly batchSize: number;
  readonly localConcurrency: number;
}

/** One queue a kind of job. What is in a table is swept up anyway, so only `revoke_grant`, whose row is gone, is retried by the queue. */
export const queueOptions: Readonly<Record<JobName, Omit<Queue, 'name'> & BatchOptions>> = {
  deliver: {
    retryLimit: 0,
    expireInSeconds: 180,
    deleteAfterSeconds: 3600,
    // They only say that something is due: it is taken up elsewhere.
    batchSize: 250,
    localConcurrency: 1,
  },
  read_back_delivery: {
    retryLimit: 0,
    expireInSeconds: 180,
    deleteAfterSeconds: 3600,
    batchSize: 250,
    localConcurrency: 1,
  },
  fetch_media: {
    retryLimit: 0,
    expireInSeconds: 180,
    deleteAfterSeconds: 3600,
    batchSize: 250,
    localConcurrency: 1,
  },
  settle_refund: {
    retryLimit: 0,
    expireInSeconds: 180,
    deleteAfterSeconds: 3600,
    batchSize: 10,
    localConcurrency: 1,
  },
  take_snapshots: {
    retryLimit: 0,
    expireInSeconds: 180,
    deleteAfterSeconds: 3600,
    batchSize: 10,
    localConcurrency: 1,
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
  },
};

/** A scheduled post waits in the queue for two years at most. */
export const RETENTION_SECONDS = 3 * 366 * 86_400;

/** JSON has no bytes: a sealed credential travels as base64. */
export const encode = (job: Job): object =>
  job.name === 'revoke_grant' ? { ...job, sealed: Buffer.from(job.sealed).toString('base64') } : job;

export function decode<Name extends JobName>(name: Name, data: unknown): Extract<Job, { name: Name }> {
  const job = data as Extract<Job, { name: Name }> & { sealed?: string };
  return name === 'revoke_grant'
    ? { ...job, sealed: Uint8Array.from(Buffer.from(job.sealed ?? '', 'base64')) }
    : job;
}
