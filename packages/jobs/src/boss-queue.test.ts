import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { MediaId, WorkspaceId } from '@switchboard/domain';
import type { Job } from '@switchboard/domain/ports';
import { openDatabase, type Database } from '@switchboard/persistence';
import { testDatabase } from '@switchboard/persistence/testing';
import { openQueue, type JobHandlers, type JobQueue } from './boss-queue.js';

const workspaceId = 'wsp_1' as WorkspaceId;
const fetching = (name: string): Job => ({ name: 'fetch_media', workspaceId, mediaId: name as MediaId });
const sealed = Uint8Array.from({ length: 256 }, (_, byte) => byte);
const grant: Job = {
  name: 'revoke_grant',
  workspaceId,
  connectionId: 'con_1' as never,
  profileId: 'prf_1' as never,
  platform: 'bluesky',
  connectMethod: 'oauth',
  server: null,
  generation: 3,
  sealed,
};

const reading = (externalId: string): Job => ({
  name: 'read_order',
  workspaceId,
  connectionId: 'con_1' as never,
  externalId,
});

let url: string;
let database: Database;
beforeAll(async () => {
  url = await testDatabase('queue');
  database = openDatabase(url, { max: 4 });
  const { queue } = await opened(false);
  await queue.stop(0);
});
afterAll(() => database.close());

/** Opens a queue that the database sees as a separate process. */
async function opened(worker = true, pollSeconds = 0.5, isLazy = false) {
  const errors: unknown[] = [];
  const queue = await openQueue({
    connectionString: url,
    worker,
    isLazy,
    housekeepingSeconds: 1,
    pollSeconds,
    onError: (error) => errors.push(error),
  });
  const stop = queue.stop.bind(queue);
  let stopped: Promise<void> | undefined;
  queues.push(() => (stopped ??= stop(0)));
  return { queue: { ...queue, stop: (graceMs: number) => (stopped ??= stop(graceMs)) }, errors };
}

/** A failed test must not leave a worker that takes the jobs of the next test. */
const queues: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(queues.splice(0).map((stop) => stop()));
});

const enqueue = (queue: JobQueue, job: Job, startAfter?: Date) =>
  database.prisma.$transaction((tx) => queue.jobsIn(tx).enqueue(job, { startAfter }));

interface Row {
  readonly name: string;
  readonly state: string;
  readonly retry_count: number;
}
const rows = () =>
  database.prisma.$queryRawUnsafe<Row[]>(
    'SELECT name, state::text, retry_count FROM pgboss.job ORDER BY created_on',
  );

/** Handlers that record their jobs; `over` replaces some of them. */
function noting(over: Partial<JobHandlers> = {}) {
  const seen: Job[] = [];
  const note = async (job: Job) => void seen.push(job);
  const handlers: JobHandlers = {
    deliver: note,
    fetch_media: note,
    settle_refund: note,
    revoke_grant: note,
    read_order: note,
    ...over,
  };
  return { seen, handlers };
}

/** Polls without a deadline, for slow machines. */
async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await what())) await new Promise((resolve) => setTimeout(resolve, 20));
}

beforeEach(async () => {
  await database.prisma.$executeRawUnsafe('DELETE FROM pgboss.job');
});

describe('a job', () => {
  test('exists when its transaction commits, and never existed when it rolls back', async () => {
    const { queue } = await opened(false);
    const undone = database.prisma.$transaction(async (tx) => {
      await queue.jobsIn(tx).enqueue(fetching('undone'));
      throw new Error('after all not');
    });
    await expect(undone).rejects.toThrow('after all not');
    expect(await rows()).toEqual([]);
    await database.prisma.$transaction(async (tx) => {
      await queue.jobsIn(tx).enqueue(fetching('done'));
      expect(await rows()).toEqual([]);
    });
    expect(await rows()).toMatchObject([{ name: 'fetch_media', state: 'created' }]);
  });

  test('reaches the worker of another process, unmodified', async () => {
    const [sender, worker] = [await opened(false), await opened()];
    const { seen, handlers } = noting();
    await worker.queue.work(handlers);
    const jobs: Job[] = [
      fetching('dlv_1'),
      { name: 'deliver', workspaceId },
      { name: 'settle_refund', workspaceId, refundId: 'rfd_1' as never },
      reading('4711'),
      grant,
    ];
    for (const job of jobs) await enqueue(sender.queue, job);
    await until(() => seen.length === jobs.length);
    const byName = (a: Job, b: Job) => (a.name < b.name ? -1 : 1);
    expect([...seen].sort(byName)).toEqual([...jobs].sort(byName));
    expect([sender.errors, worker.errors]).toEqual([[], []]);
  });

  test('is fetched at once by a worker that is woken for its kind', async () => {
    const { queue } = await opened(true, 3600);
    const { seen, handlers } = noting();
    await queue.work(handlers);
    for (const count of [1, 2]) {
      await enqueue(queue, fetching(`dlv_${count}`));
      queue.wake('fetch_media');
      // The poll at the start may find the first one; the next is in an hour.
      await until(() => seen.length === count);
    }
  });

  test('waits until it is due', async () => {
    const { queue } = await opened();
    const { seen, handlers } = noting();
    await queue.work(handlers);
    const time = Date.now() + 1500;
    await enqueue(queue, fetching('in an hour'), new Date(time + 3_600_000));
    await enqueue(queue, fetching('later'), new Date(time));
    await enqueue(queue, fetching('now'));
    await until(() => seen.length === 2);
    expect(seen).toEqual([fetching('now'), fetching('later')]);
    // The database claims a job by its own clock.
    const claimed = await database.prisma.$queryRaw<{ in_time: boolean }[]>`
      SELECT started_on >= start_after AS in_time FROM pgboss.job WHERE started_on IS NOT NULL`;
    expect(claimed).toEqual([{ in_time: true }, { in_time: true }]);
    // Later polls find the jobs that are due by then.
    await enqueue(queue, fetching('last'));
    await until(() => seen.length === 3);
    expect(seen[2]).toEqual(fetching('last'));
    expect((await rows()).filter(({ state }) => state === 'created')).toHaveLength(1);
  });

  test('is delivered to one of two workers', async () => {
    const workers = [await opened(), await opened()];
    const { seen, handlers } = noting();
    for (const { queue } of workers) await queue.work(handlers);
    const sent = Array.from({ length: 60 }, (_, at) => fetching(`dlv_${at}`));
    await database.prisma.$transaction(async (tx) => {
      for (const job of sent) await workers[0]?.queue.jobsIn(tx).enqueue(job);
    });
    await until(() => seen.length >= sent.length);
    await new Promise((resolve) => setTimeout(resolve, 600));
    const names = (jobs: readonly Job[]) =>
      jobs.map((job) => ('mediaId' in job ? job.mediaId : job.name)).sort();
    expect(names(seen)).toEqual(names(sent));
  });
});

describe('a job that fails', () => {
  const failing = (count: number) => {
    let left = count;
    return async () => {
      if (left-- > 0) throw new Error('the platform is unavailable');
    };
  };

  test('is reported and left to the sweep of the tables, without a retry by the queue', async () => {
    const { queue, errors } = await opened();
    const { handlers } = noting({ fetch_media: failing(1) });
    await queue.work(handlers);
    await enqueue(queue, fetching('dlv_1'));
    await until(async () => (await rows())[0]?.state === 'failed');
    expect(errors).toMatchObject([{ message: 'the platform is unavailable' }]);
  });

  test('does not prevent the other jobs of its batch', async () => {
    const { queue } = await opened();
    const { seen, handlers } = noting();
    const fetch_media: JobHandlers['fetch_media'] = async (job) => {
      if (job.mediaId === ('bad' as MediaId)) throw new Error('no');
      seen.push(job);
    };
    await database.prisma.$transaction(async (tx) => {
      for (const name of ['one', 'bad', 'two']) await queue.jobsIn(tx).enqueue(fetching(name));
    });
    await queue.work({ ...handlers, fetch_media });
    await until(() => seen.length === 2);
  });

  test('is retried when it revokes a grant, whose row is gone, with its bytes unchanged', async () => {
    const { queue } = await opened();
    const fail = failing(2);
    const { seen, handlers } = noting();
    const revoke_grant: JobHandlers['revoke_grant'] = async (job) => {
      await fail();
      seen.push(job);
    };
    await queue.work({ ...handlers, revoke_grant });
    await enqueue(queue, grant);
    for (const failures of [1, 2]) {
      await until(async () => {
        const [row] = await rows();
        return row?.state === 'retry' && row.retry_count === failures - 1;
      });
      const waits = await database.prisma.$queryRawUnsafe<{ seconds: number }[]>(
        'SELECT extract(epoch FROM start_after - now())::int AS seconds FROM pgboss.job',
      );
      expect(waits[0]?.seconds).toBeGreaterThan(10 * failures);
      await database.prisma.$executeRawUnsafe('UPDATE pgboss.job SET start_after = now()');
    }
    await until(() => seen.length === 1);
    expect(seen).toEqual([grant]);
  });
});

test('an order waits once to be read, also after a reading that has started', async () => {
  const { queue } = await opened();
  const seen: string[] = [];
  let finish = () => {};
  const running = new Promise<void>((resolve) => (finish = resolve));
  const { handlers } = noting({
    read_order: async ({ externalId }) => {
      seen.push(externalId);
      if (seen.length === 1) await running;
    },
  });
  await queue.work(handlers);
  await enqueue(queue, reading('4711'));
  await until(() => seen.length === 1);
  await queue.stop(0);
  for (const id of ['4711', '4711', '4712', '4711']) await enqueue(queue, reading(id));
  const waiting = (await rows()).filter(({ state }) => state === 'created');
  expect(waiting).toHaveLength(2);
  finish();
});

test('a sealed credential is removed from the queue when its job is done', async () => {
  const { queue } = await opened();
  const { seen, handlers } = noting();
  await queue.work(handlers);
  await enqueue(queue, grant);
  await until(() => seen.length === 1);
  await until(async () => (await rows()).length === 0);
});

test('the depth counts waiting jobs, by kind', async () => {
  const { queue } = await opened();
  expect([...(await queue.depth()).keys()].sort()).toEqual([
    'deliver',
    'fetch_media',
    'read_order',
    'revoke_grant',
    'settle_refund',
  ]);
});

describe('stopping', () => {
  test('waits for running jobs, and takes no new ones', async () => {
    const { queue } = await opened();
    let finish = () => {};
    const running = new Promise<void>((resolve) => (finish = resolve));
    const begun: string[] = [];
    let ended = false;
    const { handlers } = noting({
      fetch_media: async ({ mediaId }, stop) => {
        begun.push(mediaId);
        await running;
        ended = !stop.aborted;
      },
    });
    await queue.work(handlers);
    await enqueue(queue, fetching('running'));
    await until(() => begun.length === 1);
    const stopped = queue.stop(600_000);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await enqueue(queue, fetching('too late'));
    setTimeout(finish, 700);
    await stopped;
    expect([begun, ended]).toEqual([['running'], true]);
    const states = (await rows()).map(({ state }) => state);
    expect(states).toEqual(['completed', 'created']);
  });

  test('aborts jobs that take longer, and does not wait for them forever', async () => {
    const { queue } = await opened();
    let gaveUp = false;
    let begun = false;
    const { handlers } = noting({
      fetch_media: (_job, stop) => {
        begun = true;
        return new Promise((resolve) => {
          stop.addEventListener('abort', () => {
            gaveUp = true;
            resolve();
          });
        });
      },
    });
    await queue.work(handlers);
    await enqueue(queue, fetching('slow'));
    await until(() => begun);
    // The job ends only when it is aborted.
    await queue.stop(1500);
    expect(gaveUp).toBe(true);
  });
});

test('a lazy queue connects with its first job', async () => {
  const { queue } = await opened(false, 0.5, true);
  const connections = async () => {
    const [found] = await database.prisma.$queryRawUnsafe<{ count: number }[]>(
      "SELECT count(*)::int FROM pg_stat_activity WHERE application_name = 'switchboard jobs' AND datname = current_database()",
    );
    return found?.count;
  };
  await until(async () => (await connections()) === 0);
  await enqueue(queue, fetching('first'));
  expect(await connections()).toBeGreaterThan(0);
  await queue.stop(0);
  await until(async () => (await connections()) === 0);
});

test('a lazy queue that could not be opened is opened by a later call', async () => {
  const name = `${new URL(url).pathname.slice(1)}_late`;
  const late = new URL(url);
  late.pathname = name;
  const queue = await openQueue({
    connectionString: late.href,
    worker: false,
    isLazy: true,
    onError: () => undefined,
  });
  queues.push(() => queue.stop(0));
  await expect(queue.depth()).rejects.toThrow(`database "${name}" does not exist`);
  await database.prisma.$executeRawUnsafe(`CREATE DATABASE "${name}" TEMPLATE template0`);
  expect([...(await queue.depth()).values()].every((waiting) => waiting === 0)).toBe(true);
});

test('a worker survives a database that closes every connection, and continues after it recovers', async () => {
  const { queue } = await opened();
  const { seen, handlers } = noting();
  await queue.work(handlers);
  const end = () =>
    database.prisma.$executeRawUnsafe(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'switchboard jobs' AND datname = current_database()",
    );
  // Twice, since a discarded client may still emit an error.
  await end();
  await end();
  await enqueue(queue, fetching('after')).catch(() => enqueue(queue, fetching('after')));
  await until(() => seen.length > 0);
  expect(seen).toContainEqual(fetching('after'));
});
