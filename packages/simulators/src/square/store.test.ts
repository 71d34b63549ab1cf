import { expect, test } from '@jest/globals';
import type { WireResponse } from '../wire/exchange.js';
import type { Payment } from './model.js';
import { squareStore, SQUARE_TOKEN, type SquareOptions } from './store.js';

const at = (options: SquareOptions = {}) => {
  let now = Date.parse('2026-11-21T12:00:00.000Z');
  const store = squareStore({ now: () => new Date(now), ...options });
  const ask = (method: string, path: string, body?: unknown, token = SQUARE_TOKEN) =>
    store.respond({
      method,
      path,
      query: new URLSearchParams(),
      headers: { authorization: `Bearer ${token}` },
      body,
    });
  return { store, ask, wait: (ms: number) => void (now += ms) };
};
const codeOf = ({ json }: WireResponse) => (json as { errors?: { code: string }[] }).errors?.[0]?.code;
const search = (more: object) => ({ location_ids: ['LOC0'], limit: 3, ...more });
const refund = (amount: number, more: object = {}) => ({
  idempotency_key: `k${amount}`,
  payment_id: 'PAY0x0',
  amount_money: { amount, currency: 'USD' },
  ...more,
});

test.each([
  ['no location', { location_ids: [] }, 'MISSING_REQUIRED_PARAMETER'],
  [
    'eleven locations',
    { location_ids: Array.from({ length: 11 }, (_, index) => `LOC${index}`) },
    'ARRAY_LENGTH_TOO_LONG',
  ],
  ['another merchant’s location', { location_ids: ['LOC9'] }, 'INVALID_VALUE'],
  ['more than a thousand', { limit: 1001 }, 'VALUE_TOO_HIGH'],
  ['a sort without a field', { query: { sort: {} } }, 'MISSING_REQUIRED_PARAMETER'],
  [
    'a time filter on a different field than the sort',
    { query: { filter: { date_time_filter: { updated_at: {} } }, sort: { sort_field: 'CREATED_AT' } } },
    'BAD_REQUEST',
  ],
  ['an unknown cursor', { cursor: 'nothing' }, 'INVALID_CURSOR'],
])('a search with %s is rejected', (_what, more, code) => {
  expect(codeOf(at().ask('POST', '/v2/orders/search', search(more)))).toBe(code);
});

test('a cursor is valid for fifteen minutes, with its original query', () => {
  const { ask, wait } = at();
  const cursorOf = ({ json }: WireResponse) => (json as { cursor?: string }).cursor;
  const cursor = cursorOf(ask('POST', '/v2/orders/search', search({})));
  expect(ask('POST', '/v2/orders/search', search({ cursor })).status).toBe(200);
  expect(codeOf(ask('POST', '/v2/orders/search', search({ cursor, limit: 4 })))).toBe('INVALID_CURSOR');
  wait(16 * 60_000);
  expect(codeOf(ask('POST', '/v2/orders/search', search({ cursor })))).toBe('INVALID_CURSOR');
});

test.each([
  ['without a key', refund(1, { idempotency_key: undefined }), 'MISSING_REQUIRED_PARAMETER'],
  ['with a key that is too long', refund(1, { idempotency_key: 'k'.repeat(46) }), 'VALUE_TOO_LONG'],
  ['with a reason that is too long', refund(1, { reason: 'r'.repeat(193) }), 'VALUE_TOO_LONG'],
  ['of zero', refund(0), 'VALUE_TOO_LOW'],
  ['in another currency', refund(1, { amount_money: { amount: 1, currency: 'EUR' } }), 'CURRENCY_MISMATCH'],
  ['of more than was paid', refund(2161), 'REFUND_AMOUNT_INVALID'],
  ['of another version', refund(1, { payment_version_token: 'old' }), 'VERSION_MISMATCH'],
  ['of an unknown payment', refund(1, { payment_id: 'none' }), 'NOT_FOUND'],
  ['of an authorized payment', refund(1, { payment_id: 'PAY5x0' }), 'REFUND_ERROR_PAYMENT_NEEDS_COMPLETION'],
  ['of a cancelled payment', refund(1, { payment_id: 'PAY6x0' }), 'PAYMENT_NOT_REFUNDABLE'],
  ['of a card that must be present', refund(1, { payment_id: 'PAY11x0' }), 'CARD_PRESENCE_REQUIRED'],
])('a refund %s is rejected, and nothing is created', (_what, body, code) => {
  const { store, ask } = at();
  const before = store.refunds.createdCount();
  expect(codeOf(ask('POST', '/v2/refunds', body))).toBe(code);
  expect(store.refunds.createdCount()).toBe(before);
});

test('only completed refunds count against a payment, so that two pending ones may exceed it', () => {
  const { store, ask } = at();
  const before = store.refunds.createdCount();
  expect(ask('POST', '/v2/refunds', refund(2000)).status).toBe(200);
  expect(ask('POST', '/v2/refunds', refund(2001)).status).toBe(200);
  expect(store.refunds.createdCount()).toBe(before + 2);
  store.refunds.settle();
  expect(codeOf(ask('POST', '/v2/refunds', refund(100)))).toBe('REFUND_AMOUNT_INVALID');
});

test.each([
  [false, 200],
  [true, 400],
])(
  'a key with the same amount and other fields is the same refund, or (strict: %s) rejected',
  (strictKeys, status) => {
    const { store, ask } = at({ strictKeys });
    const before = store.refunds.createdCount();
    const ask200 = (reason: string) => ask('POST', '/v2/refunds', refund(200, { reason })).status;
    expect([ask200('one'), ask200('one'), ask200('other')]).toEqual([200, 200, status]);
    expect(store.refunds.createdCount()).toBe(before + 1);
  },
);

test('the list of payments shows the previous state until it catches up', () => {
  const { store, ask, wait } = at({ listLagMs: 5_000 });
  const listed = () =>
    (ask('GET', '/v2/payments').json as { payments: Payment[] }).payments.find(({ id }) => id === 'PAY0x0');
  const { version_token: version } = listed() ?? {};
  store.refunds.makeInStore('PAY0x0', 50);
  expect(listed()).toMatchObject({ version_token: version });
  wait(5_000);
  expect(listed()).toMatchObject({ refunded_money: { amount: 50 } });
});

test('a refund completes automatically after the configured number of reads', () => {
  const { ask } = at({ settlesAfterReads: 1 });
  const refundOf = ({ json }: WireResponse) => (json as { refund: { id: string; status: string } }).refund;
  const { id, status } = refundOf(ask('POST', '/v2/refunds', refund(100)));
  const looked = [1, 2].map(() => refundOf(ask('GET', `/v2/refunds/${id}`)).status);
  expect([status, ...looked]).toEqual(['PENDING', 'PENDING', 'COMPLETED']);
});

test('a token accesses only what its permissions cover', () => {
  const { ask } = at({ tokens: { reader: ['MERCHANT_PROFILE_READ'] } });
  expect(ask('GET', '/v2/merchants/me', undefined, 'reader').status).toBe(200);
  expect(ask('POST', '/v2/refunds', refund(1), 'reader').status).toBe(403);
  expect(ask('GET', '/v2/merchants/me', undefined, 'toString').status).toBe(401);
});
