import { expect, test } from '@jest/globals';
import { memoryStore } from '../../testing/stores/memory-store.js';
import { remoteOrder } from '../../testing/stores/order-builder.js';
import { createStoreFixture } from '../../testing/stores/store-fixture.js';
import { formatOrderId } from '../orders/order-id.js';
import { getRefund } from './get-refund.js';
import { listRefunds, type ListRefundsCommand } from './list-refunds.js';
import { refundOrder } from './refund-order.js';

async function refunded() {
  const s = createStoreFixture();
  const store = memoryStore({ clock: s.clock, orders: [remoteOrder(), remoteOrder({ externalId: 'so_2' })] });
  const connection = s.connect(store);
  const call = s.call(s.key());
  const of = (externalId: string) => formatOrderId({ connectionId: connection.id, externalId });
  const ids: string[] = [];
  for (const [order, amount] of [
    ['so_1', '1.00'],
    ['so_2', '2.00'],
    ['so_1', '3.00'],
  ] as const) {
    const made = await refundOrder(s.ports, call, { orderId: of(order), amount });
    if (made.ok) ids.push(made.value.id);
  }
  const list = async (command: Partial<ListRefundsCommand>, as = call) => {
    const page = await listRefunds(s.ports, as, { limit: 20, ...command });
    return page.ok ? page.value.items.map(({ id }) => id) : page.failure.code;
  };
  const otherCall = s.call(s.key({ profileIds: [s.build.profile(s.workspace).id] }));
  return { s, call, of, ids, list, connection, otherCall };
}

test('refunds are listed newest first, of an order or of all, page by page', async () => {
  const t = await refunded();
  const [first, second, third] = t.ids;
  expect(await t.list({})).toEqual([third, second, first]);
  expect(await t.list({ orderId: t.of('so_1') })).toEqual([third, first]);
  expect(await t.list({ status: ['failed'] })).toEqual([]);
  const page = await listRefunds(t.s.ports, t.call, { limit: 2 });
  if (!page.ok) throw new Error(page.failure.code);
  expect(await t.list({ limit: 2, cursor: page.value.nextCursor ?? '' })).toEqual([first]);
  expect(await t.list({ status: ['succeeded'], cursor: page.value.nextCursor ?? '' })).toBe(
    'request.invalid_cursor',
  );
});

test('an order combined with another connection has no refunds', async () => {
  const t = await refunded();
  const other = t.s.connect(memoryStore({ clock: t.s.clock, id: 'other' }));
  expect(await t.list({ orderId: t.of('so_1'), connectionId: other.id })).toEqual([]);
  expect(await t.list({ orderId: t.of('so_1'), connectionId: t.connection.id })).toHaveLength(2);
});

test('an unreachable resource is not found, in a filter and by id', async () => {
  const t = await refunded();
  expect(await t.list({ orderId: t.of('so_1') }, t.otherCall)).toBe('order.not_found');
  expect(await t.list({ connectionId: t.connection.id }, t.otherCall)).toBe('connection.not_found');
  expect(await t.list({ profileId: t.s.profile.id }, t.otherCall)).toBe('profile.not_found');
  const refundId = t.ids[0] ?? '';
  expect(await getRefund(t.s.ports, t.otherCall, { refundId })).toMatchObject({
    failure: { code: 'refund.not_found' },
  });
  expect(await getRefund(t.s.ports, t.call, { refundId: 'rfd_x' })).toMatchObject({
    failure: { code: 'refund.not_found' },
  });
  expect(await getRefund(t.s.ports, t.call, { refundId })).toMatchObject({
    value: { id: refundId, status: 'succeeded' },
  });
});
