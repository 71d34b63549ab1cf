import { describe, expect, test } from '@jest/globals';
import { money } from '@switchboard/domain';
import type { RemoteRefund } from '@switchboard/domain/orders';
import type { RefundPayment } from '@switchboard/domain/refunds';
import { mergeRefunds } from './merge-refunds.js';

const created = (id: string, more: Partial<RemoteRefund> = {}): RemoteRefund => ({
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
const requested = (...ids: string[]): RefundPayment[] =>
  ids.map((id) => ({ id: `pay_${id}`, amountMinor: 100, moneyMoved: true }));

test('a single refund of a single payment is returned as is', () => {
  expect(mergeRefunds(requested('a'), [created('a')])).toEqual(created('a'));
});

test('refunds of every payment are one refund of their sum', () => {
  expect(
    mergeRefunds(requested('a', 'b'), [created('a'), created('b', { amount: money(23, 'EUR') })]),
  ).toMatchObject({
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
])('money has moved as soon as a part of it has: %s and %s is %s', (one, other, whole) => {
  const refund = mergeRefunds(requested('a', 'b'), [
    created('a', { moneyMoved: one }),
    created('b', { moneyMoved: other }),
  ]);
  expect(refund).toMatchObject({ status: 'succeeded', moneyMoved: whole });
});

test('a refund is pending while any part is', () => {
  const refund = mergeRefunds(requested('a', 'b'), [created('a'), created('b', { status: 'pending' })]);
  expect(refund?.status).toBe('pending');
});

test('a refund whose parts all failed has failed', () => {
  const failed = { status: 'failed', moneyMoved: false } as const;
  expect(mergeRefunds(requested('a', 'b'), [created('a', failed), created('b', failed)])?.status).toBe(
    'failed',
  );
});

describe('the outcome of a refund is unknown', () => {
  test.each([
    ['if a part is missing', requested('a', 'b'), [created('a')]],
    ['if a part exists twice', requested('a'), [created('a'), created('a', { externalId: 're_again' })]],
    ['if a part failed', requested('a', 'b'), [created('a'), created('b', { status: 'failed' })]],
    ['if it is of another payment', requested('a'), [created('b')]],
    [
      'if one payment was refunded twice and the other not',
      requested('a', 'b'),
      [created('a'), created('a')],
    ],
    ['if it has no parts', requested('a'), []],
  ])('%s', (_name, payments, refunds) => expect(mergeRefunds(payments, refunds)).toBeNull());
});
