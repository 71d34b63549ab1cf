import { expect, test } from '@jest/globals';
import { readApprovalHours, readApprovalPolicy } from './read-approval-policy.js';

test('reads what a person has to approve', () => {
  const eur = { currency: 'EUR', amountMinor: 5000 };
  const yen = { currency: 'JPY', amountMinor: 900 };
  expect(readApprovalPolicy({}, null)).toEqual({ ok: true, value: undefined });
  expect(readApprovalPolicy({ approvePosts: true }, null)).toEqual({
    ok: true,
    value: { posts: 'always', refundsOver: [], expiresInHours: 72 },
  });
  expect(readApprovalPolicy({ approveRefundsOver: ['EUR:50', 'JPY:900'], approvalHours: 24 }, null)).toEqual({
    ok: true,
    value: { posts: 'never', refundsOver: [eur, yen], expiresInHours: 24 },
  });
  expect(readApprovalPolicy({ approveRefundsOver: ['EUR:0'] }, null)).toMatchObject({
    value: { refundsOver: [{ currency: 'EUR', amountMinor: 0 }] },
  });
});

test('removes the requirement', () => {
  expect(readApprovalPolicy({ approvePosts: false }, null)).toEqual({ ok: true, value: null });
  expect(readApprovalPolicy({ approveRefundsOver: ['none'] }, null)).toEqual({ ok: true, value: null });
});

test.each([
  [{ approvalHours: 5 }, /needs --approve-posts/],
  [{ approveRefundsOver: ['50'] }, /write CURRENCY:AMOUNT/],
  [{ approveRefundsOver: ['EUR:5.001'] }, /write CURRENCY:AMOUNT/],
  [{ approveRefundsOver: ['EURO:5'] }, /write CURRENCY:AMOUNT/],
  [{ approveRefundsOver: ['EUR:5', 'none'] }, /write CURRENCY:AMOUNT/],
  [{ approveRefundsOver: ['EUR:5', 'EUR:6'] }, /names EUR twice/],
])('rejects %j', (options, message) => {
  expect(readApprovalPolicy(options, null)).toMatchObject({
    ok: false,
    failure: { message: expect.stringMatching(message) as unknown },
  });
});

test('keeps what the options do not name', () => {
  const before = {
    posts: 'never',
    refundsOver: [{ currency: 'EUR', amountMinor: 1 }],
    expiresInHours: 8,
  } as const;
  expect(readApprovalPolicy({ approvePosts: true }, before)).toEqual({
    ok: true,
    value: { ...before, posts: 'always' },
  });
  expect(readApprovalPolicy({ approvalHours: 24 }, before)).toMatchObject({
    value: { ...before, expiresInHours: 24 },
  });
  expect(readApprovalPolicy({ approveRefundsOver: ['none'] }, { ...before, posts: 'always' })).toEqual({
    ok: true,
    value: { posts: 'always', refundsOver: [], expiresInHours: 8 },
  });
  expect(readApprovalPolicy({ approveRefundsOver: ['none'] }, before)).toEqual({ ok: true, value: null });
});

test('rejects hours that the policy does not have', () => {
  expect(readApprovalHours('168')).toBe(168);
  for (const text of ['0', '169', '1.5', 'soon']) expect(() => readApprovalHours(text)).toThrow(/1 to 168/);
});
