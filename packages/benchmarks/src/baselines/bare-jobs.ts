import { PgBoss } from 'pg-boss';

const AHEAD_MS = 2500;
const QUEUE = 'nothing';

/** A job queue with our settings, whose jobs do nothing. */
export async function bareJobs(databaseUrl: string) {
  const boss = new PgBoss({
    connectionString: databaseUrl,
    schema: 'bare_boss',
    max: 6,
    schedule: false,
    useListenNotify: true,
  });
  await boss.start();
  await boss.createQueue(QUEUE, { notify: true, retryLimit: 0 });
  const startTimes: number[] = [];
  await boss.work(
    QUEUE,
    {
      batchSize: 10,
      localConcurrency: 4,
      pollingIntervalSeconds: 0.5,
      notifyPollingIntervalSeconds: 0.5,
      burstWhenBatchFull: true,
    },
    async (jobs) => void startTimes.push(...jobs.map(() => Date.now())),
  );
  return {
    /** The start delays of so many jobs after their common scheduled time, in milliseconds. */
    async measureLateness(jobs: number): Promise<readonly number[]> {
      startTimes.length = 0;
      const dueMs = Date.now() + AHEAD_MS;
      const startAfter = new Date(dueMs);
      await boss.insert(
        QUEUE,
        Array.from({ length: jobs }, (_, index) => ({ data: { index }, startAfter })),
      );
      while (startTimes.length < jobs) await new Promise((resolve) => setTimeout(resolve, 20));
      return startTimes.map((atMs) => atMs - dueMs);
    },
    close: () => boss.stop({ graceful: false }),
  };
}
