import { afterEach, expect, test } from '@jest/globals';
import { noMetrics } from '@switchboard/domain';
import { itemOf, nothingKept } from '../kit/testing/calls.js';
import { testSession } from '../kit/testing/session.js';
import { analytics } from './analytics.js';
import { manifest } from './manifest.js';
import { publishing } from './publishing.js';
import { startWorld, type LinkedInWorld } from './testing/world.js';

let world: LinkedInWorld;
afterEach(() => world.close());
const asMember = () =>
  testSession({
    ...world,
    account: { ...world.account, id: `urn:li:person:${world.network.member.id}` },
    apiVersion: manifest.apiVersion,
  });

test('each number of a member’s post is the one that LinkedIn calls so, and of one that is gone there are none', async () => {
  world = await startWorld();
  const posted = async (text: string) => {
    const published = await publishing.publish(asMember(), itemOf(text), nothingKept);
    return published.ok ? published.value.externalId : '';
  };
  const [kept, gone] = [await posted('Kept'), await posted('Gone')];
  world.network.books.remove(gone);
  const read = await analytics.ofPosts(asMember(), [kept, gone]);
  expect(read.ok && Object.fromEntries(read.value)).toEqual({
    [kept]: {
      ...noMetrics,
      ...{ impressions: 120, reach: 90, likes: 6, comments: 3, shares: 2, clicks: 7, saves: 4 },
    },
  });
  expect(await analytics.ofAccount?.(asMember())).toMatchObject({ value: { followers: 321 } });
});

test('a member of an app that every app may be has no numbers, and is told why', async () => {
  world = await startWorld({ product: 'share' });
  for (const read of [analytics.ofPosts(asMember(), ['urn:li:share:1']), analytics.ofAccount?.(asMember())]) {
    expect(await read).toMatchObject({ failure: { code: 'platform.permission_missing' } });
  }
});
