import type { WorkspaceId } from '../ids.js';
import type { ReadPorts } from '../ports/index.js';
import type { ApiKey } from './api-key.js';

/** What a key may still refund in a currency today (UTC), in minor units. */
export interface CeilingRemaining {
  readonly currency: string;
  readonly perRefundMinor: number;
  readonly perDayLeftMinor: number;
}

/** The UTC day that a ceiling counts in. */
export const startOfDay = (now: Date): Date => new Date(Math.floor(now.getTime() / 86_400_000) * 86_400_000);

/** Null for a key without a ceiling. Reserved, unknown and completed refunds of the key's whole lineage count. */
export async function remainingOfCeiling(
  ports: { readonly refunds: Pick<ReadPorts['refunds'], 'sumByLineage'>; readonly clock: ReadPorts['clock'] },
  workspaceId: WorkspaceId,
  key: ApiKey,
): Promise<readonly CeilingRemaining[] | null> {
  const since = startOfDay(ports.clock.now());
  const ceilings = key.policy.refundCeilings;
  if (ceilings === null) return null;
  return Promise.all(
    ceilings.map(async ({ currency, perRefundMinor, perDayMinor }) => {
      const spent = await ports.refunds.sumByLineage(workspaceId, key.lineage, currency, since);
      return { currency, perRefundMinor, perDayLeftMinor: Math.max(0, perDayMinor - spent) };
    }),
  );
}
