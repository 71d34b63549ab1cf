import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { PublishItem } from '@switchboard/domain/ports';
import { buildItem } from '@switchboard/platform-kit/testing/calls';
import { testSession, type TestSessionOptions } from '@switchboard/platform-kit/testing/session';
import { imageOf } from '@switchboard/platform-kit/testing/test-media';
import { connecting } from './connecting.js';
import { waitForDecision } from './post-state.js';
import { publishing } from './publishing.js';
import { startWorld } from './testing/world.js';

let world: Awaited<ReturnType<typeof startWorld>>;
beforeEach(async () => void (world = await startWorld()));
afterEach(() => world.close());

const session = (more: Partial<TestSessionOptions> = {}) => testSession({ ...world, ...more });
const find = (item: PublishItem) => publishing.find?.(session(), item);

/** One attempt at a post, with its receipt. */
async function attempt(item: PublishItem) {
  let { receipt } = item;
  const result = await publishing.publish(session(), item, async (stored) => void (receipt = stored));
  return { result, item: { ...item, receipt, media: [] } };
}

test('a post that Google processes is published when it is live, and sent once', async () => {
  world.network.processing.setProcessingPolls(1);
  const { result, item } = await attempt(buildItem('Fresh bread', { media: [imageOf()] }));
  expect(result).toMatchObject({ ok: true, value: { url: expect.stringContaining('local.google.com') } });
  expect(item.receipt).toEqual({ post: result.ok && result.value.externalId });
  expect((await attempt(item)).result).toEqual(result);
  expect(world.effects()).toBe(1);
});

test('a post that is still processed is not published, and found once it is live', async () => {
  const { result, item } = await attempt(buildItem('Fresh rolls'));
  const name = result.ok ? result.value.externalId : '';
  world.network.processing.setProcessingPolls(2);
  world.network.processing.start(name.split('/').at(-1) ?? '');
  const receipt = { post: name };
  const waited = await waitForDecision(session(), name, ({ summary }) => summary, [0]);
  expect(waited).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
  expect(await find({ ...item, receipt })).toMatchObject({ failure: { code: 'platform.unavailable' } });
  expect(await find({ ...item, receipt })).toMatchObject({ value: { externalId: name } });
});

test('a post that Google rejects after processing fails with the reason, and is not sent again by itself', async () => {
  world.network.processing.setProcessingPolls(1);
  world.network.processing.setProcessingFails(true);
  const rejected = { failure: { code: 'platform.refused', platform: { code: 'REJECTED' } } };
  const { result, item } = await attempt(buildItem('Call 555 0100'));
  expect(result).toMatchObject(rejected);
  // Not the receipt of a rejected post: a retry of the account owner sends it again.
  expect(item.receipt).toEqual({});
  const [post] = world.network.posts.all;
  const receipt = { post: `${post?.parent}/localPosts/${post?.id}` };
  expect(await find({ ...item, receipt })).toEqual({ ok: true, value: null });
  expect((await attempt({ ...item, receipt })).result).toMatchObject(rejected);
  expect(world.effects()).toBe(1);
});

test('a rejected post without a receipt is left to a person', async () => {
  world.network.processing.setProcessingFails(true);
  const { item } = await attempt(buildItem('Call 555 0101'));
  expect(await find({ ...item, receipt: {} })).toMatchObject({
    failure: { code: 'platform.outcome_unknown' },
  });
});

test('an edit is done when the edited post is live, and not when Google rejects it', async () => {
  const item = buildItem('Open till six', { link: 'https://example.com/' });
  const { result } = await attempt(item);
  if (!result.ok) throw new Error(result.failure.message);
  const changed = { ...item, text: 'Open till eight', link: null };
  world.network.processing.setProcessingPolls(1);
  expect(await publishing.edit?.(session(), result.value, changed)).toEqual({ ok: true, value: undefined });
  expect(world.network.find(result.value.externalId)).toMatchObject({
    summary: 'Open till eight',
    callToAction: null,
  });
  world.network.processing.setProcessingPolls(0);
  world.network.processing.setProcessingFails(true);
  expect(await publishing.edit?.(session(), result.value, item)).toMatchObject({
    failure: { code: 'platform.refused', platform: { code: 'REJECTED' } },
  });
});

test('a post counts as removed only at a location that the login manages', async () => {
  const { result } = await attempt(buildItem('For a moment'));
  if (!result.ok) throw new Error(result.failure.message);
  expect(await publishing.exists?.(session(), result.value)).toEqual({ ok: true, value: true });
  world.network.remove(result.value.externalId);
  expect(await publishing.exists?.(session(), result.value)).toEqual({ ok: true, value: false });
  const account = { ...world.account, id: 'accounts/1/locations/2' };
  expect(await publishing.exists?.(session({ account }), result.value)).toMatchObject({
    failure: { code: 'platform.refused' },
  });
});

test('an id never leads to another path of Google', async () => {
  const account = { ...world.account, id: 'accounts/1/../../v1?x=/locations/2#' };
  await publishing.publish(session({ account }), buildItem('Elsewhere'), async () => {});
  const requested = world.received?.().at(-1)?.url;
  expect(requested).toMatch(/^\/v4\/accounts\/[^/]+\/locations\/[^/]*\/localPosts$/);
});

test('a login offers every location once, in the order of its accounts', async () => {
  const login = session({ account: { ...world.account, id: '' } });
  const found = await connecting.identify(login);
  expect(found.ok && found.value.map(({ id, name }) => [id, name])).toEqual([
    ['accounts/104215/locations/5550001112223334445', 'Alice’s Kiln (The Old Forge, Wells)'],
    ['accounts/993001/locations/3225894654666374777', 'Alice’s Bakery (1 Mill Lane, Bath)'],
    ['accounts/993001/locations/3225894654666374778', 'Alice’s Bakery (20 Harbour Road, Bristol)'],
  ]);
});

test('a project without the API of posts says which one is missing', async () => {
  world.network.setPostsEnabled(false);
  const { result } = await attempt(buildItem('Not yet'));
  expect(result).toMatchObject({ failure: { platform: { code: 'SERVICE_DISABLED' } } });
});
