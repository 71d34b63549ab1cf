import type { WorkspaceId } from '../ids.js';

/** Where one idempotency key counts: a workspace, an operation and the family of keys that sent it. */
export interface IdempotencyScope {
  readonly workspaceId: WorkspaceId;
  readonly operation: string;
  readonly lineage: string;
  readonly key: string;
}

export type IdempotencyClaim =
  /** Nobody used it: it is ours until the transaction ends (atomic) or the lease does (staged). */
  | { readonly kind: 'claimed' }
  /** An answer is kept for it; `fingerprint` tells whether the request is the same. */
  | {
      readonly kind: 'answered';
      readonly fingerprint: string;
      readonly status: number;
      readonly sealedBody: Uint8Array;
    }
  /** Somebody is at it. `fingerprint` is null while it cannot be seen yet, in a transaction that has not committed. */
  | { readonly kind: 'in_progress'; readonly fingerprint: string | null };

/** Remembers what was asked and answered. Answers are sealed before they come here. Kept for 72 hours. */
export interface Idempotency {
  /**
   * Claims without waiting: a key that another transaction or an unexpired lease holds is `in_progress`, and so is
   * one that another request left unanswered. The same request takes over a lease that has ended.
   */
  claim(scope: IdempotencyScope, fingerprint: string, leaseSeconds: number): Promise<IdempotencyClaim>;
  /** Keeps the answer; a first one is never replaced. */
  storeResponse(scope: IdempotencyScope, status: number, sealedBody: Uint8Array): Promise<void>;
  /** Replaces the kept answer of a request whose caller waited until it had settled: a replay says what that caller was told. */
  replaceResponse(scope: IdempotencyScope, status: number, sealedBody: Uint8Array): Promise<void>;
  /** Frees a key whose request changed nothing. */
  release(scope: IdempotencyScope): Promise<void>;
}
