import { rejectApproval } from '@switchboard/domain/approvals';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { approvalId, approvalShape, exampleApproval, reason, presentApproval } from './approval-shape.js';

export default defineOperation({
  name: 'rejectApproval',
  summary: 'Reject a request: the post or the refund fails, and its money is free again.',
  guidance:
    'The first decision counts: the same one again returns it, another one is rejected. Neither the requesting key nor its family decides.',
  scope: 'approvals:write',
  effect: 'update',
  boundary: 'atomic',
  http: { method: 'post', path: '/approvals/:id/reject', status: 200 },
  input: z.strictObject({ id: approvalId, note: reason }),
  output: approvalShape,
  failures: ['approval.not_found', 'approval.not_permitted', 'approval.decided'],
  example: {
    input: { id: exampleApproval.id, note: 'The price is wrong.' },
    output: {
      ...exampleApproval,
      status: 'rejected',
      decided_by: 'key_01kah3v5w8e2m6r9t0x4y7z1cd',
      decided_at: '2026-11-20T10:00:00.000Z',
      note: 'The price is wrong.',
    },
  },
  sentence: ({ id }) => `Rejected ${id}.`,
  writesOwnAuditRow: true,
  useCase: rejectApproval,
  present: (approval) => presentApproval(approval),
});
