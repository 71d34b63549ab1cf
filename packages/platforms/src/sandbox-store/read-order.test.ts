import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { money } from '@switchboard/domain';
import type { RemoteOrder } from '@switchboard/domain/orders';
import { readOrder } from './read-order.js';
import { order } from './wire.js';

const wire = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'fixtures/guest-order.json'), 'utf8'),
) as object;
const read = (more: object = {}) => readOrder(order.parse({ ...wire, ...more }));
const kwd = (amountMinor: number) => money(amountMinor, 'KWD');

test('a guest’s order is read completely, in its own currency', () => {
  const expected: RemoteOrder = {
    externalId: 'so_guest1',
    number: '1042',
    status: 'open',
    paymentStatus: 'partially_refunded',
    fulfillmentStatus: 'partial',
    rawStatus: 'open',
    currency: 'KWD',
    pricesIncludeTax: null,
    totals: {
      discount: kwd(500),
      shipping: kwd(1250),
      tax: kwd(0),
      total: kwd(10750),
      captured: kwd(10750),
      refunded: kwd(2000),
      refundable: kwd(8000),
    },
    customer: { id: null, name: 'Ana Ruiz', email: 'ana.ruiz@example.com' },
    emails: ['ana.ruiz@example.com'],
    lines: [
      {
        id: 'li_1',
        sku: null,
        title: 'Oud',
        quantity: 3,
        refundableQuantity: 2,
        unitPrice: kwd(3500),
        total: kwd(10000),
      },
    ],
    shippingLines: [{ id: 'sl_1', title: 'Courier', total: kwd(1250), refundable: kwd(1000) }],
    shippingAddress: null,
    payments: [
      {
        id: 'pay_1',
        gateway: 'bank_transfer',
        method: 'Bank transfer',
        captured: kwd(10750),
        refunded: kwd(2000),
        refundable: kwd(8000),
        refundableOnline: false,
      },
    ],
    refunds: [
      {
        externalId: 're_1',
        status: 'succeeded',
        amount: kwd(2000),
        reference: 'rfd_1',
        reason: 'Broken',
        paymentId: 'pay_1',
        moneyMoved: false,
        createdAt: new Date('2026-11-21T10:00:00.000Z'),
      },
    ],
    shipments: null,
    note: 'Ring twice',
    createdAt: new Date('2026-11-20T08:59:00.000Z'),
    updatedAt: new Date('2026-11-21T10:00:00.000Z'),
    url: 'http://127.0.0.1:3002/store/orders/so_guest1',
  };
  expect(read()).toEqual(expected);
});

test('the customer’s address and the billing address can both be searched for', () => {
  const customer = { id: 'cus_1', name: 'Ana', email: 'ana@example.org' };
  expect(read({ customer }).emails).toEqual(['ana@example.org', 'ana.ruiz@example.com']);
  expect(read({ customer }).customer).toEqual({ id: 'cus_1', name: 'Ana', email: 'ana@example.org' });
});

test.each([
  ['an amount with a fraction', { total: 107.5 }],
  ['an unknown status', { status: 'archived' }],
  ['a time without an offset', { created_at: '2026-11-20T08:59:00' }],
  ['an order without an id', { id: '' }],
])('%s is rejected', (_name, more) => {
  expect(order.safeParse({ ...wire, ...more }).success).toBe(false);
});
