import { expect, test } from '@jest/globals';
import { isSale, readOrder } from './read-order.js';
import { orderAnswer } from './wire.js';

const none = {
  payments: new Map(),
  refunds: new Map(),
  customers: new Map(),
  unreadable: new Set<string>(),
};
const at = '2026-11-18T17:20:41.000Z';
const line = (uid: string, quantity: string) => ({ uid, name: uid, quantity });

function shipmentsOf(...fulfillments: readonly object[]) {
  const money = { amount: 4990, currency: 'USD' };
  const { order } = orderAnswer.parse({
    order: {
      id: 'order',
      location_id: 'place',
      state: 'OPEN',
      line_items: [line('mug', '3'), line('apples', '2.25')],
      total_money: money,
      created_at: at,
      fulfillments,
    },
  });
  if (!isSale(order)) throw new Error('it is no sale');
  return readOrder(order, none).shipments;
}

test('a shipment has its carrier, number, link and lines, and its state', () => {
  const shipment_details = {
    carrier: 'USPS',
    tracking_number: '9400100000000000000000',
    tracking_url: 'https://tools.usps.com/track?n=9400100000000000000000',
    placed_at: at,
    shipped_at: '2026-11-19T09:00:00.000Z',
  };
  const entries = [{ uid: 'e', line_item_uid: 'mug', quantity: '2' }];
  const shipment = { uid: 'f1', type: 'SHIPMENT', state: 'COMPLETED', line_item_application: 'ENTRY_LIST' };
  expect(shipmentsOf({ ...shipment, entries, shipment_details })).toEqual([
    {
      id: 'f1',
      status: 'shipped',
      carrier: 'USPS',
      trackingNumber: '9400100000000000000000',
      trackingUrl: 'https://tools.usps.com/track?n=9400100000000000000000',
      lineItems: [{ id: 'mug', quantity: 2 }],
      createdAt: new Date('2026-11-19T09:00:00.000Z'),
    },
  ]);
});

test('without a list of its own it has all lines; a measured quantity is one', () => {
  expect(shipmentsOf({ uid: 'f1', type: 'SHIPMENT', state: 'RESERVED' })).toMatchObject([
    {
      status: 'pending',
      lineItems: [
        { id: 'mug', quantity: 3 },
        { id: 'apples', quantity: 1 },
      ],
    },
  ]);
});

test.each([
  ['CANCELED', 'cancelled'],
  ['FAILED', 'failed'],
  ['PROPOSED', 'pending'],
])('%s is %s', (state, status) => {
  expect(shipmentsOf({ uid: 'f1', type: 'SHIPMENT', state })).toMatchObject([{ status }]);
});

test('what is picked up is no shipment, and a link that is no web address is left out', () => {
  const shipment_details = { tracking_url: 'javascript:alert(1)' };
  expect(
    shipmentsOf({ uid: 'f1', type: 'PICKUP' }, { uid: 'f2', type: 'SHIPMENT', shipment_details }),
  ).toMatchObject([{ id: 'f2', trackingUrl: null }]);
});
