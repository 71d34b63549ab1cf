import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { readOrder } from './read-order.js';
import { queries } from './wire.js';

/** The responses of Vendure 3.6.3 on 2026-11-22, after a refund of ours. */
const response = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'fixtures/partly-refunded-order.json'), 'utf8'),
) as { readonly data: unknown };
const usd = (amountMinor: number) => ({ amountMinor, currency: 'USD' });

test('a partly refunded order is read as the real server returns it', () => {
  const { order, globalSettings } = queries.order.answer.parse(response.data);
  if (!order) throw new Error('there is no order in it');
  const { moneyStrategyPrecision } = globalSettings.serverConfig;
  expect(readOrder(order, moneyStrategyPrecision, 'https://vendure.example')).toMatchObject({
    number: 'B7L6QW2ZTHMFPESQ',
    paymentStatus: 'partially_refunded',
    rawStatus: 'PaymentSettled',
    pricesIncludeTax: null,
    totals: {
      shipping: usd(499),
      total: usd(3649),
      captured: usd(3649),
      refunded: usd(200),
      refundable: usd(3449),
    },
    customer: { id: '3', name: 'Ada Buyer 2', email: 'buyer2@example.test' },
    lines: [{ id: '3', sku: 'W1', quantity: 3, unitPrice: usd(1050), total: usd(3150) }],
    refunds: [{ status: 'succeeded', amount: usd(200), reference: 'rfd_01m80w99zhxjs59sg0b4928hm1' }],
  });
});
