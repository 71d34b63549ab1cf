import { afterAll, expect, test } from '@jest/globals';
import { builders, countedIds } from '@switchboard/domain/testing';
import type { Clock } from '@switchboard/domain/ports';
import { openDatabase, prismaRepositories, prismaTransactions, type Database } from './index.js';
import { testDatabase } from './testing.js';

const clock: Clock = {
  now: () => new Date(),
  after: (ms) => new Date(Date.now() + ms),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};
const ids = countedIds(clock);
const build = builders({ clock, ids });

let database: Database | undefined;
afterAll(() => database?.close());

test('limits that were stored before documents were media accept no documents', async () => {
  database = openDatabase(await testDatabase('limits_of_old'), { max: 2 });
  const { prisma } = database;
  const workspace = build.workspace();
  const profile = build.profile(workspace);
  const limits = { max: 4, mixed: false, required: false, images: null, videos: null };
  const mediaLimits = { ...limits, documents: null, altTextMax: 1500, fetches: false };
  const made = build.connection(profile);
  const connection = { ...made, account: { ...made.account, mediaLimits } };
  await prismaTransactions(prisma, { ids, clock, jobsIn: () => ({ enqueue: async () => {} }) }).run(
    async (tx) => {
      await tx.workspaces.insert(workspace);
      await tx.profiles.insert(profile);
      await tx.connections.insert(connection);
      return { ok: true, value: undefined };
    },
  );
  const written = await prisma.$executeRaw`
    UPDATE connections SET account_media_limits = account_media_limits - 'documents' WHERE account_media_limits ? 'documents'`;
  expect(written).toBe(1);
  const { connections } = prismaRepositories(prisma);
  expect(await connections.find(workspace.id, connection.id)).toEqual(connection);
  expect(await connections.listAll(workspace.id, { reach: null })).toEqual([connection]);
});
