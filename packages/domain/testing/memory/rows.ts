import type { ConnectionId, WorkspaceId } from '../../src/ids.js';
import type { PageRequest, Rows } from '../../src/page.js';
import type { Clock } from '../../src/ports/index.js';
import type { MemoryState } from './memory-state.js';

interface OwnedRow {
  readonly id: string;
  readonly workspaceId: string;
}

export const findOwned = <Row extends Pick<OwnedRow, 'workspaceId'>>(
  rows: Map<string, Row>,
  workspaceId: WorkspaceId,
  id: string,
): Row | null => {
  const row = rows.get(id);
  return row?.workspaceId === workspaceId ? row : null;
};

export const ofWorkspace = <Row extends OwnedRow>(rows: Map<string, Row>, workspaceId: WorkspaceId): Row[] =>
  oldestFirst([...rows.values()].filter((row) => row.workspaceId === workspaceId));

/** Ids sort by their creation time. */
export const oldestFirst = <Row extends { readonly id: string }>(rows: readonly Row[]): Row[] =>
  [...rows].sort((a, b) => (a.id < b.id ? -1 : 1));

export function pageOf<Row extends { readonly id: string }>(
  rows: readonly Row[],
  { limit, after }: PageRequest,
): Rows<Row> {
  const from = after === undefined ? 0 : rows.findIndex(({ id }) => id === after) + 1;
  const items = rows.slice(from, from + limit);
  const last = items.at(-1);
  return rows.length > from + limit && last ? { items, next: last.id } : { items };
}

type DefinedFields<Fields> = { [Name in keyof Fields]: Exclude<Fields[Name], undefined> };

/** Drops undefined fields, so that the row keeps them unchanged. */
export const omitUndefined = <Fields extends object>(fields: Fields): Partial<DefinedFields<Fields>> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<
    DefinedFields<Fields>
  >;

export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, at) => byte === b[at]);

export function insertNew<Row extends { readonly id: string }>(rows: Map<string, Row>, row: Row): void {
  assertUnique(!rows.has(row.id), row.id);
  rows.set(row.id, row);
}

/** What is done in turn for each connection: a claim delays it, and increments its fence. */
export interface ConnectionTask {
  readonly connectionId: ConnectionId;
  readonly dueAt: Date;
  readonly fence: number;
}

/** Claims the tasks that are due, unless the connection has to be authorized again. */
export function claimTasks<Task extends ConnectionTask>(
  tasks: Map<string, Task>,
  connections: MemoryState['connections'],
  clock: Clock,
  limit: number,
  leaseSeconds: number,
): Task[] {
  const due = [...tasks.values()]
    .filter(
      ({ dueAt, connectionId }) =>
        dueAt <= clock.now() && connections.get(connectionId)?.status !== 'needs_reauth',
    )
    .sort((a, b) => a.dueAt.getTime() - b.dueAt.getTime())
    .slice(0, limit)
    .map((task) => ({ ...task, fence: task.fence + 1, dueAt: clock.after(leaseSeconds * 1000) }));
  for (const task of due) tasks.set(task.connectionId, task);
  return due;
}

/** Throws like a database, since a use case that reaches this is faulty. */
export function assertUnique(isFree: boolean, what: string): void {
  if (!isFree) throw new Error(`it already exists: ${what}`);
}

/** The only row of a table: the first value is kept. */
export const keptOnce = <Value>(rows: () => Map<string, Value>) => ({
  find: async () => rows().get('only') ?? null,
  insert: async (value: Value) => {
    const kept = rows().get('only') ?? value;
    rows().set('only', kept);
    return kept;
  },
});
