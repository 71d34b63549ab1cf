import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { readOrder } from './read-order.js';
import { queries } from './wire.js';

const response = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'fixtures/partly-refunded-order.json'), 'utf8'),
) as { readonly data: { readonly order: object } };
const at = '2026-11-23T09:00:00.000Z';

function shipmentsOf(fulfillments: readonly object[] | null) {
  const { order, globalSettings } = queries.order.answer.parse({
    ...response.data,
    order: { ...response.data.order, fulfillments },
  });
  if (!order) throw new Error('there is no order in it');
  return readOrder(order, globalSettings.serverConfig.moneyStrategyPrecision, 'https://vendure.example')
    .shipments;
}

test('a shipment has its carrier, number, lines and state', () => {
  const lines = [{ orderLineId: '3', quantity: 2 }];
  const shipment = { id: '7', state: 'Shipped', method: 'DHL', trackingCode: 'JD0002', createdAt: at, lines };
  expect(shipmentsOf([shipment])).toEqual([
    {
      id: '7',
      status: 'shipped',
      carrier: 'DHL',
      trackingNumber: 'JD0002',
      trackingUrl: null,
      lineItems: [{ id: '3', quantity: 2 }],
      createdAt: new Date(at),
    },
  ]);
});

test.each([
  ['Created', 'pending'],
  ['Pending', 'pending'],
  ['Delivered', 'delivered'],
  ['Cancelled', 'cancelled'],
])('%s is %s, also without a number', (state, status) => {
  const shipment = { id: '7', state, method: '', trackingCode: '', createdAt: at, lines: [] };
  expect(shipmentsOf([shipment])).toMatchObject([{ status, carrier: null, trackingNumber: null }]);
});

test('an order without fulfillments has no shipments', () => {
  expect(shipmentsOf(null)).toEqual([]);
});
