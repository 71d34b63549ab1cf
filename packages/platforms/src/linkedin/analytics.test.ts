import { afterEach, expect, test } from '@jest/globals';
import { noMetrics } from '@switchboard/domain/analytics';
import { buildItem, discardReceipt } from '@switchboard/platform-kit/testing/calls';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { analytics } from './analytics.js';
import { manifest } from './manifest.js';
import { publishing } from './publishing.js';
import { startWorld } from './testing/world.js';

let world: Awaited<ReturnType<typeof startWorld>>;
afterEach(() => world.close());
const COMMUNITY = ['r_member_postAnalytics', 'r_member_profileAnalytics'];
const asMember = (permissions: readonly string[] = COMMUNITY) =>
  testSession({
    ...world,
    permissions,
    account: { ...world.account, id: `urn:li:person:${world.network.member.id}` },
    apiVersion: manifest.apiVersion,
  });

const asPage = () => testSession({ ...world, apiVersion: manifest.apiVersion });

async function posted(text: string, session = asMember()): Promise<string> {
  const published = await publishing.publish(session, buildItem(text), discardReceipt);
  return published.ok ? published.value.externalId : '';
}

test('each metric of a member’s post is the one that LinkedIn names so, and a missing post has none', async () => {
  world = await startWorld();
  const [kept, gone] = [await posted('Kept'), await posted('Gone')];
  world.network.books.remove(gone);
  const read = await analytics.ofPosts(asMember(), [kept, gone]);
  expect(read.ok && Object.fromEntries(read.value)).toEqual({
    [kept]: {
      ...noMetrics,
      impressions: 120,
      reach: 90,
      likes: 6,
      comments: 3,
      shares: 2,
      clicks: 7,
      saves: 4,
    },
  });
  expect(await analytics.ofAccount?.(asMember())).toMatchObject({ value: { followers: 321 } });
});

test('a metric that this version of LinkedIn does not support does not affect the others', async () => {
  world = await startWorld({ untold: ['POST_SAVE', 'LINK_CLICKS'] });
  const urn = await posted('Counted');
  const read = await analytics.ofPosts(asMember(), [urn]);
  expect(read.ok && read.value.get(urn)).toEqual({
    ...noMetrics,
    impressions: 120,
    reach: 90,
    likes: 6,
    comments: 3,
    shares: 2,
  });
});

test('if LinkedIn supports none of the metrics, its error is returned', async () => {
  const all = ['IMPRESSION', 'MEMBERS_REACHED', 'REACTION', 'COMMENT', 'RESHARE', 'LINK_CLICKS', 'POST_SAVE'];
  world = await startWorld({ untold: all });
  expect(await analytics.ofPosts(asMember(), [await posted('Uncounted')])).toMatchObject({
    failure: { code: 'platform.refused' },
  });
});

test('every one of a page’s many posts has its metrics', async () => {
  world = await startWorld();
  const urns: string[] = [];
  for (let at = 0; at < 12; at++) urns.push(await posted(`Post ${at}`, asPage()));
  const read = await analytics.ofPosts(asPage(), urns);
  expect(read.ok && [...read.value.values()].map(({ impressions }) => impressions)).toEqual(
    urns.map(() => 120),
  );
});

test('a member who posts for a page without being its administrator is informed', async () => {
  world = await startWorld({
    pages: [
      {
        id: '77',
        name: 'Mill',
        vanityName: 'mill',
        followers: 5,
        role: 'CONTENT_ADMINISTRATOR',
      },
    ],
  });
  expect(await analytics.ofPosts(asPage(), [await posted('Flour', asPage())])).toMatchObject({
    failure: { code: 'platform.permission_missing', message: expect.stringContaining('administrator') },
  });
});

test('a member connected through an open app has no metrics, is informed which app has, and no request is sent', async () => {
  world = await startWorld({ product: 'share' });
  const open = asMember(['openid', 'profile', 'w_member_social']);
  for (const read of [analytics.ofPosts(open, ['urn:li:share:1']), analytics.ofAccount?.(open)]) {
    expect(await read).toMatchObject({
      failure: {
        code: 'platform.permission_missing',
        message: expect.stringContaining('Community Management API'),
      },
    });
  }
  expect(world.requests()).toBe(0);
});
