import { describe, expect, test } from '@jest/globals';
import { money, type RefundPayment, type RemoteRefund } from '@switchboard/domain';
import { together } from './together.js';

const made = (id: string, more: Partial<RemoteRefund> = {}): RemoteRefund => ({
  externalId: `re_${id}`,
  status: 'succeeded',
  amount: money(100, 'EUR'),
  reference: 'rfd_1',
  reason: null,
  paymentId: `pay_${id}`,
  moneyMoved: true,
  createdAt: new Date('2026-11-21T12:00:00.000Z'),
  ...more,
});
const asked = (...ids: string[]): RefundPayment[] =>
  ids.map((id) => ({ id: `pay_${id}`, amountMinor: 100, moneyMoved: true }));

test('one refund of one payment is itself', () => {
  expect(together(asked('a'), [made('a')])).toEqual(made('a'));
});

test('refunds of every payment are one refund of their sum', () => {
  expect(together(asked('a', 'b'), [made('a'), made('b', { amount: money(23, 'EUR') })])).toMatchObject({
    externalId: 're_a,re_b',
    amount: money(123, 'EUR'),
    status: 'succeeded',
    paymentId: null,
    moneyMoved: true,
  });
});

test.each([
  [true, true, true],
  [true, false, true],
  [false, true, true],
  [false, false, false],
])('money has moved where it has for a part of it: %s and %s is %s', (one, other, whole) => {
  const refund = together(asked('a', 'b'), [
    made('a', { moneyMoved: one }),
    made('b', { moneyMoved: other }),
  ]);
  expect(refund).toMatchObject({ status: 'succeeded', moneyMoved: whole });
});

test('a refund is pending while a part of it is', () => {
  const refund = together(asked('a', 'b'), [made('a'), made('b', { status: 'pending' })]);
  expect(refund?.status).toBe('pending');
});

test('a refund whose every part failed has failed', () => {
  const failed = { status: 'failed', moneyMoved: false } as const;
  expect(together(asked('a', 'b'), [made('a', failed), made('b', failed)])?.status).toBe('failed');
});

describe('nobody can say what came of a refund', () => {
  test.each([
    ['of which a part is missing', asked('a', 'b'), [made('a')]],
    ['of which a part was made twice', asked('a'), [made('a'), made('a', { externalId: 're_again' })]],
    ['of which a part failed', asked('a', 'b'), [made('a'), made('b', { status: 'failed' })]],
    ['of another payment', asked('a'), [made('b')]],
    ['of one payment twice and of the other never', asked('a', 'b'), [made('a'), made('a')]],
    ['of which nothing was made', asked('a'), []],
  ])('%s', (_name, payments, refunds) => expect(together(payments, refunds)).toBeNull());
});
