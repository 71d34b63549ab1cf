import { expect, test } from '@jest/globals';
import { ok, price } from '@switchboard/domain';
import { memorySocial, virtualClock } from '@switchboard/domain/testing';
import { setupDispatch } from '../testing/setup-dispatch.js';
import validatePost from './validate-post.js';

test('reports a price in full precision, with the remaining quota, and null where there is neither', async () => {
  const posts = { name: 'posts', used: 20, limit: 25, resetsAt: null, usedBy: ['post'] } as const;
  const paidPlatform = memorySocial({
    id: 'dear',
    cost: () => price(15_000, 'USD'),
    quotas: async () => ok([posts]),
  });
  const it = await setupDispatch([paidPlatform, memorySocial({ id: 'free' })]);
  it.ports.clock = virtualClock();
  await it.connect({ platform: 'dear' });
  await it.connect({ platform: 'free' });
  const { authorization } = await it.key(['posts:read']);
  const { value } = await it.call(validatePost, { text: 'Hello' }, { authorization });
  expect(value).toMatchObject({
    targets: [
      { platform: 'dear', estimated_cost: { amount: '0.015', currency: 'USD' }, quota_left: 5 },
      { platform: 'free', estimated_cost: null, quota_left: null },
    ],
  });
});

test('rejects a choice that the account does not have and lists the available ones', async () => {
  const topic = { name: 'topic', label: 'Topic', type: 'choice', required: false } as const;
  const choices = [{ value: 'kiln-notes', label: 'Kiln notes' }];
  const social = memorySocial({
    id: 'sorted',
    manifest: { options: [topic] },
    options: async () => ok({ options: [{ ...topic, choices }] }),
  });
  const it = await setupDispatch([social]);
  it.ports.clock = virtualClock();
  await it.connect({ platform: 'sorted' });
  const { authorization } = await it.key(['posts:read']);
  const targets = [{ platform: 'sorted', options: { topic: 'Kiln notes' } }];
  const { value } = await it.call(validatePost, { text: 'Hello', targets }, { authorization });
  expect(value).toMatchObject({
    valid: false,
    targets: [
      { problems: [{ path: 'targets.0.options.topic', code: 'option.invalid', candidates: choices }] },
    ],
  });
});
