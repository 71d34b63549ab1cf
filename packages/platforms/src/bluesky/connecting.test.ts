import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ok } from '@switchboard/domain';
import type { Session } from '@switchboard/domain/ports';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { connecting } from './connecting.js';
import { mediaRules } from './manifest.js';
import { startWorld } from './testing/world.js';

let world: Awaited<ReturnType<typeof startWorld>>;
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
        mediaLimits: {
          ...mediaRules,
          // As its server reports: Bluesky itself would accept more.
          videos: { ...mediaRules.videos, maxBytes: 5_242_880 },
        },
      },
    ],
  });
});

test('an account whose server reports no limits gets those of Bluesky', async () => {
  const session = testSession(world);
  const line: Session = {
    ...session,
    request: (request) =>
      request.path.endsWith('describeServer')
        ? Promise.resolve(
            ok({ status: 200, ok: true, headers: {}, body: new Uint8Array(), json: { did: 'did:web:old' } }),
          )
        : session.request(request),
  };
  expect(await connecting.identify(line)).toMatchObject({ ok: true, value: [{ mediaLimits: mediaRules }] });
});

test('an account can be connected while no app view responds', async () => {
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
