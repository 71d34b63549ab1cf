import { expect, test } from '@jest/globals';
import { parseOrderSearch } from './order-search.js';
import { seededOrders } from './seed-orders.js';

const orders = seededOrders(new Date('2026-11-22T12:00:00Z'));
const found = (query: string) => orders.filter(parseOrderSearch(query).fits).map(({ name }) => name);

test('terms are joined by an optional AND; OR has lower precedence, parentheses higher', () => {
  expect(found(`name:1044 AND status:open`)).toEqual(['#1044']);
  expect(found(`name:1044 status:cancelled`)).toEqual([]);
  expect(found('name:1044 status:cancelled OR name:1043')).toEqual(['#1043']);
  expect(found('(name:1044 OR name:1043) AND status:open')).toEqual(['#1044', '#1043']);
  expect(found('status:open').length + found('NOT status:open').length).toBe(orders.length);
});

test('times are compared, in either kind of quotes', () => {
  const at = orders[3]?.createdAt.toISOString() ?? '';
  expect(found(`created_at:>='${at}'`)).toHaveLength(4);
  expect(found(`created_at:>"${at}"`)).toHaveLength(3);
  expect(found(`created_at:<='${at}' created_at:>='${at}'`)).toHaveLength(1);
});

test('quoted or escaped text is not syntax', () => {
  expect(found(`email:'x\\' OR name:\\'1044'`)).toEqual([]);
  expect(found(`name:\\#1044`)).toEqual(['#1044']);
  expect(parseOrderSearch(`name:'it\\'s'`).warnings).toEqual([]);
});

test('an unknown filter is ignored, with a warning in the extensions', () => {
  expect(found('billing_email:nobody@example.test')).toHaveLength(orders.length);
  expect(parseOrderSearch('billing_email:nobody').warnings).toMatchObject([
    { field: 'billing_email', code: 'invalid_field' },
  ]);
});
