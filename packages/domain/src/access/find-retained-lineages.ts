import type { WorkspaceId } from '../ids.js';
import type { ReadPorts } from '../ports/index.js';
import { chargedLineages, type ApiKey } from './api-key.js';

/**
 * Returns the lineages that keep counting a refund after `key` resolves it as not made: the key's own
 * lineage, its ancestors (otherwise the key would release the ceiling that limits it) and its descendants
 * (the key created them and may hold their secrets). A key that the operator created releases its
 * descendants, because its own ceiling still counts the refund. A lineage whose current key is missing keeps
 * counting.
 */
export async function findRetainedLineages(
  ports: { readonly apiKeys: Pick<ReadPorts['apiKeys'], 'listCurrent'> },
  workspaceId: WorkspaceId,
  key: ApiKey,
  charged: readonly string[],
): Promise<readonly string[]> {
  const own = chargedLineages(key);
  const current = await ports.apiKeys.listCurrent(workspaceId, charged);
  return charged.filter((lineage) => {
    if (own.includes(lineage)) return true;
    if (key.ancestors.length === 0) return false;
    const ancestors = current.find((one) => one.lineage === lineage)?.ancestors;
    return ancestors === undefined || ancestors.includes(key.lineage);
  });
}
