import {
  approvalKinds,
  approvalStatuses,
  type Approval,
  type ApprovalState,
} from '@switchboard/domain/approvals';
import { z } from 'zod';
import { components, id, time } from '../shapes.js';
import { toWireFormat } from '../wire-format.js';

export const approvalId = id('apr_01kah3v5w8e2m6r9t0x4y7z1ab');
export const approvalKind = z.enum(approvalKinds);
export const approvalStatus = z.enum(approvalStatuses).register(components, { id: 'ApprovalStatus' });

const stateFields = {
  id: z.string(),
  status: approvalStatus,
  requested_at: time,
  expires_at: time,
  decided_by: z.string().nullable().describe('A key, the operator or the decision page.'),
  decided_at: time.nullable(),
  note: z.string().nullable().describe('The note of the person who decided.'),
};

/** The latest approval of a post or a refund. */
export const approvalStateShape = z.object(stateFields);
approvalStateShape.register(components, { id: 'ApprovalState' });

export const approvalShape = z.object({
  ...stateFields,
  kind: approvalKind,
  summary: z.string().describe('What is to be decided.'),
  post_id: z.string().optional(),
  refund_id: z.string().optional(),
  requested_by: z.string(),
  decision_url: z
    .string()
    .optional()
    .describe('Of the page on which a person decides, once; only for keys that may decide.'),
});
approvalShape.register(components, { id: 'Approval' });

export const presentApprovalState = (state: ApprovalState | null) => state && toWireFormat(state);

export const presentApproval = (
  approval: Approval,
  decisionUrl: string | null = null,
): z.input<typeof approvalShape> => {
  const { postId, refundId, ...rest } = approval;
  return {
    ...toWireFormat(rest),
    ...(postId !== null && { post_id: postId }),
    ...(refundId !== null && { refund_id: refundId }),
    ...(decisionUrl !== null && { decision_url: decisionUrl }),
  };
};

export const exampleApproval: z.input<typeof approvalShape> = {
  id: 'apr_01kah3v5w8e2m6r9t0x4y7z1ab',
  kind: 'post',
  status: 'pending',
  summary:
    'Publish a post on @lumen.coffee (Bluesky) at 2026-11-21 10:00 Europe/Madrid (2026-11-21T09:00:00Z).',
  post_id: 'pst_01kah3v5w8e2m6r9t0x4y7z1ab',
  requested_by: 'key_01kah3v5w8e2m6r9t0x4y7z1ab',
  requested_at: '2026-11-20T09:00:00.000Z',
  expires_at: '2026-11-23T09:00:00.000Z',
  decided_by: null,
  decided_at: null,
  note: null,
};

const NOTE_MAX = 1000;
export const note = z.string().max(NOTE_MAX).describe('For the requester.');
export const reason = z
  .string()
  .min(1)
  .max(NOTE_MAX)
  .regex(/\S/, 'a reason')
  .describe('For the requester: why, and what to change.');
