import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { readOrder } from './read-order.js';
import { orderAnswer } from './wire.js';

/** The response of Medusa 2.20.0 on 2026-11-22, after a refund of ours. */
const response: unknown = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'fixtures/partly-refunded-order.json'), 'utf8'),
);
const usd = (amountMinor: number) => ({ amountMinor, currency: 'USD' });

test('a partly refunded order is read as the real server returns it', () => {
  const { order } = orderAnswer.parse(response);
  expect(readOrder(order, 'https://medusa.example')).toMatchObject({
    number: '3',
    paymentStatus: 'partially_refunded',
    fulfillmentStatus: 'unfulfilled',
    pricesIncludeTax: false,
    totals: {
      shipping: usd(499),
      total: usd(2999),
      captured: usd(2999),
      refunded: usd(200),
      refundable: usd(2799),
    },
    emails: ['Buyer2@example.test', 'buyer2@example.test'],
    refunds: [{ status: 'succeeded', amount: usd(200), reference: 'rfd_01m80w8a30ae3fpf7mfm8x70vn' }],
  });
});
