import { expect, test } from '@jest/globals';
import { createStoreFixture } from '../../testing/stores/store-fixture.js';
import { ok } from '../result.js';
import { getPostHistory } from './get-post-history.js';

test('a key reads the history of posts within its profiles; any other post is not found', async () => {
  const s = createStoreFixture();
  const post = s.build.post(s.profile, [s.build.connection(s.profile)]);
  await s.ports.transactions.run(async (tx) => ok(await tx.posts.insert(post)));
  const otherProfile = s.key({ profileIds: [s.build.profile(s.workspace).id] });

  expect(await getPostHistory(s.ports, s.call(s.key()), { id: post.id })).toEqual({ ok: true, value: [] });
  expect(await getPostHistory(s.ports, s.call(otherProfile), { id: post.id })).toMatchObject({
    ok: false,
    failure: { code: 'post.not_found' },
  });
});
