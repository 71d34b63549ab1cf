import { describe, expect, test } from '@jest/globals';
import { createTestEnvironment } from '../../testing/environment/test-environment.js';
import type { KeyPolicy } from '../access/policy.js';
import { cancelPost } from './cancel-post.js';
import type { Delivery, DeliveryStatus } from '../deliveries/delivery.js';

async function scene(...statuses: DeliveryStatus[]) {
  const it = await createTestEnvironment();
  const connections = await Promise.all(statuses.map(() => it.connect()));
  const post = it.build.post(it.profile, connections);
  const deliveries = post.deliveries.map((delivery, at): Delivery => ({
    ...delivery,
    status: statuses[at] ?? 'pending',
  }));
  await it.repositories.posts.insert({ ...post, deliveries });
  const cancel = (policy: Partial<KeyPolicy> = {}, id: string = post.id, deliveryIds?: readonly string[]) =>
    it.atomic((ports) => cancelPost(ports, it.call({}, policy), { id, deliveryIds }));
  return { ...it, post, cancel };
}

test('unsent deliveries are cancelled with an event; cancelling again succeeds without one', async () => {
  const it = await scene('pending', 'retrying', 'blocked');
  for (const _ of [1, 2]) {
    const cancelled = await it.cancel();
    expect(cancelled.ok && cancelled.value.deliveries.map(({ status }) => status)).toEqual([
      'cancelled',
      'cancelled',
      'cancelled',
    ]);
  }
  expect(it.events()).toMatchObject([
    { type: 'post.cancelled', data: { status: 'cancelled', deliveries: [{}, {}, {}] } },
  ]);
});

test('a started delivery continues when the rest is cancelled', async () => {
  const it = await scene('pending', 'sending', 'published', 'unknown');
  const cancelled = await it.cancel();
  expect(cancelled.ok && cancelled.value.deliveries.map(({ status }) => status)).toEqual([
    'cancelled',
    'sending',
    'published',
    'unknown',
  ]);
});

test('only the named deliveries are cancelled; the post then remains scheduled (finding 41)', async () => {
  const it = await scene('pending', 'retrying', 'published');
  const [first, second, third] = it.post.deliveries.map(({ id }) => id);
  const cancel = (...deliveryIds: (string | undefined)[]) =>
    it.cancel(
      {},
      it.post.id,
      deliveryIds.map((id) => id ?? ''),
    );
  for (const _ of [1, 2]) {
    const cancelled = await cancel(first);
    expect(cancelled.ok && cancelled.value.deliveries.map(({ status }) => status)).toEqual([
      'cancelled',
      'retrying',
      'published',
    ]);
  }
  expect(it.events().map(({ type, data }) => [type, data['cancelled_delivery_ids']])).toEqual([
    ['post.updated', [first]],
  ]);
  expect(await cancel(third)).toMatchObject({ failure: { code: 'post.already_published' } });
  expect(await cancel(second, it.ids.next('dlv'))).toMatchObject({ failure: { code: 'delivery.not_found' } });
  expect(it.events()).toHaveLength(1);
});

describe('cancelling is rejected', () => {
  test.each<DeliveryStatus>(['sending', 'published', 'failed', 'unknown', 'needs_review', 'missed'])(
    'when every delivery is %s, and nothing changes',
    async (status) => {
      const it = await scene(status);
      expect(await it.cancel()).toMatchObject({ failure: { code: 'post.already_published' } });
      expect(await it.repositories.posts.find(it.workspace.id, it.post.id)).toMatchObject({
        version: 1,
        deliveries: [{ status }],
      });
      expect(it.events()).toEqual([]);
    },
  );

  test('as not found where the key does not reach the profile, like any other wrong id', async () => {
    const it = await scene('pending');
    const refused = await it.cancel({ profileIds: [] });
    expect(refused).toMatchObject({ failure: { code: 'post.not_found' } });
    expect(await it.cancel({}, 'nonsense')).toEqual(refused);
    expect(await it.cancel({}, it.ids.next('pst'))).toEqual(refused);
  });
});
