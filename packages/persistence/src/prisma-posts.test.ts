import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createTestEnvironment, type TestEnvironment } from '@switchboard/domain/testing';
import { openDatabase, prismaRepositories, type Database } from './index.js';
import { testDatabase } from './testing.js';

let s: TestEnvironment;
let database: Database;
beforeAll(async () => {
  s = await createTestEnvironment();
  database = openDatabase(await testDatabase('prisma_posts'), { max: 4 });
});
afterAll(() => database?.close());

test('a post that is read while a person decides is returned before the decision or after it', async () => {
  const tables = prismaRepositories(database.prisma);
  await tables.workspaces.insert(s.workspace);
  await tables.profiles.insert(s.profile);
  const connection = s.build.connection(s.profile);
  await tables.connections.insert(connection);
  const post = s.build.post(s.profile, [connection], {}, { status: 'awaiting_approval' });
  await tables.posts.insert(post);
  const approval = s.build.approval(post);
  await tables.approvals.insert(approval);

  const read = await database.prisma.$transaction(async (client) => {
    const decided = prismaRepositories(client);
    // A reader is held up at the deliveries, after it could have read the post.
    await client.$executeRaw`LOCK TABLE deliveries IN ACCESS EXCLUSIVE MODE`;
    const reading = tables.posts.find(s.workspace.id, post.id);
    const isHeldUp = async () => {
      const [waiting] = await client.$queryRaw<{ count: number }[]>`
        SELECT count(*)::int AS count FROM pg_locks WHERE relation = 'deliveries'::regclass AND NOT granted`;
      return waiting?.count === 1;
    };
    while (!(await isHeldUp())) await new Promise((resolve) => setTimeout(resolve, 5));
    const { note, decidedBy } = { note: 'No.', decidedBy: 'system:operator' };
    const decision = { status: 'rejected', note, decidedBy, decidedAt: s.clock.now() } as const;
    await decided.approvals.settle(s.workspace.id, approval.id, decision);
    await decided.deliveries.settle(
      post.deliveries.map(({ id, epoch }) => ({ id, epoch, changes: { status: 'failed' as const } })),
    );
    return { reading };
  });
  const found = await read.reading;
  expect([found?.approval?.status, found?.deliveries[0]?.status]).toEqual(['rejected', 'failed']);
});
