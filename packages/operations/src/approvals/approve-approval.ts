import { approveApproval } from '@switchboard/domain/approvals';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { approvalId, approvalShape, exampleApproval, note, presentApproval } from './approval-shape.js';

export default defineOperation({
  name: 'approveApproval',
  summary: 'Approve a request: the post is published, or the refund is sent.',
  guidance:
    'The first decision counts: the same one again returns it, another one is rejected. Neither the requesting key nor its family decides.',
  scope: 'approvals:write',
  effect: 'update',
  boundary: 'atomic',
  http: { method: 'post', path: '/approvals/:id/approve', status: 200 },
  input: z.strictObject({ id: approvalId, note: note.optional() }),
  output: approvalShape,
  failures: ['approval.not_found', 'approval.not_permitted', 'approval.decided', 'approval.media_not_ready'],
  example: {
    input: { id: exampleApproval.id },
    output: {
      ...exampleApproval,
      status: 'approved',
      decided_by: 'key_01kah3v5w8e2m6r9t0x4y7z1cd',
      decided_at: '2026-11-20T10:00:00.000Z',
      note: null,
    },
  },
  sentence: ({ id }) => `Approved ${id}.`,
  writesOwnAuditRow: true,
  useCase: approveApproval,
  present: (approval) => presentApproval(approval),
});
