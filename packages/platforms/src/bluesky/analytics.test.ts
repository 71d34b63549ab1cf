import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { noMetrics } from '@switchboard/domain/analytics';
import type { PlatformResponse, PlatformRequest, Session } from '@switchboard/domain/ports';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { buildItem, discardReceipt } from '@switchboard/platform-kit/testing/calls';
import { analytics } from './analytics.js';
import { publishing } from './publishing.js';
import { startWorld } from './testing/world.js';

let world: Awaited<ReturnType<typeof startWorld>>;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

test('shares are the sum of reposts and quotes', async () => {
  const posted = await publishing.publish(testSession(world), buildItem('Count me'), discardReceipt);
  if (!posted.ok) throw new Error(posted.failure.code);
  const found = await analytics.ofPosts(testSession(world), [posted.value.externalId]);
  expect(found.ok && found.value.get(posted.value.externalId)).toEqual({
    ...noMetrics,
    likes: 3,
    comments: 2,
    shares: 5,
  });
});

test('sixty posts take three requests', async () => {
  const before = world.requests();
  await analytics.ofPosts(
    testSession(world),
    Array.from({ length: 60 }, (_, at) => `at://did:plc:x/y/${at}`),
  );
  expect(world.requests()).toBe(before + 3);
});

test('no posts take no request', async () => {
  const before = world.requests();
  expect(await analytics.ofPosts(testSession(world), [])).toEqual({ ok: true, value: new Map() });
  expect(world.requests()).toBe(before);
});

test('a missing count is null, never 0, and so is a sum with it', async () => {
  const uri = 'at://did:plc:x/app.bsky.feed.post/1';
  const response = (posts: unknown): PlatformResponse => ({
    status: 200,
    ok: true,
    headers: {},
    body: new Uint8Array(),
    json: { posts },
  });
  const session: Session = {
    ...testSession(world),
    request: async (_request: PlatformRequest) => ({ ok: true, value: response([{ uri, repostCount: 0 }]) }),
  };
  const found = await analytics.ofPosts(session, [uri]);
  expect(found.ok && found.value.get(uri)).toEqual(noMetrics);
});
