import type { ApprovalId, WorkspaceId } from '@switchboard/domain';
import type { ApprovalLinks } from '@switchboard/domain/ports';
import { hmacTokens } from './hmac-tokens.js';

interface ApprovalLinksOptions {
  readonly key: Uint8Array;
  /** The public URL of the REST app, without a trailing slash. */
  readonly publicUrl: string;
}

/** The token of an approval is always the same: it contains no expiry, because the approval has one. */
export function hmacApprovalLinks({ key, publicUrl }: ApprovalLinksOptions): ApprovalLinks {
  const tokens = hmacTokens(key, 'swb-approval-1');
  return {
    urlOf: ({ workspaceId, id }) => `${publicUrl}/approvals/${tokens.sign('decide', [workspaceId, id])}`,
    read(token) {
      const content = tokens.verify<[WorkspaceId, ApprovalId]>('decide', token);
      return content && { workspaceId: content[0], id: content[1] };
    },
  };
}
