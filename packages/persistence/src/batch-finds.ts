import type { WorkspaceId } from '@switchboard/domain';
import { currentCaller, type CallerScope } from './caller-scope.js';

interface Batch<Row> {
  readonly ids: Set<string>;
  readonly rows: Promise<ReadonlyMap<string, Row>>;
}

/**
 * Finds by one statement what one caller looks up in a workspace in the same turn of the event loop, as the `findUnique`
 * of Prisma does: fifty accounts whose sessions open together are one round trip. Callers do not share a statement, since it
 * is cancelled when its caller disconnects.
 */
export function batchFinds<Id extends string, Row>(
  readAll: (workspaceId: WorkspaceId, ids: readonly Id[]) => Promise<ReadonlyMap<string, Row>>,
): (workspaceId: WorkspaceId, id: Id) => Promise<Row | null> {
  const open = new Map<CallerScope | undefined, Map<WorkspaceId, Batch<Row>>>();

  function join(workspaceId: WorkspaceId): Batch<Row> {
    const caller = currentCaller();
    const batches = open.get(caller) ?? new Map<WorkspaceId, Batch<Row>>();
    open.set(caller, batches);
    const joined = batches.get(workspaceId);
    if (joined) return joined;
    const ids = new Set<string>();
    const rows = new Promise<void>((resolve) => process.nextTick(resolve)).then(() => {
      batches.delete(workspaceId);
      if (batches.size === 0) open.delete(caller);
      return readAll(workspaceId, [...ids] as Id[]);
    });
    const batch = { ids, rows };
    batches.set(workspaceId, batch);
    return batch;
  }

  return async (workspaceId, id) => {
    const { ids, rows } = join(workspaceId);
    ids.add(id);
    return (await rows).get(id) ?? null;
  };
}
