import type { ClientId, KeyId, WorkspaceId } from '../ids.js';
import type { KeyPolicy } from './policy.js';
import type { Scope } from './scope.js';

/** An API key without its secret, which is returned once at creation and never stored. */
export interface ApiKey {
  readonly id: KeyId;
  readonly workspaceId: WorkspaceId;
  /**
   * Twelve base 62 characters, the public part of the token: written to audit rows and used to look up the
   * key.
   */
  readonly publicId: string;
  /** The id of the first key of this family: a key and the keys that replace it by rotation share it. */
  readonly lineage: string;
  /**
   * The lineages of the keys that created this one, nearest first; the last belongs to a key that the
   * operator created. Empty for a key that the operator created. Refunds and requests of this key also count
   * against the limits of every ancestor.
   */
  readonly ancestors: readonly string[];
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly policy: KeyPolicy;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
  readonly replacedBy: KeyId | null;
  readonly version: number;
  /** The OAuth client that acts with the key, whose consented scopes are then `scopes`. */
  readonly client?: ClientId | undefined;
}

/**
 * The lineages whose limits a key's refunds and requests count against: its own, then those of its ancestors,
 * nearest first.
 */
export const chargedLineages = ({
  lineage,
  ancestors,
}: Pick<ApiKey, 'lineage' | 'ancestors'>): readonly string[] => [lineage, ...ancestors];
