import { PgBoss } from 'pg-boss';

const AHEAD_MS = 2500;
const WORKERS = 4;

/**
 * A job queue with our settings, whose jobs make one request each, so many (a multiple of four) at once. Each worker
 * takes at least two: pg-boss fetches without a pause only in batches.
 */
export async function bareJobs(databaseUrl: string, request: () => Promise<unknown>, atOnce = 40) {
  const workers = Math.min(WORKERS, atOnce / 2);
  const queue = `one_request_${atOnce}`;
  const boss = new PgBoss({
    connectionString: databaseUrl,
    schema: 'bare_boss',
    max: 6,
    schedule: false,
    useListenNotify: true,
  });
  await boss.start();
  await boss.createQueue(queue, { notify: true, retryLimit: 0 });
  const endTimes: number[] = [];
  const failures: unknown[] = [];
  await boss.work(
    queue,
    {
      batchSize: atOnce / workers,
      localConcurrency: workers,
      pollingIntervalSeconds: 0.5,
      notifyPollingIntervalSeconds: 0.5,
      burstWhenBatchFull: true,
    },
    async (jobs) => {
      await Promise.all(jobs.map(request)).catch((error: unknown) => failures.push(error));
      endTimes.push(...jobs.map(() => Date.now()));
    },
  );
  return {
    /** How long after their common scheduled time so many jobs had ended, in milliseconds. */
    async measureLateness(jobs: number): Promise<readonly number[]> {
      endTimes.length = 0;
      const dueMs = Date.now() + AHEAD_MS;
      const startAfter = new Date(dueMs);
      await boss.insert(
        queue,
        Array.from({ length: jobs }, (_, index) => ({ data: { index }, startAfter })),
      );
      while (endTimes.length < jobs) await new Promise((resolve) => setTimeout(resolve, 20));
      if (failures.length > 0) throw new AggregateError(failures, 'jobs have failed');
      return endTimes.map((atMs) => atMs - dueMs);
    },
    close: () => boss.stop({ graceful: false }),
  };
}
