import { ok, type Metrics, type PlatformFailureCode, type Result } from '@switchboard/domain';

type Answer<Value> = Promise<Result<Value, PlatformFailureCode>>;

/** Numbers of posts where a platform tells of so many in one request. */
export async function readGroups(
  externalIds: readonly string[],
  size: number,
  read: (ids: readonly string[]) => Answer<Iterable<readonly [externalId: string, metrics: Metrics]>>,
): Answer<ReadonlyMap<string, Metrics>> {
  const found = new Map<string, Metrics>();
  for (let at = 0; at < externalIds.length; at += size) {
    const group = await read(externalIds.slice(at, at + size));
    if (!group.ok) return group;
    for (const [id, metrics] of group.value) found.set(id, metrics);
  }
  return ok(found);
}

/** Numbers of posts where each needs a request of its own: a few at a time. Null of a post that is gone. */
export const readEach = (
  externalIds: readonly string[],
  atOnce: number,
  read: (externalId: string) => Answer<Metrics | null>,
): Answer<ReadonlyMap<string, Metrics>> =>
  readGroups(externalIds, atOnce, async (ids) => {
    const found: [string, Metrics][] = [];
    const all = await Promise.all(ids.map(async (id) => ({ id, one: await read(id) })));
    for (const { id, one } of all) {
      if (!one.ok) return one;
      if (one.value) found.push([id, one.value]);
    }
    return ok(found);
  });

/** Nobody knows the sum of what is not told: null where one of them is missing. */
export const sumOf = (...told: readonly (number | null | undefined)[]): number | null =>
  told.reduce<number | null>((sum, one) => (sum === null || one == null ? null : sum + one), 0);
