import { afterEach, expect, test } from '@jest/globals';
import { buildItem, discardReceipt } from '@switchboard/platform-kit/testing/calls';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { connecting } from './connecting.js';
import { findPost } from './find-post.js';
import { manifest } from './manifest.js';
import { publishing } from './publishing.js';
import { startWorld } from './testing/world.js';

let world: Awaited<ReturnType<typeof startWorld>> | undefined;
afterEach(() => world?.close());

test.each(['Basic', 'Premium', 'PremiumPlus'] as const)(
  'an account with %s may write long posts, which are found, and publish videos of two hours',
  async (subscription) => {
    world = await startWorld({ subscription });
    const session = testSession(world);
    const found = await connecting.identify(session);
    if (!found.ok) throw new Error(found.failure.message);
    const [account] = found.value;
    expect(account?.textLimits).toEqual({ max: 25_000, perLink: 23 });
    expect(account?.mediaLimits).toEqual({
      ...manifest.media,
      videos: { ...manifest.media?.videos, maxSeconds: 7_500 },
    });
    const item = buildItem(`${'Long & '.repeat(200)}https://example.com/end`);
    const posted = await publishing.publish(session, item, discardReceipt);
    if (!posted.ok) throw new Error(posted.failure.message);
    expect(await findPost(session, item)).toMatchObject({ value: { id: posted.value.externalId } });
  },
);

test('an account without a subscription has the default limits', async () => {
  world = await startWorld({ subscription: 'None' });
  const found = await connecting.identify(testSession(world));
  expect(found.ok && found.value).toEqual([{ ...world.account, avatarUrl: expect.any(String) }]);
});
