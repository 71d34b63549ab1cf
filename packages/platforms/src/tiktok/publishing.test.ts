import { afterEach, expect, test } from '@jest/globals';
import type { PublishItem, Session } from '@switchboard/domain/ports';
import { buildItem, trackReceipt } from '@switchboard/platform-kit/testing/calls';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { imageOf, videoOf } from '@switchboard/platform-kit/testing/test-media';
import { connecting } from './connecting.js';
import { waitUntilDecided } from './post-status.js';
import { chunkAt } from './media.js';
import { publishing } from './publishing.js';
import { startWorld } from './testing/world.js';

let world: Awaited<ReturnType<typeof startWorld>>;
let session: Session;
async function start(...limits: Parameters<typeof startWorld>): Promise<void> {
  world = await startWorld(...limits);
  session = testSession(world);
}
afterEach(() => world.close());

const PUBLIC = { privacy_level: 'PUBLIC_TO_EVERYONE' };
const jpeg = () => imageOf({ type: 'image/jpeg' });
const video = (text: string, bytes?: number, more: Partial<PublishItem> = {}) =>
  buildItem(text, { media: [videoOf(bytes === undefined ? {} : { bytes })], options: PUBLIC, ...more });
const photos = (text: string, more: Partial<PublishItem> = {}) =>
  buildItem(text, { media: [jpeg()], options: PUBLIC, ...more });
const find = (item: PublishItem) => {
  if (!publishing.find) throw new Error('it cannot be looked up');
  return publishing.find(session, item);
};
const started = () => world.network.tasks.begun().length;
const created = () => world.network.posts.createdCount();

/** Two chunks: the first has ten million bytes, the last the rest. */
const TWO_CHUNKS = 25_000_000;

test('an interrupted video upload resumes where it stopped, and nothing is started twice', async () => {
  await start();
  const item = video('Half way', TWO_CHUNKS);
  const { saveReceipt, again, readBack } = trackReceipt(item);
  // After the creator and the start, one chunk gets through.
  world.break('reset-before-effect', 3);
  const code = 'platform.outcome_unknown';
  expect(await publishing.publish(session, item, saveReceipt)).toMatchObject({ failure: { code } });
  expect(await find(readBack())).toEqual({ ok: true, value: null });
  const requests = world.requests();
  expect(await publishing.publish(session, again(), saveReceipt)).toMatchObject({ ok: true });
  // The upload status, the last chunk, the outcome.
  expect(world.requests() - requests).toBe(3);
  expect([started(), created()]).toEqual([1, 1]);
  expect(world.network.posts.find(world.network.tasks.begun()[0]?.publishId ?? '')).toMatchObject({
    title: 'Half way',
    files: [{ bytes: TWO_CHUNKS, sha256: item.media[0]?.sha256 }],
  });
});

test('finding 74: a last chunk of which TikTok has a part is sent again', () => {
  expect(chunkAt(TWO_CHUNKS, 9_999_999)).toEqual({ start: 0, end: 10_000_000 });
  expect(chunkAt(TWO_CHUNKS, 21_000_000)).toEqual({ start: 10_000_000, end: TWO_CHUNKS });
});

test('two attempts that send the rest of one video at once make one post, and both report it', async () => {
  await start();
  const { saveReceipt, again } = trackReceipt(video('At once', TWO_CHUNKS));
  world.break('reset-before-effect', 3);
  await publishing.publish(session, again(), saveReceipt);
  const item = again();
  const both = await Promise.all([0, 1].map(() => publishing.publish(session, item, saveReceipt)));
  const [post] = world.network.posts.publicOf(world.account.id);
  for (const one of both) expect(one).toMatchObject({ ok: true, value: { externalId: post?.id } });
  expect([started(), created()]).toEqual([1, 1]);
});

test('a chunk whose response is lost is not sent again, and does not leave the post unknown', async () => {
  await start();
  const item = video('First chunk lost', TWO_CHUNKS);
  const { saveReceipt, again } = trackReceipt(item);
  world.break('reset-after-effect', 2);
  const code = 'platform.unavailable';
  expect(await publishing.publish(session, item, saveReceipt)).toMatchObject({ failure: { code } });
  const requests = world.requests();
  expect(await publishing.publish(session, again(), saveReceipt)).toMatchObject({ ok: true });
  expect(world.requests() - requests).toBe(3);
  expect([started(), created()]).toEqual([1, 1]);
});

test('a video whose last response is lost is found by its initial ID, also while it is processed', async () => {
  await start();
  world.network.tasks.setProcessingPolls(1);
  const { saveReceipt, again, readBack } = trackReceipt(video('Last answer lost'));
  world.break('reset-after-effect', 2);
  const unknown = await publishing.publish(session, again(), saveReceipt);
  expect(unknown).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
  expect(await find(readBack())).toMatchObject({ failure: { code: 'platform.unavailable' } });
  const [post] = world.network.posts.publicOf(world.account.id);
  expect(await find(readBack())).toEqual({
    ok: true,
    value: { externalId: post?.id, url: `https://www.tiktok.com/@alice/video/${post?.id}`, receipt: {} },
  });
  expect([started(), created()]).toEqual([1, 1]);
});

test('a video that TikTok processes for long is left to a later attempt, which sends nothing again', async () => {
  await start();
  world.network.tasks.setProcessingPolls(3);
  const item = video('Long');
  const { saveReceipt, again } = trackReceipt(item);
  world.break('reset-after-effect', 2);
  await publishing.publish(session, item, saveReceipt);
  const publishId = again().receipt['publish_id'] ?? '';
  // Not “later”, which would end as missed, or be canceled, while TikTok publishes the post.
  expect(await waitUntilDecided(session, publishId, [0, 1])).toMatchObject({
    failure: { code: 'platform.outcome_unknown' },
  });
  const requests = world.requests();
  expect(await publishing.publish(session, again(), saveReceipt)).toMatchObject({ ok: true });
  // Two polls.
  expect(world.requests() - requests).toBe(2);
  expect([started(), created()]).toEqual([1, 1]);
});

test.each(['500-before', '429'] as const)(
  '%s after TikTok has received all of a post leaves it unknown',
  async (how) => {
    await start();
    const item = photos('Taken');
    const { saveReceipt, readBack } = trackReceipt(item);
    world.break(how, 2);
    expect(await publishing.publish(session, item, saveReceipt)).toMatchObject({
      failure: { code: 'platform.outcome_unknown' },
    });
    expect(await find(readBack())).toMatchObject({ ok: true, value: { externalId: expect.any(String) } });
    expect([started(), created()]).toEqual([1, 1]);
  },
);

test('a video whose upload URL has expired is started anew, once, and the earlier start never becomes a post', async () => {
  await start();
  const item = video('Too late', TWO_CHUNKS);
  const { saveReceipt, again } = trackReceipt(item);
  world.break('500-before', 3);
  await publishing.publish(session, item, saveReceipt);
  world.advanceSeconds(3_600);
  const code = 'platform.unavailable';
  expect(await publishing.publish(session, again(), saveReceipt)).toMatchObject({ failure: { code } });
  expect(again().receipt).toEqual({});
  expect(await publishing.publish(session, again(), saveReceipt)).toMatchObject({ ok: true });
  expect([started(), created()]).toEqual([2, 1]);
});

test('a post that TikTok no longer knows is started anew only if it cannot have been published', async () => {
  await start();
  const half = video('Half', TWO_CHUNKS);
  const first = trackReceipt(half);
  world.break('reset-before-effect', 2);
  await publishing.publish(session, half, first.saveReceipt);
  world.network.tasks.forget(first.again().receipt['publish_id'] ?? '');
  expect(await find(first.readBack())).toEqual({ ok: true, value: null });
  expect(await publishing.publish(session, first.again(), first.saveReceipt)).toMatchObject({ ok: true });

  const whole = video('Whole');
  const second = trackReceipt(whole);
  world.break('reset-after-effect', 2);
  await publishing.publish(session, whole, second.saveReceipt);
  world.network.tasks.forget(second.again().receipt['publish_id'] ?? '');
  const lost = { failure: { code: 'platform.outcome_unknown' } };
  expect(await find(second.readBack())).toMatchObject(lost);
  expect(await publishing.publish(session, second.again(), second.saveReceipt)).toMatchObject(lost);
  expect(created()).toBe(2);
});

test.each([
  ['duration_check_failed', 'platform.refused'],
  ['spam_risk_too_many_posts', 'platform.rate_limited'],
  ['auth_removed', 'connection.needs_reauth'],
  ['internal', 'platform.unavailable'],
])('a post that TikTok cannot process because of %s is %s, and may be started anew', async (reason, code) => {
  await start();
  world.network.failWith(reason);
  const item = video('Nothing of it');
  const { saveReceipt, again, readBack } = trackReceipt(item);
  const refused = await publishing.publish(session, item, saveReceipt);
  expect(refused).toMatchObject({ failure: { code, platform: { code: reason } } });
  expect(await find(readBack())).toEqual({ ok: true, value: null });
  world.network.failWith(null);
  expect(await publishing.publish(session, again(), saveReceipt)).toMatchObject({ ok: true });
  expect([started(), created()]).toEqual([2, 1]);
});

test('photos whose start had no response are searched among the public posts, by their text', async () => {
  await start();
  await publishing.publish(session, photos('Other words'), trackReceipt(photos('')).saveReceipt);
  const item = photos('Look', { link: 'https://example.com/a', title: 'Two of them' });
  const { saveReceipt, readBack } = trackReceipt(item);
  world.break('reset-after-effect', 1);
  await publishing.publish(session, item, saveReceipt);
  world.network.posts.setModerationPending(true);
  const notYet = { failure: { code: 'platform.unavailable' } };
  expect(await find(readBack())).toMatchObject(notYet);
  world.network.posts.setModerationPending(false);
  const [post] = world.network.posts.publicOf(world.account.id);
  expect(await find(readBack())).toMatchObject({
    value: { externalId: post?.id, url: `https://www.tiktok.com/@alice/photo/${post?.id}` },
  });
});

test('a video with the same text is not mistaken for photos whose start had no response', async () => {
  await start();
  await publishing.publish(session, video('One campaign'), trackReceipt(video('')).saveReceipt);
  const item = photos('One campaign');
  const { saveReceipt, readBack } = trackReceipt(item);
  world.break('reset-before-effect', 1);
  await publishing.publish(session, item, saveReceipt);
  expect(created()).toBe(1);
  expect(await find(readBack())).toMatchObject({ failure: { code: 'platform.unavailable' } });
});

test('an option of the other kind is a problem once the media are known', () => {
  const pathsOf = (item: PublishItem) => publishing.check?.(item).map(({ path }) => path);
  const aiPhotos = photos('Made with AI', { options: { ...PUBLIC, is_aigc: true } });
  expect(pathsOf(aiPhotos)).toEqual(['options.is_aigc']);
  expect(pathsOf({ ...aiPhotos, media: [] })).toEqual([]);
  const music = video('With music', undefined, { options: { ...PUBLIC, auto_add_music: true } });
  expect(pathsOf(music)).toEqual(['options.auto_add_music']);
});

test('an unreadable response about the account leaves no doubt about what was not started', async () => {
  await start();
  const item = photos('Unreadable');
  world.break('garbage');
  expect(await publishing.publish(session, item, trackReceipt(item).saveReceipt)).toMatchObject({
    failure: { code: 'platform.unavailable' },
  });
  expect(started()).toBe(0);
});

test.each([
  ['that are not public', photos('Friends', { options: { privacy_level: 'MUTUAL_FOLLOW_FRIENDS' } })],
  ['without text', photos('')],
])('photos %s are not reported as absent', async (_, item) => {
  await start();
  // Others have the same text and are public.
  const other = photos(item.text);
  await publishing.publish(session, other, trackReceipt(other).saveReceipt);
  const { saveReceipt, readBack } = trackReceipt(item);
  world.break('reset-before-effect', 1);
  await publishing.publish(session, item, saveReceipt);
  expect(await find(readBack())).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
});

test('two with the same text are not distinguished', async () => {
  await start();
  const item = photos('Alike');
  await publishing.publish(session, photos('Alike'), trackReceipt(item).saveReceipt);
  const { saveReceipt, readBack } = trackReceipt(item);
  world.break('reset-after-effect', 1);
  await publishing.publish(session, item, saveReceipt);
  expect(await find(readBack())).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
});

test('refused photos leave nothing to look up', async () => {
  await start({ owns: () => false });
  const item = photos('Refused');
  const { saveReceipt, again, readBack } = trackReceipt(item);
  const refused = await publishing.publish(session, item, saveReceipt);
  expect(refused).toMatchObject({
    failure: { code: 'platform.refused', platform: { code: 'url_ownership_unverified' } },
  });
  expect(!refused.ok && refused.failure.message).toContain('operator');
  expect(again().receipt).toEqual({});
  expect(await find(readBack())).toEqual({ ok: true, value: null });
});

test('an unaudited app posts with visibility to the owner alone, for private accounts, and others get a message about the remedy', async () => {
  await start({ audited: false });
  const refused = await publishing.publish(
    session,
    video('For everyone'),
    trackReceipt(video('')).saveReceipt,
  );
  expect(refused).toMatchObject({
    failure: {
      code: 'platform.refused',
      platform: { code: 'unaudited_client_can_only_post_to_private_accounts' },
    },
  });
  expect(!refused.ok && refused.failure.message).toContain('operator');
  world.network.change({ isPrivate: true });
  const own = video('For me', undefined, { options: { privacy_level: 'SELF_ONLY' } });
  expect(await publishing.publish(session, own, trackReceipt(own).saveReceipt)).toMatchObject({
    value: { url: null },
  });
});

test('what the account does not allow is rejected before anything is started', async () => {
  await start();
  world.network.change({ isPrivate: true, longestSeconds: 60 });
  const publish = (item: PublishItem) => publishing.publish(session, item, trackReceipt(item).saveReceipt);
  expect(await publish(video('Everyone'))).toMatchObject({ failure: { code: 'platform.refused' } });
  const long = { ...videoOf(), durationSeconds: 61 };
  const followers = { options: { privacy_level: 'FOLLOWER_OF_CREATOR' } };
  expect(await publish(buildItem('Long', { media: [long], ...followers }))).toMatchObject({
    failure: { code: 'platform.refused' },
  });
  const titled = video('Titled', undefined, { title: 'A title', ...followers });
  expect(publishing.check?.(titled)).toMatchObject([{ path: 'title', code: 'option.invalid' }]);
  expect(started()).toBe(0);
});

test('the account’s own settings are its choices and limits, and what it disabled stays disabled', async () => {
  await start();
  world.network.change({ isPrivate: true, commentsOff: true, longestSeconds: 60 });
  const result = await publishing.options?.(session);
  if (!result?.ok) throw new Error('it does not say');
  expect(result.value.mediaLimits?.videos).toMatchObject({ maxSeconds: 60 });
  const [privacy, comments] = result.value.options ?? [];
  expect(privacy?.choices?.map(({ value }) => value)).toEqual([
    ...['FOLLOWER_OF_CREATOR', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY'],
  ]);
  expect(comments?.label).toContain('always');
  const options = { privacy_level: 'SELF_ONLY', disable_comment: false };
  const item = video('Quiet', undefined, { options });
  const out = await publishing.publish(session, item, trackReceipt(item).saveReceipt);
  const post = world.network.posts.find(out.ok ? out.value.externalId : '');
  expect(post).toMatchObject({ noComments: true, noDuets: true, noStitches: true });
});

test('options are sent in their documented places', async () => {
  await start();
  const stated = {
    disable_comment: true,
    disable_duet: true,
    brand_content_toggle: true,
    brand_organic_toggle: true,
    is_aigc: true,
    video_cover_timestamp_ms: '1500',
    ...PUBLIC,
  };
  const clip = video('Everything', undefined, { options: stated });
  const out = await publishing.publish(session, clip, trackReceipt(clip).saveReceipt);
  expect(world.network.posts.find(out.ok ? out.value.externalId : '')).toMatchObject({
    noComments: true,
    noDuets: true,
    noStitches: false,
    paidPartnership: true,
    ownBusiness: true,
    madeWithAi: true,
    coverMs: 1_500,
  });
  const album = photos('Music', { options: { ...PUBLIC, auto_add_music: true } });
  const shown = await publishing.publish(session, album, trackReceipt(album).saveReceipt);
  expect(world.network.posts.find(shown.ok ? shown.value.externalId : '')).toMatchObject({ addsMusic: true });
});

test('an account that may post no more today waits, and is still identified', async () => {
  await start({ postsPerDay: 1 });
  const item = photos('One too many');
  await publishing.publish(session, photos('The one'), trackReceipt(item).saveReceipt);
  expect(await publishing.publish(session, item, trackReceipt(item).saveReceipt)).toMatchObject({
    failure: { code: 'platform.rate_limited', retryAfterSeconds: 3_600 },
  });
  expect(await connecting.identify(session)).toMatchObject({ value: [{ id: world.account.id }] });
});

test('a seventh post within a minute waits', async () => {
  await start({ initsPerMinute: 1 });
  const [one, two] = [photos('One'), photos('Two')];
  await publishing.publish(session, one, trackReceipt(one).saveReceipt);
  expect(await publishing.publish(session, two, trackReceipt(two).saveReceipt)).toMatchObject({
    failure: { code: 'platform.rate_limited' },
  });
});
