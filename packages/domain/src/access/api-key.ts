import type { KeyId, WorkspaceId } from '../ids.js';
import type { Policy } from './policy.js';
import type { Scope } from './scope.js';

/** An API key without its secret: what is known of it after it was shown once. */
export interface ApiKey {
  readonly id: KeyId;
  readonly workspaceId: WorkspaceId;
  /** Twelve base 62 characters, the public part of the token: printed in audit rows and used to look the key up. */
  readonly publicId: string;
  /** The id of the first key of this family: a key and what it was rotated into share it. */
  readonly lineage: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly policy: Policy;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
  readonly replacedBy: KeyId | null;
  readonly version: number;
}
