import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { testSession } from '../kit/testing/session.js';
import { connecting } from './connecting.js';
import { startWorld, type BlueskyWorld } from './testing/world.js';

let world: BlueskyWorld;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

test('an account has its handle from its server and its name from the app view', async () => {
  expect(await connecting.identify(testSession(world))).toEqual({
    ok: true,
    value: [
      {
        id: world.account.id,
        username: 'test.example',
        name: 'Test',
        avatarUrl: null,
        url: `https://bsky.app/profile/${world.account.id}`,
      },
    ],
  });
});

test('an account can be connected while no app view answers', async () => {
  const session = testSession(world);
  const found = await connecting.identify({
    ...session,
    request: (request) => {
      if (request.path.includes('app.bsky')) world.break('500-before');
      return session.request(request);
    },
  });
  expect(found).toMatchObject({ ok: true, value: [{ id: world.account.id, name: null, avatarUrl: null }] });
});
