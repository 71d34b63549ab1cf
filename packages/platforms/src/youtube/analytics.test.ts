import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Session } from '@switchboard/domain/ports';
import { buildItem, discardReceipt } from '@switchboard/platform-kit/testing/calls';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { videoOf } from '@switchboard/platform-kit/testing/test-media';
import { analytics } from './analytics.js';
import { manifest } from './manifest.js';
import { publishing } from './publishing.js';
import { startWorld } from './testing/world.js';

let world: Awaited<ReturnType<typeof startWorld>>;
let session: Session;
let id: string;
beforeEach(async () => {
  world = await startWorld();
  session = testSession({ ...world, otherOrigins: [manifest.analyticsBaseUrl] });
  const video = buildItem('', {
    title: 'Firing the kiln',
    options: { made_for_kids: false },
    media: [videoOf()],
  });
  const posted = await publishing.publish(session, video, discardReceipt);
  id = posted.ok ? posted.value.externalId : '';
});
afterEach(() => world.close());

const read = async () => {
  const numbers = await analytics.ofPosts(session, [id]);
  return numbers.ok ? numbers.value.get(id) : numbers.failure.code;
};

test('all other metrics are returned if only the shares are unavailable', async () => {
  expect(await read()).toMatchObject({ views: 321, shares: 7 });
  const others = { views: 321, likes: 12, comments: 0, shares: null };
  world.network.setReportsEnabled(false);
  expect(await read()).toMatchObject(others);
  world.network.setReportsEnabled(true);
  world.break('500-before', 1);
  expect(await read()).toMatchObject(others);
  world.break('garbage', 1);
  expect(await read()).toMatchObject(others);
});

test('a rate limit applies to the whole request', async () => {
  world.break('429', 1);
  expect(await read()).toBe('platform.rate_limited');
});
