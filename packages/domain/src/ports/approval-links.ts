import type { Approval } from '../approvals/approval.js';

/**
 * Links to the page on which a person decides about an approval. They are derived from the installation's data key,
 * never stored: a reader of the database cannot construct one. A link requires no key; what it permits, and until
 * when, is the state of its approval.
 */
export interface ApprovalLinks {
  urlOf(approval: LinkedApproval): string;
  /** The approval of a link's last segment; null when it was not derived here. */
  read(token: string): LinkedApproval | null;
}

export type LinkedApproval = Pick<Approval, 'workspaceId' | 'id'>;
