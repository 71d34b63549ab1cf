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

  const options = { now: clock.now(), eventDays: 90, historyDays: 365 };
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

test('deletes attempts, connect sessions and used quotes after a year, but nothing that is unsettled (finding 88)', async () => {
  const { prisma } = database;
  const tables = prismaRepositories(prisma);
  const workspace = build.workspace();
  const profile = build.profile(workspace);
  const connection = build.connection(profile);
  await tables.workspaces.insert(workspace);
  await tables.profiles.insert(profile);
  await tables.connections.insert(connection);
  const dayMs = 24 * HOUR_MS;
  const idOf = (kind: 'att' | 'cns', ageDays: number) =>
    formatId(kind, Date.now() - ageDays * dayMs, new Uint8Array(10).fill(ageDays % 256));

  const [settled, open] = [
    build.post(profile, [connection], {}, { status: 'published' }),
    build.post(profile, [connection], {}, { status: 'needs_review' }),
  ];
  for (const post of [settled, open]) await tables.posts.insert(post);
  const attempt = (id: string, deliveryId: string | undefined) => ({
    id,
    workspaceId: workspace.id,
    deliveryId: deliveryId ?? '',
    epoch: 1,
    kind: 'attempt',
    outcome: 'published',
    at: clock.now(),
  });
  const attempts = [
    attempt(idOf('att', 366), settled.deliveries[0]?.id),
    attempt(idOf('att', 364), settled.deliveries[0]?.id),
    attempt(idOf('att', 367), open.deliveries[0]?.id),
  ];
  await prisma.deliveryAttempt.createMany({ data: attempts });

  const session = (ageDays: number, expiresAt: Date) =>
    build.connectSession(profile, { id: idOf('cns', ageDays) as never, expiresAt });
  const sessions = [
    session(366, clock.after(-HOUR_MS)),
    session(364, clock.after(-HOUR_MS)),
    session(367, clock.after(HOUR_MS)),
  ];
  for (const each of sessions) await tables.connectSessions.insert(each);

  const old = { expiresAt: clock.after(-366 * dayMs) };
  const quotes = [build.quote(connection, old), build.quote(connection, old), build.quote(connection)];
  const statuses = ['succeeded', 'needs_review', 'succeeded'] as const;
  for (const [index, quote] of quotes.entries()) {
    const refund = build.refund(connection, { quoteId: quote.id, status: statuses[index] ?? 'failed' });
    await tables.refunds.insertQuote(quote);
    await tables.refunds.insert(refund);
    await tables.refunds.useQuote(quote.id, refund.id);
  }

  const options = { now: clock.now(), eventDays: 90, historyDays: 365 };
  expect(await purgeExpired(prisma, options)).toBe(3);
  expect(await purgeExpired(prisma, options)).toBe(0);
  const where = { workspaceId: workspace.id };
  const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id).sort();
  expect(ids(await prisma.deliveryAttempt.findMany({ where }))).toEqual(ids(attempts.slice(1)));
  expect(ids(await prisma.connectSession.findMany({ where }))).toEqual(ids(sessions.slice(1)));
  expect(ids(await prisma.quote.findMany({ where }))).toEqual(ids(quotes.slice(1)));
  expect(await prisma.refund.count({ where: { ...where, quoteId: null } })).toBe(1);
});

test('deletes what OAuth clients no longer need, and keeps registrations with an authorized client', async () => {
  const { prisma } = database;
  const tables = prismaRepositories(prisma);
  const workspace = build.workspace();
  await tables.workspaces.insert(workspace);
  const key = build.apiKey(workspace);
  const [live, ended] = [
    build.client(key, { oauthClientId: 'with a live client' }),
    build.client(key, { oauthClientId: 'with an ended client' }),
  ];
  for (const client of [live, ended]) await tables.clients.insert(client);
  await tables.clients.end(workspace.id, ended.id, 'revoked');
  const [gone, recent] = [clock.after(-25 * HOUR_MS), clock.after(-23 * HOUR_MS)];
  const digest = (text: string) => new TextEncoder().encode(text);
  for (const [name, expiresAt] of [
    ['gone', gone],
    ['recent', recent],
  ] as const) {
    await tables.invitations.insert(build.invitation(key, { expiresAt }), digest(name));
    await tables.oauthRecords.store({
      kind: 'refresh_token',
      digest: digest(name),
      clientId: live.id,
      payload: {},
      token: null,
      expiresAt,
    });
  }
  const names = ['with a live client', 'with an ended client', 'without a client', 'new'];
  for (const name of names)
    await tables.oauthRecords.store({
      kind: 'client',
      digest: digest(name),
      clientId: null,
      payload: { client_id: name },
      token: null,
      expiresAt: null,
    });
  await prisma.$executeRaw`
    UPDATE oauth_records SET created_at = now() - interval '31 days' WHERE kind = 'client' AND digest <> ${digest('new')}`;

  const options = { now: clock.now(), eventDays: 90, historyDays: 365 };
  expect(await purgeExpired(prisma, options)).toBe(4);
  expect(await purgeExpired(prisma, options)).toBe(0);
  const left = async (kind: 'client' | 'refresh_token', all: readonly string[]) => {
    const found = await Promise.all(
      all.map(async (name) => ((await tables.oauthRecords.find(kind, digest(name))) ? [name] : [])),
    );
    return found.flat();
  };
  expect(await left('client', names)).toEqual(['with a live client', 'new']);
  expect(await left('refresh_token', ['gone', 'recent'])).toEqual(['recent']);
  expect(await prisma.invitation.count({ where: { workspaceId: workspace.id } })).toBe(1);
});
