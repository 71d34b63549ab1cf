import { expect, test } from '@jest/globals';
import { memoryStore } from '../../testing/stores/memory-store.js';
import { remoteOrder } from '../../testing/stores/order-builder.js';
import { createStoreFixture } from '../../testing/stores/store-fixture.js';
import { getOrder } from './get-order.js';
import { formatOrderId } from './order-id.js';

const s = createStoreFixture();
const store = memoryStore({ clock: s.clock, orders: [remoteOrder()] });
const connection = s.connect(store);
const orderId = formatOrderId({ connectionId: connection.id, externalId: 'so_1' });

test('an order is read live from its store', async () => {
  expect(await getOrder(s.ports, s.call(s.key()), { orderId })).toEqual({
    ok: true,
    value: { id: orderId, connectionId: connection.id, platform: 'memory_store', order: remoteOrder() },
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

test('totals include tax and add up with the lines, whatever the store includes (finding 53)', async () => {
  const net = createStoreFixture();
  const euros = (amountMinor: number) => ({ amountMinor, currency: 'EUR' });
  const order = remoteOrder();
  const netTotals = { subtotal: 4132, discount: 0, shipping: 405, tax: 953, total: 5490 } as const;
  const totals = { ...order.totals };
  for (const [name, minor] of Object.entries(netTotals)) Object.assign(totals, { [name]: euros(minor) });
  const shippingLines = [{ id: 'sl', title: 'Post', total: euros(490), refundable: euros(490) }];
  const netStore = memoryStore({ clock: net.clock, orders: [{ ...order, totals, shippingLines }] });
  const id = formatOrderId({ connectionId: net.connect(netStore).id, externalId: 'so_1' });
  const found = await getOrder(net.ports, net.call(net.key()), { orderId: id });
  expect(found.ok && found.value.order.totals).toMatchObject({
    subtotal: euros(5000),
    shipping: euros(490),
    tax: euros(953),
    total: euros(5490),
  });
});
