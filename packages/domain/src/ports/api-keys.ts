import type { ApiKey } from '../access/api-key.js';
import type { KeyId, WorkspaceId } from '../ids.js';
import type { PageRequest, Rows } from '../page.js';

export interface StoredApiKey {
  readonly key: ApiKey;
  readonly hash: Uint8Array;
}

/** The stored keys: attributes and a keyed hash, never the key. */
export interface ApiKeys {
  /**
   * Looks up by the public part of the token. Expired and revoked keys are found too: the caller decides, so
   * that a refusal can be audited.
   */
  findByPublicId(publicId: string): Promise<StoredApiKey | null>;
  /** The same for many at once, in one statement; missing ones are omitted. In no order. */
  findAllByPublicId(publicIds: readonly string[]): Promise<readonly StoredApiKey[]>;
  find(workspaceId: WorkspaceId, id: KeyId): Promise<ApiKey | null>;
  /** The current key of each of these lineages: the one that was not rotated, revoked or not. In no order. */
  listCurrent(workspaceId: WorkspaceId, lineages: readonly string[]): Promise<readonly ApiKey[]>;
  /** Newest first. */
  list(workspaceId: WorkspaceId, page: PageRequest): Promise<Rows<ApiKey>>;
  insert(key: ApiKey, hash: Uint8Array): Promise<void>;
  /**
   * Writes the given fields and increments the version. Null when it is missing, or not in the version that
   * the caller read.
   */
  update(
    workspaceId: WorkspaceId,
    id: KeyId,
    changes: ApiKeyChanges,
    ifVersion?: number,
  ): Promise<ApiKey | null>;
  /** Revokes immediately; a revoked key keeps its first revocation time. Null when missing. */
  revoke(workspaceId: WorkspaceId, id: KeyId): Promise<ApiKey | null>;
  /** Records uses in one statement; an earlier time never replaces a later one. */
  touch(uses: readonly { readonly id: KeyId; readonly at: Date }[]): Promise<void>;
}

type ApiKeyChanges = Partial<Pick<ApiKey, 'name' | 'scopes' | 'policy' | 'replacedBy' | 'ancestors'>>;
