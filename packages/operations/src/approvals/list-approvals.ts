import { findDecisionUrl, listApprovals } from '@switchboard/domain/approvals';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { formatPageCount } from '../format-count.js';
import { cursor, id, limit, pageOf } from '../shapes.js';
import {
  approvalKind,
  approvalShape,
  approvalStatus,
  exampleApproval,
  presentApproval,
} from './approval-shape.js';

export default defineOperation({
  name: 'listApprovals',
  summary: 'List the requests for a person’s approval, newest first.',
  guidance: 'A key decides only about requests that its own family took no part in.',
  scope: 'approvals:write',
  effect: 'read',
  boundary: 'read',
  http: { method: 'get', path: '/approvals', status: 200 },
  input: z.strictObject({
    status: z.array(approvalStatus).min(1).max(5).describe('Any of these.').optional(),
    kind: z.array(approvalKind).min(1).max(2).describe('Any of these.').optional(),
    post_id: id('pst_01kah3v5w8e2m6r9t0x4y7z1ab').optional(),
    refund_id: id('rfd_01kah3v5w8e2m6r9t0x4y7z1ab').optional(),
    limit,
    cursor,
  }),
  output: pageOf(approvalShape),
  failures: ['post.not_found', 'refund.not_found', 'request.invalid_cursor'],
  example: { input: { status: ['pending'] }, output: { data: [exampleApproval], next_cursor: null } },
  sentence: (page) => `${formatPageCount(page, 'approval')}.`,
  useCase: listApprovals,
  present: ({ items, nextCursor }, { ports, call }) => ({
    data: items.map((approval) => presentApproval(approval, findDecisionUrl(ports, call, approval))),
    next_cursor: nextCursor,
  }),
});
