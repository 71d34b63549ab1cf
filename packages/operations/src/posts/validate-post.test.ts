import { expect, test } from '@jest/globals';
import { price } from '@switchboard/domain';
import { memorySocial } from '@switchboard/domain/testing';
import { desk } from '../testing/desk.js';
import validatePost from './validate-post.js';

test('a price is told in full, however small, and what is free has none', async () => {
  const dear = memorySocial({ id: 'dear', cost: () => price(15_000, 'USD') });
  const it = await desk([dear, memorySocial({ id: 'free' })]);
  await it.connect({ platform: 'dear' });
  await it.connect({ platform: 'free' });
  const { authorization } = await it.key(['posts:read']);
  const { value } = await it.call(validatePost, { text: 'Hello' }, { authorization });
  expect(value).toMatchObject({
    targets: [
      { platform: 'dear', estimated_cost: { amount: '0.015', currency: 'USD' } },
      { platform: 'free', estimated_cost: null },
    ],
  });
});
