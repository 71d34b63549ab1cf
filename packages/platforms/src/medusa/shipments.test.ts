import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { readOrder } from './read-order.js';
import { orderAnswer } from './wire.js';

const response = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'fixtures/partly-refunded-order.json'), 'utf8'),
) as { readonly order: object };
const at = '2026-11-23T09:00:00.000Z';

const shipmentsOf = (fulfillments: readonly object[] | undefined) =>
  readOrder(orderAnswer.parse({ order: { ...response.order, fulfillments } }).order, 'https://medusa.example')
    .shipments;

test('a shipment has its number, link, lines and state', () => {
  const labels = [{ tracking_number: 'JD0002', tracking_url: 'https://carrier.example/JD0002' }];
  const items = [{ line_item_id: 'ordli_1', quantity: 2 }];
  expect(shipmentsOf([{ id: 'ful_1', created_at: at, shipped_at: at, labels, items }])).toEqual([
    {
      id: 'ful_1',
      status: 'shipped',
      carrier: null,
      trackingNumber: 'JD0002',
      trackingUrl: 'https://carrier.example/JD0002',
      lineItems: [{ id: 'ordli_1', quantity: 2 }],
      createdAt: new Date(at),
    },
  ]);
});

test.each([
  [{}, 'pending'],
  [{ shipped_at: at, delivered_at: at }, 'delivered'],
  [{ shipped_at: at, canceled_at: at }, 'cancelled'],
])('%j is %s, also without a label', (times, status) => {
  const shipment = { id: 'ful_1', created_at: at, labels: null, items: null, ...times };
  expect(shipmentsOf([shipment])).toMatchObject([{ status, trackingNumber: null, trackingUrl: null }]);
});

test('an order whose shipments were not returned has none known', () => {
  expect(shipmentsOf(undefined)).toBeNull();
  expect(shipmentsOf([])).toEqual([]);
});
