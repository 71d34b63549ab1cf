import { chargedLineages, type ApiKey } from '../access/api-key.js';
import type { ApprovalPolicy } from '../access/policy.js';
import { actorName, type Call } from '../call.js';
import type { ReadPorts } from '../ports/index.js';

/** Why an act needs a person's approval, and who cannot give it. */
export interface ApprovalRequirement {
  readonly expiresInHours: number;
  readonly requestedBy: string;
  /** See `Approval.requesters`. */
  readonly requesters: readonly string[];
}

type KeyPolicies = { readonly apiKeys: Pick<ReadPorts['apiKeys'], 'listCurrent'> };

/**
 * The policies that apply to a call: that of its key, and those of the current keys of its lineage and of every
 * ancestor, so that neither an older key of the lineage nor a key created before a policy was tightened evades it.
 */
export async function listApprovalPolicies(
  ports: KeyPolicies,
  { actor, workspaceId }: Call,
): Promise<readonly LineagePolicy[]> {
  if (actor.kind !== 'key') return [];
  const { key } = actor;
  const isAlone = key.ancestors.length === 0 && key.replacedBy === null;
  const current = isAlone ? [] : await ports.apiKeys.listCurrent(workspaceId, chargedLineages(key));
  return [key, ...current].flatMap(({ lineage, policy }) =>
    policy.approval === null ? [] : [{ lineage, approval: policy.approval }],
  );
}

export interface LineagePolicy {
  readonly lineage: string;
  readonly approval: ApprovalPolicy;
}

/** The requirement of these policies; null when there are none. */
export function toRequirement(call: Call, demanding: readonly LineagePolicy[]): ApprovalRequirement | null {
  const { actor } = call;
  if (actor.kind !== 'key' || demanding.length === 0) return null;
  const isRestricted = (lineage: string) => demanding.some((one) => one.lineage === lineage);
  return {
    expiresInHours: Math.min(...demanding.map(({ approval }) => approval.expiresInHours)),
    requestedBy: actorName(call),
    requesters: familyOf(actor.key, isRestricted),
  };
}

/**
 * The lineages that act with a key: its own, and those of its ancestors, whose keys may hold its secret. A key that
 * the operator created may decide about its descendants, unless its own policy demands the approval: otherwise it
 * would evade that policy through a key that it creates.
 */
export function familyOf(
  key: Pick<ApiKey, 'lineage' | 'ancestors'>,
  isRestricted: (lineage: string) => boolean = () => false,
): readonly string[] {
  const first = key.ancestors.at(-1);
  return chargedLineages(key).filter((lineage) => lineage !== first || isRestricted(lineage));
}
