import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { formatId } from '@switchboard/domain';
import { builders, countedIds } from '@switchboard/domain/testing';
import type { Clock, IdempotencyScope } from '@switchboard/domain/ports';
import { openDatabase, prismaIdempotency, prismaRepositories, purgeExpired, type Database } from './index.js';
import { testDatabase } from './testing.js';

const clock: Clock = {
  now: () => new Date(),
  after: (ms) => new Date(Date.now() + ms),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};
const build = builders({ clock, ids: countedIds(clock) });
const HOUR_MS = 3_600_000;

let database: Database;
beforeAll(async () => {
  database = openDatabase(await testDatabase('purge'), { max: 2 });
});
afterAll(() => database.close());

test('deletes only expired rows', async () => {
  const { prisma } = database;
  const tables = prismaRepositories(prisma);
  const workspace = build.workspace();
  const profile = build.profile(workspace);
  const connection = build.connection(profile);
  const session = build.connectSession(profile);
  await tables.workspaces.insert(workspace);
  await tables.profiles.insert(profile);
  await tables.connections.insert(connection);
  await tables.connectSessions.insert(session);

  const flow = (name: string, expiresAt: Date) => ({
    sessionId: session.id,
    workspaceId: workspace.id,
    platform: name,
    connectMethod: 'oauth',
    stateHash: new TextEncoder().encode(name),
    browserHash: new Uint8Array([1]),
    sealedContext: new Uint8Array([1]),
    deliveryHash: null,
    sealedDelivery: null,
    expiresAt,
  });
  await tables.connectSessions.insertFlow(flow('stale', clock.after(-1)));
  await tables.connectSessions.insertFlow(flow('fresh', clock.after(60_000)));

  const old = { expiresAt: clock.after(-25 * HOUR_MS) };
  const [unused, released, live] = [
    build.quote(connection, old),
    build.quote(connection, old),
    build.quote(connection),
  ];
  for (const quote of [unused, released, live]) await tables.refunds.insertQuote(quote);
  await tables.refunds.insert(build.refund(connection, { quoteId: released.id }));

  const scope = (key: string): IdempotencyScope => ({
    workspaceId: workspace.id,
    operation: 'op',
    lineage: 'key',
    key,
  });
  for (const key of ['old', 'young']) {
    await prisma.$transaction((client) => prismaIdempotency(client).claim(scope(key), 'print', 60));
    await prismaIdempotency(prisma).storeResponse(scope(key), 201, new Uint8Array([1]));
  }
  await prisma.$executeRaw`UPDATE idempotency_keys SET created_at = now() - interval '73 hours' WHERE key = 'old'`;

  const event = (ageDays: number) => {
    const id = formatId('evt', Date.now() - ageDays * 24 * HOUR_MS, new Uint8Array(10));
    return { id, workspaceId: workspace.id, type: 'key.created', data: {} };
  };
  await prisma.event.createMany({ data: [event(91), event(89)] });

  const options = { now: clock.now(), eventDays: 90 };
  expect(await purgeExpired(prisma, options)).toBe(4);
  expect(await prisma.event.count()).toBe(1);
  expect(await prisma.event.count({ where: { id: { lt: event(90).id } } })).toBe(0);
  expect((await prisma.connectFlow.findMany()).map(({ platform }) => platform)).toEqual(['fresh']);
  expect((await prisma.quote.findMany({ orderBy: { id: 'asc' } })).map(({ id }) => id)).toEqual([
    released.id,
    live.id,
  ]);
  expect((await prisma.idempotencyKey.findMany()).map(({ key }) => key)).toEqual(['young']);
  expect(await purgeExpired(prisma, options)).toBe(0);
});
