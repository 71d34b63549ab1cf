import type { WorkspaceId } from '../ids.js';
import type { ReadPorts } from '../ports/index.js';
import { chargedLineages, type ApiKey } from './api-key.js';
import type { KeyPolicy, RefundCeiling } from './policy.js';

/** The amount that a key may still refund in a currency today (UTC), in minor units. */
export interface CeilingRemaining {
  readonly currency: string;
  readonly perRefundMinor: number;
  readonly perDayLeftMinor: number;
}

export const startOfDay = (now: Date): Date => new Date(Math.floor(now.getTime() / 86_400_000) * 86_400_000);

/**
 * The remaining amounts of the ceilings that limit a key: its own, and those of every ancestor, each of which
 * counts the refunds of all its descendants. The policy of a lineage is that of its current key, also when
 * that key is revoked. Null when none has a ceiling. Within a transaction the sum is exact only under
 * `Ledger.lockLineages`.
 */
export async function getRemainingCeilings(
  ports: {
    readonly apiKeys: Pick<ReadPorts['apiKeys'], 'listCurrent'>;
    readonly refunds: Pick<ReadPorts['refunds'], 'sumCharges'>;
    readonly clock: ReadPorts['clock'];
  },
  workspaceId: WorkspaceId,
  key: ApiKey,
): Promise<readonly CeilingRemaining[] | null> {
  const lineages = chargedLineages(key);
  const current = await ports.apiKeys.listCurrent(workspaceId, lineages);
  const found = new Set(current.map(({ lineage }) => lineage));
  const missingAncestor = key.ancestors.find((lineage) => !found.has(lineage));
  if (missingAncestor !== undefined)
    throw new Error(`the ancestor ${missingAncestor} of ${key.id} is missing, so its ceiling is unknown`);
  const limits = [key, ...current].flatMap(listCeilings);
  if (limits.length === 0) return null;
  const spent = await ports.refunds.sumCharges(workspaceId, lineages, startOfDay(ports.clock.now()));
  const spentBy = (of: string, currency: string) =>
    spent.find((sum) => sum.lineage === of && sum.currency === currency)?.amountMinor ?? 0;

  const [first, ...others] = limits.map(({ lineage, ceilings }) =>
    ceilings.map(({ currency, perRefundMinor, perDayMinor }) => ({
      currency,
      perRefundMinor,
      perDayLeftMinor: Math.max(0, perDayMinor - spentBy(lineage, currency)),
    })),
  );
  return others.reduce(intersectCeilings, first ?? []);
}

interface LineageCeilings {
  readonly lineage: string;
  readonly ceilings: readonly RefundCeiling[];
}

function listCeilings({
  lineage,
  policy,
}: {
  readonly lineage: string;
  readonly policy: KeyPolicy;
}): LineageCeilings[] {
  return policy.refundCeilings === null ? [] : [{ lineage, ceilings: policy.refundCeilings }];
}

/** The intersection of two limits: the smaller amount of each currency that both name. */
function intersectCeilings(
  left: readonly CeilingRemaining[],
  right: readonly CeilingRemaining[],
): readonly CeilingRemaining[] {
  return left.flatMap((one) => {
    const other = right.find(({ currency }) => currency === one.currency);
    if (!other) return [];
    return [
      {
        currency: one.currency,
        perRefundMinor: Math.min(one.perRefundMinor, other.perRefundMinor),
        perDayLeftMinor: Math.min(one.perDayLeftMinor, other.perDayLeftMinor),
      },
    ];
  });
}
