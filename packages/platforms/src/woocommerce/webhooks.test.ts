import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Secret } from '@switchboard/platform-kit';
import { testSession } from '@switchboard/platform-kit/testing/session';
import type { WebhookDelivery } from '@switchboard/simulators';
import { startWorld } from './testing/world.js';
import { webhooks } from './webhooks.js';

let world: Awaited<ReturnType<typeof startWorld>>;
const secret = new Secret('our secret');
beforeAll(async () => {
  world = await startWorld();
  const target = { url: 'https://switchboard.example/store-webhooks/1', externalIds: [], secret };
  await webhooks.register(testSession(world), target);
});
afterAll(() => world.close());

const read = ({ url, headers, body }: WebhookDelivery) =>
  webhooks.read({ url, headers, secret, account: world.account, body: new TextEncoder().encode(body) });

test('the unsigned test of a new address is acknowledged, and nothing else that is unsigned', () => {
  const ping = world.store.webhooks.pingOf(world.store.webhooks.list()[0]?.id ?? '');
  expect(read(ping)).toEqual({ kind: 'nothing' });
  expect(read({ ...ping, body: `${ping.body}&id=4711` })).toEqual({ kind: 'forged' });
  expect(read({ ...ping, body: '{"id":4711}' })).toEqual({ kind: 'forged' });
});

test('two webhooks of one second are two deliveries, although the shop gives them one ID', () => {
  const [one] = world.store.webhooks.deliveriesOf('4711');
  const [other] = world.store.webhooks.deliveriesOf('4712');
  if (!one || !other) throw new Error('nothing was sent');
  expect(one.headers['x-wc-webhook-delivery-id']).toBe(other.headers['x-wc-webhook-delivery-id']);
  const [first, second] = [read(one), read(other)];
  expect([first.kind, second.kind]).toEqual(['order', 'order']);
  expect(first).not.toEqual(second);
  expect(first.kind === 'order' && second.kind === 'order' && first.deliveryId !== second.deliveryId).toBe(
    true,
  );
});
