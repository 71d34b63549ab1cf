import { describe, expect, test } from '@jest/globals';
import { memoryStore } from '../../testing/stores/memory-store.js';
import { remoteOrder } from '../../testing/stores/order-builder.js';
import { createStoreFixture } from '../../testing/stores/store-fixture.js';
import { refuse } from '../failure.js';
import { money } from '../money.js';
import type { Orders } from '../ports/orders.js';
import { ok } from '../result.js';
import { getOrder } from './get-order.js';
import type { OrderShipment, RemoteOrder } from './order.js';
import { formatOrderId } from './order-id.js';

const s = createStoreFixture();
const store = memoryStore({ clock: s.clock, orders: [remoteOrder()] });
const connection = s.connect(store);
const orderId = formatOrderId({ connectionId: connection.id, externalId: 'so_1' });

test('an order is read live from its store', async () => {
  expect(await getOrder(s.ports, s.call(s.key()), { orderId })).toEqual({
    ok: true,
    value: {
      id: orderId,
      connectionId: connection.id,
      platform: 'memory_store',
      order: {
        ...remoteOrder(),
        totals: { ...remoteOrder().totals, subtotal: money(4500, 'EUR'), adjustments: money(0, 'EUR') },
      },
    },
  });
});

test('malformed, missing, foreign and unreachable ids get the same refusal', async () => {
  const otherProfile = s.build.profile(s.workspace);
  const missing = formatOrderId({ connectionId: connection.id, externalId: 'so_404' });
  const answers = await Promise.all([
    getOrder(s.ports, s.call(s.key()), { orderId: 'nonsense' }),
    getOrder(s.ports, s.call(s.key()), { orderId: missing }),
    getOrder(s.ports, s.call(s.key(), { workspaceId: s.build.workspace().id }), { orderId }),
    getOrder(s.ports, s.call(s.key({ profileIds: [otherProfile.id] })), { orderId }),
  ]);
  for (const answer of answers) expect(answer).toEqual(answers[0]);
  expect(answers[0]).toMatchObject({ ok: false, failure: { code: 'order.not_found' } });
});

test('personal data is hidden from a key without access to it', async () => {
  const answer = await getOrder(s.ports, s.call(s.key({ hidePersonalData: true })), { orderId });
  expect(JSON.stringify(answer)).not.toMatch(/ana|ruiz|mayor/i);
});

test('an unavailable store and an expired grant are reported', async () => {
  store.switches.getFails = true;
  expect(await getOrder(s.ports, s.call(s.key()), { orderId })).toMatchObject({
    failure: { code: 'platform.unavailable' },
  });
  s.closed.add(connection.id);
  expect(await getOrder(s.ports, s.call(s.key()), { orderId })).toMatchObject({
    failure: { code: 'connection.needs_reauth' },
  });
});

test('totals include tax and add up with the lines and a fee, whatever the store includes (finding 53)', async () => {
  const net = createStoreFixture();
  const euros = (amountMinor: number) => ({ amountMinor, currency: 'EUR' });
  const order = remoteOrder();
  const netTotals = { discount: 0, shipping: 405, tax: 953, total: 5490 } as const;
  const totals = { ...order.totals };
  for (const [name, minor] of Object.entries(netTotals)) Object.assign(totals, { [name]: euros(minor) });
  const shippingLines = [{ id: 'sl', title: 'Post', total: euros(490), refundable: euros(490) }];
  const netStore = memoryStore({ clock: net.clock, orders: [{ ...order, totals, shippingLines }] });
  const id = formatOrderId({ connectionId: net.connect(netStore).id, externalId: 'so_1' });
  const found = await getOrder(net.ports, net.call(net.key()), { orderId: id });
  expect(found.ok && found.value.order.totals).toMatchObject({
    subtotal: euros(4500),
    shipping: euros(490),
    adjustments: euros(500),
    tax: euros(953),
    total: euros(5490),
  });
});

describe('shipments that take requests of their own', () => {
  const shipment: OrderShipment = {
    id: 'sh_1',
    status: 'shipped',
    carrier: 'DHL',
    trackingNumber: 'JD1',
    trackingUrl: null,
    lineItems: [],
    createdAt: null,
  };
  type Listing = NonNullable<Orders['listShipments']>;

  async function getShipments(shipments: RemoteOrder['shipments'], listShipments: Listing) {
    const t = createStoreFixture();
    const base = memoryStore({ clock: t.clock, orders: [remoteOrder({ shipments })] });
    const orders = { ...(base.platform.orders as Orders), listShipments };
    const store = { ...base, platform: { ...base.platform, orders } };
    const id = formatOrderId({ connectionId: t.connect(store).id, externalId: 'so_1' });
    const found = await getOrder(t.ports, t.call(t.key()), { orderId: id });
    return found.ok ? found.value.order.shipments : found;
  }
  const listed: Listing = async () => ok([shipment]);
  const unreachable: Listing = async () => refuse('platform.unavailable', 'No response.');
  const broken: Listing = async () => {
    throw new TypeError('a bug of the adapter');
  };

  test('are read with the order, and only where the order came without them', async () => {
    expect(await getShipments(null, listed)).toEqual([shipment]);
    expect(await getShipments([], broken)).toEqual([]);
  });

  test('and cannot be read leave the order readable', async () => {
    expect(await getShipments(null, unreachable)).toBeNull();
    expect(await getShipments(null, broken)).toBeNull();
  });
});
