import { expect, test } from '@jest/globals';
import { parseExtent, type RefundFields } from './extent.js';

const read = (fields: RefundFields, currency = 'EUR') => {
  const result = parseExtent(fields, currency);
  return result.ok ? result.value : result.failure.code;
};

test('an empty request means the entire remainder', () => {
  expect(read({})).toEqual({ kind: 'full' });
  expect(read({ amount: undefined, reason: undefined })).toEqual({ kind: 'full' });
});

test('a request without an extent but with other fields is rejected, since it may contain a misspelled one', () => {
  expect(read({ reason: 'broken' })).toBe('refund.extent_required');
  expect(read({ full: false })).toBe('refund.extent_required');
  expect(read({ lineItems: [] })).toBe('refund.extent_required');
  expect(read({ allowOffline: true })).toBe('refund.extent_required');
});

test('an extent is given in exactly one way', () => {
  const lineItems = [{ id: 'mug', quantity: 1 }];
  expect(read({ full: true, amount: '1.00' })).toBe('refund.extent_conflict');
  expect(read({ full: true, shipping: 'full' })).toBe('refund.extent_conflict');
  expect(read({ amount: '1.00', lineItems })).toBe('refund.extent_conflict');
  expect(read({ amount: '1.00', shipping: 'full' })).toBe('refund.extent_conflict');
  expect(read({ lineItems, linesAre: 'restock_only' })).toBe('refund.extent_conflict');
  expect(read({ amount: '1.00', linesAre: 'restock_only' })).toBe('refund.extent_conflict');
  expect(read({ amount: '1.00', lineItems, shipping: 'full', linesAre: 'restock_only' })).toBe(
    'refund.extent_conflict',
  );
});

test('lines with an amount only define what is restocked', () => {
  expect(read({ amount: '1.00', lineItems: [{ id: 'mug', quantity: 1 }], linesAre: 'restock_only' })).toEqual(
    {
      kind: 'amount',
      amountMinor: 100,
      restock: [{ id: 'mug', quantity: 1, restock: true, locationId: null }],
    },
  );
});

test('lines are restocked only on request, and shipping can be combined with them or sent alone', () => {
  expect(read({ lineItems: [{ id: 'mug', quantity: 2 }], shipping: '1.50' })).toEqual({
    kind: 'lines',
    lines: [{ id: 'mug', quantity: 2, restock: false, locationId: null }],
    shipping: 150,
  });
  expect(read({ shipping: 'full' })).toEqual({ kind: 'lines', lines: [], shipping: 'full' });
});

test('an amount is a plain decimal above zero with no more decimals than its currency has', () => {
  for (const amount of [
    '0',
    '0.00',
    '-1',
    '0.001',
    '1e3',
    '10,00',
    '٣',
    'NaN',
    '90071992547409.93',
    '',
    ' 1',
    '+1',
    '01',
  ]) {
    expect([amount, read({ amount })]).toEqual([amount, 'request.invalid']);
  }
  expect(read({ amount: '10.50' }, 'JPY')).toBe('request.invalid');
  expect(read({ amount: '1.2345' }, 'BHD')).toBe('request.invalid');
  expect(read({ amount: '1.234' }, 'BHD')).toMatchObject({ amountMinor: 1234 });
  expect(read({ amount: '10' }, 'JPY')).toMatchObject({ amountMinor: 10 });
  expect(read({ shipping: '0.00' })).toBe('request.invalid');
});

test('an amount in another currency is rejected', () => {
  expect(read({ amount: { amount: '1.00', currency: 'USD' } })).toBe('refund.currency_mismatch');
  expect(read({ amount: { amount: '1.00', currency: 'EUR' } })).toMatchObject({ amountMinor: 100 });
});

test('a line is named once, with a whole quantity, and with a location only where it is restocked', () => {
  expect(
    read({
      lineItems: [
        { id: 'mug', quantity: 1 },
        { id: 'mug', quantity: 1 },
      ],
    }),
  ).toBe('request.invalid');
  expect(read({ lineItems: [{ id: 'mug', quantity: 0 }] })).toBe('request.invalid');
  expect(read({ lineItems: [{ id: 'mug', quantity: 1.5 }] })).toBe('request.invalid');
  expect(read({ lineItems: [{ id: 'mug', quantity: 1, locationId: 'x' }] })).toBe('request.invalid');
  expect(read({ lineItems: [{ id: 'mug', quantity: 1, restock: true, locationId: 'x' }] })).toMatchObject({
    lines: [{ id: 'mug', quantity: 1, restock: true, locationId: 'x' }],
  });
});
