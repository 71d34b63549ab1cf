import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { builders, countedIds, seededRandom } from '@switchboard/domain/testing';
import type { WorkspaceId } from '@switchboard/domain';
import type { Clock } from '@switchboard/domain/ports';
import pg from 'pg';
import { openDatabase, prismaRepositories, type Database } from './index.js';
import { insertEvents } from './prisma-events.js';
import { testDatabase } from './testing.js';

const clock: Clock = {
  now: () => new Date(),
  after: (ms) => new Date(Date.now() + ms),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};
const ids = countedIds(clock);
const build = builders({ clock, ids });

let url: string;
let database: Database;
let workspaceId: WorkspaceId;
beforeAll(async () => {
  url = await testDatabase('events');
  database = openDatabase(url, { max: 4 });
});
afterAll(() => database.close());

async function openWorkspace(): Promise<void> {
  const workspace = build.workspace();
  await prismaRepositories(database.prisma).workspaces.insert(workspace);
  workspaceId = workspace.id;
}

const list = (after: string | null, limit = 100) =>
  prismaRepositories(database.prisma).events.list(workspaceId, { reach: null }, { after, limit });
const listIds = async (after: string | null) => (await list(after)).items.map(({ id }) => id);

async function connect() {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}
function insert(client: pg.Client, id: string) {
  const { text, values } = insertEvents([{ id, workspaceId, type: 'key.created', data: {} }]);
  return client.query(text, values);
}

test('an event that commits late is neither skipped nor listed before those that it precedes', async () => {
  await openWorkspace();
  const [slow, quick] = [await connect(), await connect()];
  await slow.query('BEGIN');
  await insert(slow, 'evt_slow_1');
  await insert(quick, 'evt_quick');
  const early = await list(null);
  expect([early.items, early.isPending]).toEqual([[], true]);
  await insert(slow, 'evt_slow_2');
  await slow.query('COMMIT');
  const late = await list(early.position);
  expect([late.items.map(({ id }) => id), late.isPending]).toEqual([
    ['evt_slow_1', 'evt_quick', 'evt_slow_2'],
    false,
  ]);
  await Promise.all([slow.end(), quick.end()]);
});

test('events of one object are in the order of its changes, whichever transaction began first', async () => {
  await openWorkspace();
  const [first, second] = [await connect(), await connect()];
  const lock = `UPDATE workspaces SET name = name WHERE id = '${workspaceId}'`;
  // The first transaction has the lower id and changes the object last.
  await first.query('BEGIN');
  await first.query('SELECT pg_current_xact_id()');
  await second.query('BEGIN');
  await second.query(lock);
  await insert(second, 'evt_before');
  const waiting = first.query(lock);
  await second.query('COMMIT');
  await waiting;
  await insert(first, 'evt_after');
  await first.query('COMMIT');
  expect(await listIds(null)).toEqual(['evt_before', 'evt_after']);
  await Promise.all([first.end(), second.end()]);
});

test('a reader gets each event once while writers hold their transactions open', async () => {
  await openWorkspace();
  const random = seededRandom(7);
  const [WRITERS, EACH] = [6, 60];
  let running = WRITERS;
  const written: string[] = [];
  const write = async (writer: number) => {
    const client = await connect();
    for (let index = 0; index < EACH; index++) {
      await client.query('BEGIN');
      await insert(client, `evt_${writer}_${index}`);
      await clock.sleep(random.next() * 8);
      if (random.next() < 0.1) await client.query('ROLLBACK');
      else {
        await client.query('COMMIT');
        written.push(`evt_${writer}_${index}`);
      }
    }
    await client.end();
    running -= 1;
  };
  const listed: string[] = [];
  const read = async () => {
    for (let after: string | null = null; ;) {
      const wasRunning = running > 0;
      const page = await list(after, 7);
      listed.push(...page.items.map(({ id }) => id));
      after = page.position;
      if (!wasRunning && !page.hasMore) return;
    }
  };
  await Promise.all([read(), ...Array.from({ length: WRITERS }, (_, writer) => write(writer))]);
  expect(listed.toSorted()).toEqual(written.toSorted());
  for (let writer = 0; writer < WRITERS; writer++) {
    const own = listed.filter((id) => id.startsWith(`evt_${writer}_`));
    expect(own).toEqual(written.filter((id) => own.includes(id)));
  }
});

test('a filter without matches advances through a long list in steps, to its end', async () => {
  await openWorkspace();
  await database.prisma.$executeRaw`
    INSERT INTO events (id, workspace_id, type, data)
    SELECT 'evt_many_' || n, ${workspaceId}, 'key.created', '{}' FROM generate_series(1, 4500) AS n`;
  const tables = prismaRepositories(database.prisma);
  let steps = 0;
  for (let after: string | null = null; ; steps++) {
    const page = await tables.events.list(
      workspaceId,
      { reach: null, types: ['post.failed'] },
      { after, limit: 10 },
    );
    expect(page.items).toEqual([]);
    after = page.position;
    if (!page.hasMore) break;
  }
  expect(steps).toBe(2);
});
