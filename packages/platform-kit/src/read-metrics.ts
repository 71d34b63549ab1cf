import { ok } from '@switchboard/domain';
import type { AdapterResult } from './platform-client.js';

/** Reads the metrics of many posts from a platform that returns several per request. */
export async function readInBatches<Value>(
  externalIds: readonly string[],
  size: number,
  read: (ids: readonly string[]) => AdapterResult<Iterable<readonly [externalId: string, value: Value]>>,
): AdapterResult<ReadonlyMap<string, Value>> {
  const found = new Map<string, Value>();
  for (let at = 0; at < externalIds.length; at += size) {
    const group = await read(externalIds.slice(at, at + size));
    if (!group.ok) return group;
    for (const [id, value] of group.value) found.set(id, value);
  }
  return ok(found);
}

/**
 * The same for a platform that needs one request per post: a few in parallel. Null for a post that does not
 * exist.
 */
export const readEach = <Value>(
  externalIds: readonly string[],
  concurrency: number,
  read: (externalId: string) => AdapterResult<Value | null>,
): AdapterResult<ReadonlyMap<string, Value>> =>
  readInBatches(externalIds, concurrency, async (ids) => {
    const found: [string, Value][] = [];
    const all = await Promise.all(ids.map(async (id) => ({ id, one: await read(id) })));
    for (const { id, one } of all) {
      if (!one.ok) return one;
      if (one.value) found.push([id, one.value]);
    }
    return ok(found);
  });

/** The sum is null if one of the values is missing. */
export const sumIfComplete = (...reported: readonly (number | null | undefined)[]): number | null =>
  reported.reduce<number | null>((sum, one) => (sum === null || one == null ? null : sum + one), 0);
