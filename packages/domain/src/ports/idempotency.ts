import type { WorkspaceId } from '../ids.js';

/** The scope of one idempotency key: a workspace, an operation and the family of keys that sent it. */
export interface IdempotencyScope {
  readonly workspaceId: WorkspaceId;
  readonly operation: string;
  readonly lineage: string;
  readonly key: string;
}

type IdempotencyClaim =
  /** The key is unused and now claimed until the transaction ends (atomic) or the lease does (staged). */
  | { readonly kind: 'claimed' }
  /** A stored response exists; `fingerprint` determines whether the request is the same. */
  | {
      readonly kind: 'answered';
      readonly fingerprint: string;
      readonly status: number;
      readonly sealedBody: Uint8Array;
    }
  /**
   * Another request holds it. `fingerprint` is null while it is not visible yet, in an uncommitted
   * transaction.
   */
  | { readonly kind: 'in_progress'; readonly fingerprint: string | null };

/**
 * Stores the fingerprint and response of requests. Responses are sealed before they reach this port. Kept for
 * 72 hours.
 */
export interface Idempotency {
  /**
   * Claims without waiting: a key that another transaction or an unexpired lease holds is `in_progress`, and
   * so is one that another request left without a response. The same request takes over an expired lease.
   */
  claim(scope: IdempotencyScope, fingerprint: string, leaseSeconds: number): Promise<IdempotencyClaim>;
  /** Stores the response; an existing one is never replaced. */
  storeResponse(scope: IdempotencyScope, status: number, sealedBody: Uint8Array): Promise<void>;
  /**
   * Replaces the stored response of a request whose caller waited for the final result: a replay returns what
   * that caller received.
   */
  replaceResponse(scope: IdempotencyScope, status: number, sealedBody: Uint8Array): Promise<void>;
  /** Releases a key whose request changed nothing. */
  release(scope: IdempotencyScope): Promise<void>;
}
