import { afterAll } from '@jest/globals';
import { countedIds, storageContract, type StorageHarness } from '@switchboard/domain/testing';
import type { Clock, Job, Jobs } from '@switchboard/domain/ports';
import {
  openDatabase,
  type DatabaseClient,
  type Database,
  prismaCanaries,
  prismaProcessRegistry,
  prismaMediaStores,
  prismaRepositories,
  prismaTransactions,
} from './index.js';
import { testDatabase } from './testing.js';

const clock: Clock = {
  now: () => new Date(),
  after: (ms) => new Date(Date.now() + ms),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/** Jobs as rows: they commit and roll back with everything else, as those of the real queue do. */
const jobsIn = (client: DatabaseClient): Jobs => ({
  async enqueue(job: Job) {
    await client.$executeRaw`INSERT INTO test_jobs (workspace_id, name) VALUES (${job.workspaceId}, ${job.name})`;
  },
});

/** The storage of a group of tests, and those that one of its tests creates in addition. */
const IN_USE_MAX = 4;
const opened: Database[] = [];
afterAll(() => Promise.all(opened.slice(-IN_USE_MAX).map((database) => database.close())));

storageContract(async (): Promise<StorageHarness> => {
  const database = openDatabase(await testDatabase(`contract_${opened.length}`), { max: 8 });
  opened.push(database);
  await opened.at(-1 - IN_USE_MAX)?.close();
  const { prisma } = database;
  await prisma.$executeRaw`CREATE TABLE test_jobs (at bigserial, workspace_id text, name text)`;
  const ids = countedIds(clock);
  return {
    repositories: prismaRepositories(prisma),
    canaries: prismaCanaries(prisma),
    processRegistry: prismaProcessRegistry(prisma),
    mediaStores: prismaMediaStores(prisma),
    transactions: prismaTransactions(prisma, { ids, clock, jobsIn }),
    clock,
    ids,
    async recorded(workspaceId) {
      const ordered = { where: { workspaceId }, orderBy: { id: 'asc' } } as const;
      const jobs = await prisma.$queryRaw<{ name: string }[]>`
        SELECT name FROM test_jobs WHERE workspace_id = ${workspaceId} ORDER BY at`;
      return {
        events: (await prisma.event.findMany(ordered)).map(({ type }) => type),
        audit: (await prisma.auditRow.findMany(ordered)).map(({ action }) => action),
        jobs: jobs.map(({ name }) => name),
      };
    },
  };
});
