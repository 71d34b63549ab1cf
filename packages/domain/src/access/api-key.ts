import type { KeyId, WorkspaceId } from '../ids.js';
import type { KeyPolicy } from './policy.js';
import type { Scope } from './scope.js';

/** An API key without its secret: what is known of it after it was shown once. */
export interface ApiKey {
  readonly id: KeyId;
  readonly workspaceId: WorkspaceId;
  /** Twelve base 62 characters, the public part of the token: printed in audit rows and used to look the key up. */
  readonly publicId: string;
  /** The id of the first key of this family: a key and what it was rotated into share it. */
  readonly lineage: string;
  /**
   * The lineages of the keys that created this one, nearest first; the last is that of a key the operator created. Empty for
   * a key of the operator's. Refunds and requests of this key count against the limits of every one of them as well.
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
}

/** The lineages whose limits a key's refunds and requests count against: its own and those of all its ancestors, nearest first. */
export const chargedLineages = ({
  lineage,
  ancestors,
}: Pick<ApiKey, 'lineage' | 'ancestors'>): readonly string[] => [lineage, ...ancestors];
