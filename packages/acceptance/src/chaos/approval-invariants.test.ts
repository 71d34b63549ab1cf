import { describe, expect, test } from '@jest/globals';
import { checkApprovalInvariants, type ApprovalHistory } from './approval-invariants.js';

const view = { approval: 'apr_1', content: 'Hello', scheduledAt: '2026-03-01T09:00:00.000Z' };
const approval = {
  id: 'apr_1',
  status: 'approved',
  covers: ['dlv'],
  requestedAt: '2026-03-01T08:00:00.000Z',
  decidedAt: '2026-03-01T08:30:00.000Z',
  decidedEvents: 1,
  auditedDecisions: 1,
  hasAuditedDigests: true,
};
const rejected = { ...approval, status: 'rejected' };
const withdrawn = { ...approval, status: 'withdrawn', auditedDecisions: 0 };
const second = { ...approval, id: 'apr_2', requestedAt: '2026-03-01T08:40:00.000Z' };
const published = { id: 'dlv', status: 'published', errorCode: null, account: 'ada' };
const failed = { ...published, status: 'failed', errorCode: 'approval.rejected' };
const cancelled = { ...published, status: 'cancelled' };
const effect = { subject: 'dlv', content: 'Hello', account: 'ada', at: '2026-03-01T09:00:01.000Z' };
const approve = {
  approval: 'apr_1',
  verb: 'approve' as const,
  isIndependent: true,
  status: 200,
  code: null,
  reported: 'approved',
};
const order = { order: 'so', refundedMinor: 10, reservedMinor: 0, inFlight: null, movedMinor: 10 };

const approvedPost: ApprovalHistory = {
  views: [view, view],
  decisions: [approve],
  approvals: [approval],
  subjects: [published],
  effects: [effect],
  reservations: { orders: [order], ceilings: [{ name: 'key EUR', usedMinor: 10, movedMinor: 10 }] },
};
const rejectedPost: ApprovalHistory = {
  ...approvedPost,
  decisions: [],
  approvals: [rejected],
  subjects: [failed],
  effects: [],
};
const refusal = { ...approve, status: 409, code: 'approval.decided', reported: 'rejected' };

describe('the approval invariants hold for', () => {
  test.each<[string, ApprovalHistory]>([
    ['a post that was approved and published', approvedPost],
    ['a post that was rejected', rejectedPost],
    ['a decision after another one', { ...rejectedPost, decisions: [refusal] }],
    [
      'a decision of a requester',
      { ...approvedPost, decisions: [{ ...refusal, isIndependent: false, code: 'approval.not_permitted' }] },
    ],
    [
      'a post that was edited, and approved again',
      {
        ...approvedPost,
        decisions: [],
        views: [
          { ...view, content: 'Hullo' },
          { ...view, approval: 'apr_2' },
        ],
        approvals: [withdrawn, { ...second, decidedAt: '2026-03-01T08:50:00.000Z' }],
      },
    ],
    ['a post that was cancelled after its approval', { ...approvedPost, subjects: [cancelled], effects: [] }],
    [
      'an approval that an edit withdrew before its expiry was recorded',
      {
        ...rejectedPost,
        decisions: [{ ...refusal, reported: 'expired' }],
        approvals: [withdrawn],
        subjects: [cancelled],
      },
    ],
  ])('%s', (_what, history) => {
    expect(checkApprovalInvariants(history)).toEqual([]);
  });
});

describe('an approval invariant is violated by', () => {
  test.each<[string, RegExp, ApprovalHistory]>([
    [
      'an approval that is pending',
      /still pending/,
      { ...rejectedPost, approvals: [{ ...rejected, status: 'pending' }] },
    ],
    [
      'two events of one decision',
      /2 events/,
      { ...rejectedPost, approvals: [{ ...rejected, decidedEvents: 2 }] },
    ],
    [
      'two audited decisions',
      /2 audited/,
      { ...rejectedPost, approvals: [{ ...rejected, auditedDecisions: 2 }] },
    ],
    [
      'other digests in the audit',
      /digests/,
      { ...rejectedPost, approvals: [{ ...rejected, hasAuditedDigests: false }] },
    ],
    [
      'one approval of two contents',
      /shown with/,
      { ...approvedPost, views: [view, { ...view, content: 'Other' }] },
    ],
    [
      'two decisions that both succeed',
      /received approved, and is rejected/,
      { ...rejectedPost, decisions: [approve] },
    ],
    [
      'a decision that is refused because of itself',
      /was refused/,
      { ...approvedPost, decisions: [{ ...refusal, reported: 'approved' }] },
    ],
    [
      'a decision of a requester that succeeds',
      /of a requester/,
      { ...approvedPost, decisions: [{ ...approve, isIndependent: false }] },
    ],
    [
      'an unexpected refusal',
      /received 500/,
      { ...approvedPost, decisions: [{ ...refusal, status: 500, code: 'internal.error' }] },
    ],
    ['a post that exists twice', /2 times/, { ...approvedPost, effects: [effect, effect] }],
    ['a post that no approval covers', /no approval/, { ...approvedPost, approvals: [] }],
    [
      'a post that was published before its approval',
      /not approved/,
      { ...approvedPost, effects: [{ ...effect, at: '2026-03-01T08:29:59.000Z' }] },
    ],
    [
      'a post that was published after an edit had withdrawn its approval',
      /apr_2 was not approved/,
      { ...approvedPost, approvals: [approval, { ...second, status: 'withdrawn', auditedDecisions: 0 }] },
    ],
    [
      'another text than the approved one',
      /was approved/,
      { ...approvedPost, effects: [{ ...effect, content: 'Other' }] },
    ],
    ['another account', /to eve/, { ...approvedPost, effects: [{ ...effect, account: 'eve' }] }],
    [
      'a post that was published before its time',
      /before 2026/,
      { ...approvedPost, effects: [{ ...effect, at: '2026-03-01T08:59:59.000Z' }] },
    ],
    ['a rejected post that exists', /failed and exists/, { ...rejectedPost, effects: [effect] }],
    [
      'a rejected post that counts as published',
      /does not exist/,
      { ...rejectedPost, subjects: [published] },
    ],
    [
      'an approved post that is lost',
      /was approved and is failed/,
      { ...approvedPost, subjects: [failed], effects: [] },
    ],
    [
      'a post that remains open',
      /still sending/,
      { ...approvedPost, subjects: [{ ...published, status: 'sending' }], effects: [] },
    ],
    [
      'an unknown effect',
      /not in the service/,
      { ...approvedPost, effects: [effect, { ...effect, subject: 'dlv_x' }] },
    ],
    [
      'a reservation that remains',
      /are reserved/,
      { ...approvedPost, reservations: { orders: [{ ...order, reservedMinor: 5 }], ceilings: [] } },
    ],
    [
      'a ledger that differs from the store’s',
      /as refunded/,
      { ...approvedPost, reservations: { orders: [{ ...order, movedMinor: 5 }], ceilings: [] } },
    ],
    [
      'a ceiling that a rejected refund still uses',
      /of the ceiling/,
      {
        ...approvedPost,
        reservations: { orders: [], ceilings: [{ name: 'key EUR', usedMinor: 10, movedMinor: 5 }] },
      },
    ],
  ])('%s', (_what, message, history) => {
    expect(checkApprovalInvariants(history)).toContainEqual(expect.stringMatching(message));
  });
});
