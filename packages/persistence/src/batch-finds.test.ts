import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { ConnectionId, WorkspaceId } from '@switchboard/domain';
import type { Credentials, ReadMethods } from '@switchboard/domain/ports';
import { batchFinds } from './batch-finds.js';
import { callerQueries } from './caller-scope.js';
import { openDatabase, prismaRepositories, type Database } from './index.js';
import { testDatabase } from './testing.js';

const workspaceId = 'wsp_1' as WorkspaceId;
const ids = Array.from({ length: 20 }, (_, index) => `con_${index}` as ConnectionId);

let database: Database;
let credentials: ReadMethods<Credentials>;
let statements: string[] = [];
beforeAll(async () => {
  database = openDatabase(await testDatabase('batch_finds'), {
    max: 4,
    onStatement: { isInterested: () => true, onEnd: ({ text }) => void statements.push(text) },
  });
  ({ credentials } = prismaRepositories(database.prisma));
});
afterAll(() => database.close());

const findAll = () => Promise.all(ids.map((id) => credentials.find(workspaceId, id)));
const readCount = () => statements.filter((text) => text.includes('FROM credentials')).length;

beforeEach(() => {
  statements = [];
});

test('each lookup receives its own row', async () => {
  const find = batchFinds(async (_workspaceId, wanted: readonly ConnectionId[]) => {
    return new Map(wanted.slice(1).map((id) => [id, `row of ${id}`]));
  });
  const found = await Promise.all(ids.map((id) => find(workspaceId, id)));
  expect(found).toEqual([null, ...ids.slice(1).map((id) => `row of ${id}`)]);
});

test('credentials that are looked up together are read by one statement', async () => {
  expect(await findAll()).toEqual(ids.map(() => null));
  expect(readCount()).toBe(1);
});

test('those of two callers are not, because a caller who disconnects cancels its statement', async () => {
  const call = () => callerQueries.run({ workspaceId, signal: null }, findAll);
  await Promise.all([call(), call()]);
  expect(readCount()).toBe(2);
});

test('a later lookup is a statement of its own', async () => {
  await findAll();
  await findAll();
  expect(readCount()).toBe(2);
});
