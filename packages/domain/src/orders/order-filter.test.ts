import { expect, test } from '@jest/globals';
import { remoteOrder } from '../../testing/stores/order-builder.js';
import type { OrderQuery } from '../ports/orders.js';
import { matchesQuery, isPastEnd } from './order-filter.js';

const order = remoteOrder({ number: '#1042', createdAt: new Date('2026-03-01T10:00:00Z') });
const finds = (query: Partial<OrderQuery>) => matchesQuery(order, { sort: '-created_at', ...query });

test('an e-mail matches case-insensitively, as customer or as billing address', () => {
  expect(finds({ email: ' ANA.Ruiz@Example.com ' })).toBe(true);
  expect(finds({ email: 'billing@example.com' })).toBe(true);
  expect(finds({ email: 'ruiz@example.com' })).toBe(false);
});

test('a guest matches by the billing address alone', () => {
  const guest = remoteOrder({
    customer: { id: null, name: null, email: null },
    emails: ['guest@example.com'],
  });
  expect(matchesQuery(guest, { sort: '-created_at', email: 'guest@example.com' })).toBe(true);
});

test('a number matches with and without its hash, and never partially', () => {
  expect([finds({ number: '1042' }), finds({ number: '#1042' }), finds({ number: '104' })]).toEqual([
    true,
    true,
    false,
  ]);
});

test('time ranges include their start and exclude their end', () => {
  const at = order.createdAt;
  expect(finds({ createdAfter: at })).toBe(true);
  expect(finds({ createdBefore: at })).toBe(false);
  expect(finds({ updatedBefore: new Date(at.getTime() + 1) })).toBe(true);
});

test('totals are compared to the last cent, in their currency only', () => {
  expect(finds({ minTotalMinor: 4990, maxTotalMinor: 4990, currency: 'EUR' })).toBe(true);
  expect(finds({ minTotalMinor: 4991, currency: 'EUR' })).toBe(false);
  expect(finds({ maxTotalMinor: 4989, currency: 'EUR' })).toBe(false);
  expect(finds({ currency: 'USD' })).toBe(false);
});

test('each status must be among the requested ones', () => {
  expect(
    finds({
      statuses: ['open', 'cancelled'],
      paymentStatuses: ['paid'],
      fulfillmentStatuses: ['unfulfilled'],
    }),
  ).toBe(true);
  expect(finds({ statuses: [] })).toBe(false);
  expect(finds({ paymentStatuses: ['refunded'] })).toBe(false);
  expect(finds({ fulfillmentStatuses: ['fulfilled'] })).toBe(false);
});

test('the search stops once the sort time has left the requested range', () => {
  const later = new Date(order.createdAt.getTime() + 1);
  expect(isPastEnd(order, { sort: '-created_at', createdAfter: later })).toBe(true);
  expect(isPastEnd(order, { sort: '-created_at', createdAfter: order.createdAt })).toBe(false);
  expect(isPastEnd(order, { sort: 'created_at', createdBefore: order.createdAt })).toBe(true);
  expect(isPastEnd(order, { sort: '-updated_at', createdAfter: later })).toBe(false);
});
