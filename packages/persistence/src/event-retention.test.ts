import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { formatId } from '@switchboard/domain';
import { openDatabase, purgeExpired, type Database } from './index.js';
import { testDatabase } from './testing.js';

const DAY_MS = 86_400_000;
const EVENTS_PER_DAY = 500;
const KEPT_DAYS = 10;
/** The defaults of autovacuum: it removes dead rows when there are more than 50 and a fifth of the live ones. */
const VACUUM = { rows: 50, share: 0.2 };

let database: Database;
beforeAll(async () => {
  database = openDatabase(await testDatabase('event_retention'), { max: 2 });
  // The test decides when it runs.
  await database.prisma.$executeRaw`ALTER TABLE events SET (autovacuum_enabled = off)`;
});
afterAll(() => database.close());

test('the table of events and its indexes stop growing when their retention is reached', async () => {
  const { prisma } = database;
  const firstDayMs = Date.UTC(2026, 0, 1);
  let dead = 0;
  const passDay = async (day: number) => {
    const startMs = firstDayMs + day * DAY_MS;
    const ids = Array.from({ length: EVENTS_PER_DAY }, (_, index) =>
      formatId('evt', startMs + index, randomBytes(10)),
    );
    await prisma.$executeRaw`
      INSERT INTO events (id, workspace_id, type, data, created_at)
      SELECT id, 'wsp_' || n % 5, 'post.published', jsonb_build_object('text', repeat('x', 500)),
        ${new Date(startMs)}::timestamptz + make_interval(secs => n)
      FROM unnest(${ids}::text[]) WITH ORDINALITY AS added (id, n)`;
    const now = new Date(startMs + DAY_MS);
    for (let purged = 1; purged > 0; dead += purged)
      purged = await purgeExpired(prisma, { now, eventDays: KEPT_DAYS, historyDays: 365 });
    if (dead <= VACUUM.rows + VACUUM.share * EVENTS_PER_DAY * KEPT_DAYS) return;
    await prisma.$executeRawUnsafe('VACUUM events');
    dead = 0;
  };
  const sizeOf = async () => {
    const [row] = await prisma.$queryRaw<{ bytes: number }[]>`
      SELECT pg_total_relation_size('events')::int AS bytes`;
    return row?.bytes ?? 0;
  };
  for (let day = 0; day < 2 * KEPT_DAYS; day++) await passDay(day);
  const reached = await sizeOf();
  for (let day = 2 * KEPT_DAYS; day < 8 * KEPT_DAYS; day++) await passDay(day);
  expect(await prisma.event.count()).toBe(EVENTS_PER_DAY * KEPT_DAYS);
  expect((await sizeOf()) / reached).toBeLessThan(1.1);
});
