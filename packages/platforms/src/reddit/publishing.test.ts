import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { PublishItem, Session } from '@switchboard/domain/ports';
import { buildItem, discardReceipt } from '@switchboard/platform-kit/testing/calls';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { imageOf, videoOf } from '@switchboard/platform-kit/testing/test-media';
import { publishing } from './publishing.js';
import { submit } from './submit.js';
import { findViolations } from './subreddit-rules.js';
import { startWorld } from './testing/world.js';

let world: Awaited<ReturnType<typeof startWorld>>;
let session: Session;
beforeEach(async () => {
  world = await startWorld();
  session = testSession(world);
});
afterEach(() => world.close());

const IMPATIENT_MS = [0, 1, 1];
const potOf = (text: string, more: Partial<PublishItem> = {}) =>
  buildItem(text, { title: 'A pot', options: { subreddit: 'Pottery' }, ...more });
const publish = (item: PublishItem) => publishing.publish(session, item, discardReceipt);
const find = (item: PublishItem) => publishing.find?.(session, { ...item, media: [] });
const in_ = (subreddit: string, more: PublishItem['options'] = {}) => ({ options: { subreddit, ...more } });

/** A post over its attempts, each with the receipt of the one before. */
function attemptsAt(item: PublishItem) {
  let receipt = item.receipt;
  const attempt = () =>
    submit(session, { ...item, receipt }, async (stored) => void (receipt = stored), IMPATIENT_MS);
  return { attempt, seen: () => find({ ...item, receipt }) };
}

describe('a post with media', () => {
  test.each([
    ['image', imageOf],
    ['video', videoOf],
  ])('that Reddit processes for long is waited for and never sent again: %s', async (_, make) => {
    world.network.mediaPolls(5);
    const { attempt, seen } = attemptsAt(potOf('Look', { media: [make()] }));
    expect(await attempt()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(await seen()).toMatchObject({ failure: { code: 'platform.unavailable' } });
    expect(await attempt()).toMatchObject({ ok: true });
    expect(world.effects()).toBe(1);
  });

  test('that Reddit fails to process is never reported as published, nor sent again', async () => {
    world.network.mediaPolls(null);
    const { attempt, seen } = attemptsAt(potOf('Look', { media: [videoOf()] }));
    for (let times = 0; times < 3; times++) {
      expect(await attempt()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    }
    expect(await seen()).toMatchObject({ failure: { code: 'platform.unavailable' } });
  });

  test('whose request was lost may exist nevertheless, and is not reported as absent', async () => {
    const [image, video] = [imageOf(), videoOf()].map((one) => attemptsAt(potOf('Look', { media: [one] })));
    world.break('500-before', 4);
    expect(await image?.attempt()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(await image?.seen()).toMatchObject({ failure: { code: 'platform.unavailable' } });
    world.break('500-before', 6);
    expect(await video?.attempt()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(await video?.seen()).toMatchObject({ failure: { code: 'platform.unavailable' } });
    expect(world.effects()).toBe(0);
  });

  test.each([
    ['image', imageOf, 4],
    ['video', videoOf, 6],
  ])(
    'whose response is lost while Reddit processes it is published once: %s',
    async (_, make, skipRequests) => {
      world.network.mediaPolls(3);
      const { attempt, seen } = attemptsAt(potOf('Look', { media: [make()] }));
      world.break('500-after', skipRequests);
      expect(await attempt()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
      for (let polls = 0; polls < 3; polls++) {
        expect(await seen()).toMatchObject({ failure: { code: 'platform.unavailable' } });
      }
      expect(await seen()).toMatchObject({ ok: true, value: { externalId: expect.any(String) } });
      expect(world.effects()).toBe(1);
    },
  );

  test('that was uploaded and never sent is certainly absent', async () => {
    world.network.mustWait(540);
    const { attempt, seen } = attemptsAt(potOf('Look', { media: [videoOf()] }));
    expect(await attempt()).toMatchObject({ failure: { code: 'platform.rate_limited' } });
    expect(await seen()).toEqual({ ok: true, value: null });
    world.network.mustWait(0);
    const files = world.network.media.files();
    expect(await attempt()).toMatchObject({ ok: true });
    expect(world.network.media.files()).toBe(files);
  });

  test('that Reddit has accepted is not refused because its account’s list may not be read', async () => {
    const item = potOf('Look', { media: [imageOf()], receipt: { asset_0: 'a1', url_0: 'x', taken: 'yes' } });
    const gone = { ...session, account: { ...session.account, username: 'alice.gone' } };
    expect(await submit(gone, item, discardReceipt, IMPATIENT_MS)).toMatchObject({
      failure: { code: 'platform.outcome_unknown' },
    });
  });

  test('is distinguished from one with the same text by its uploads', async () => {
    const [mine, other] = [potOf('', { media: [imageOf()] }), potOf('', { media: [imageOf()] })].map(
      attemptsAt,
    );
    const [first, second] = [await mine?.attempt(), await other?.attempt()];
    expect(await mine?.seen()).toEqual(first);
    expect(await other?.seen()).toEqual(second);
    expect(first).not.toEqual(second);
  });

  test('that Reddit refuses starts with its files in a retry', async () => {
    const item = potOf('Look', { title: 'x'.repeat(301), media: [imageOf()] });
    const stored: PublishItem['receipt'][] = [];
    const refused = await submit(session, item, async (receipt) => void stored.push(receipt), IMPATIENT_MS);
    expect(refused).toMatchObject({ failure: { code: 'platform.refused' } });
    expect(stored.at(-1)).toEqual({});
  });
});

describe('what is removed at once is never reported as published:', () => {
  const forPerson = (category: string) => ({
    failure: {
      code: 'platform.outcome_unknown',
      message: expect.stringContaining('removed it at once'),
      platform: { name: 'Reddit', code: category },
    },
  });

  test.each<[string, string, Partial<PublishItem>]>([
    ['a text, by the spam filter', 'reddit', {}],
    ['a text, by AutoModerator', 'automod_filtered', {}],
    ['a link, by a moderator', 'moderator', { link: 'https://example.com/kiln' }],
    ['an image, in an unknown category', 'something_new', { media: [imageOf()] }],
    ['a gallery', 'reddit', { media: [imageOf(), imageOf()] }],
  ])('%s', async (_, category, more) => {
    world.network.posts.filters(category);
    const { attempt, seen } = attemptsAt(potOf('Look', more));
    expect(await attempt()).toMatchObject(forPerson(category));
    expect(await seen()).toMatchObject(forPerson(category));
    expect(await attempt()).toMatchObject(forPerson(category));
    expect(world.effects()).toBe(1);
  });

  test('a text whose response was lost, which is found, and published once a moderator approves it', async () => {
    world.network.posts.filters('automod_filtered');
    world.break('reset-after-effect', 2);
    const { attempt, seen } = attemptsAt(potOf('Look'));
    expect(await attempt()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    expect(await seen()).toMatchObject(forPerson('automod_filtered'));
    const [post] = world.network.posts.postsOf(world.account.username ?? '');
    world.network.posts.approve(`t3_${post?.id}`);
    expect(await seen()).toMatchObject({ ok: true, value: { externalId: `t3_${post?.id}` } });
  });

  test('a comment, if Reddit reports it', async () => {
    const posted = await publish(potOf('Look'));
    if (!posted.ok) throw new Error(posted.failure.message);
    world.network.posts.filters('reddit');
    const answers = { root: posted.value, parent: posted.value };
    const comment = buildItem('More', { kind: 'comment', replyTo: answers });
    expect(await publish(comment)).toMatchObject(forPerson('removed'));
    expect(await find(comment)).toMatchObject(forPerson('removed'));
  });

  test('a post whose text Reddit removed is not mistaken for one that was never sent', async () => {
    world.network.posts.filters('content_takedown');
    const item = potOf('Look');
    await publish(item);
    const [post] = world.network.posts.postsOf(world.account.username ?? '');
    world.network.posts.rewrite(`t3_${post?.id}`, '[ Removed by Reddit ]');
    expect(await find(item)).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
  });
});

test('a post that Reddit created and does not list has an unknown outcome, and is found once it is listed', async () => {
  // The subreddit's rules, twice, and the post itself.
  world.break('500-before', 3);
  const { attempt, seen } = attemptsAt(potOf('Hi'));
  expect(await attempt()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
  expect(await seen()).toMatchObject({ ok: true });
  expect(await attempt()).toMatchObject({ ok: true });
  expect(world.effects()).toBe(1);
});

test('two posts with the same text since the post was due require a manual check', async () => {
  const [one, other] = [potOf('Again'), potOf('Again')];
  await publish(one);
  await publish(other);
  expect(await find(one)).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
});

test('a link that a subreddit already has is reported as such, and posted anyway on request', async () => {
  const link = 'https://example.com/kiln';
  await publish(potOf('', { link, ...in_('potterylinks') }));
  expect(await publish(potOf('', { link, ...in_('potterylinks') }))).toMatchObject({
    failure: { code: 'platform.duplicate_content' },
  });
  expect(await publish(potOf('', { link, ...in_('potterylinks', { resubmit: true }) }))).toMatchObject({
    ok: true,
  });
});

describe('what a subreddit does not accept is rejected before anything is sent:', () => {
  const recipe = 'My [Cone 6] recipe';
  test.each<[string, Partial<PublishItem>, string]>([
    ['an image among texts', { media: [imageOf()], ...in_('askpotters') }, 'accepts text posts only.'],
    ['a link among texts', { link: 'https://a.example/', ...in_('askpotters') }, 'accepts text posts only.'],
    [
      'a text among links',
      in_('potterylinks'),
      'does not accept text posts: add a link, an image or a video.',
    ],
    [
      'a post to a restricted subreddit',
      in_('masterpotters'),
      'accepts posts only of accounts that its moderators approved.',
    ],
    ['a post of a banned account', in_('nopots'), 'has banned the account.'],
    [
      'a title without the required words',
      in_('glazes', { flair: 'recipe' }),
      'requires one of these words in the title.',
    ],
    ['no flair', { title: recipe, ...in_('glazes') }, 'requires a flair.'],
    [
      'a flair of another',
      in_('Pottery', { flair: 'Recipe' }),
      'has no such flair. `platform` lists the available ones.',
    ],
    [
      'a flair where there is none',
      in_('kilns', { flair: 'Recipe' }),
      'has no such flair. `platform` lists the available ones.',
    ],
  ])('%s', async (_, more, message) => {
    expect(await publish(potOf('Hi', more))).toMatchObject({
      failure: { code: 'platform.refused', message: `The subreddit ${message}` },
    });
    expect(world.network.media.files()).toBe(0);
    expect(world.effects()).toBe(0);
  });

  test.each([
    ['nosuchpots', 'SUBREDDIT_NOEXIST'],
    ['secretkiln', 'SUBREDDIT_NO_ACCESS'],
  ])('r/%s, with the message of Reddit', async (name, code) => {
    expect(await publish(potOf('Hi', in_(name)))).toMatchObject({
      failure: { code: 'platform.refused', platform: { name: 'Reddit', code } },
    });
  });

  test('and what it accepts is published, by a flair in any spelling', async () => {
    const posted = await publish(
      potOf('Hi', { title: 'My [CONE 6] recipe', ...in_('r/glazes', { flair: ' recipe' }) }),
    );
    if (!posted.ok) throw new Error(posted.failure.message);
    expect(world.network.posts.findPost(posted.value.externalId)?.flair?.text).toBe('Recipe');
  });
});

test('an unreadable response leaves no doubt about a post that was not sent', async () => {
  const item = potOf('Hi', { media: [imageOf()], ...in_('Pottery', { flair: 'Discussion' }) });
  // The subreddit's rules, its flairs, the upload URL of the file.
  for (const skipRequests of [0, 1, 2, 3]) {
    world.break('garbage', skipRequests);
    expect(await publish(item)).toMatchObject({ failure: { code: 'platform.unavailable' } });
  }
  expect(world.effects()).toBe(0);
});

test('a subreddit that restricts only comments accepts posts, and is among the choices', async () => {
  expect(await publish(potOf('Hi', in_('quietpots')))).toMatchObject({ ok: true });
  const result = await publishing.options?.(session);
  const [places] = result?.ok ? (result.value.options ?? []) : [];
  expect(places?.choices?.map(({ value }) => value)).toContain('quietpots');
});

test('a subreddit whose flairs cannot be read hides no other choice', async () => {
  world.break('500-before', 2);
  const result = await publishing.options?.(session);
  const [places, flair] = result?.ok ? (result.value.options ?? []) : [];
  expect(places?.choices?.map(({ value }) => value)).toContain('Pottery');
  expect(flair?.choices).toEqual([]);
});

test('the flairs of a searched subreddit are listed, subscribed or not, and each once', async () => {
  const flairs = async (query?: string) => {
    const result = await publishing.options?.(session, query);
    const [, flair] = result?.ok ? (result.value.options ?? []) : [];
    return flair?.choices?.map(({ label }) => label);
  };
  const own = ['r/Pottery: Discussion', 'r/Pottery: Finished & fired'];
  expect(await flairs()).toEqual(own);
  expect(await flairs('r/glazes')).toEqual(['r/glazes: Recipe', ...own]);
  expect(await flairs('pottery')).toEqual(own);
  expect(await flairs('What we fired')).toEqual(own);
});

test.each([
  ['www.youtube.com', 'https://youtube.com/watch?v=1'],
  ['youtube.com', 'https://www.youtube.com/watch?v=1'],
  ['YouTube.com', 'https://m.youtube.com/watch?v=1'],
])('if only %s is requested, %s is a link to it', (site, link) => {
  const place = { display_name: 'videos', subreddit_type: 'public' };
  const requested = { link_restriction_policy: 'whitelist', domain_whitelist: [site] };
  expect(findViolations(potOf('', { link }), place, requested)).toEqual([]);
  const elsewhere = potOf('', { link: 'https://notyoutube.com/' });
  expect(findViolations(elsewhere, place, requested)).toHaveLength(1);
});

test('on the own profile no rules are requested', async () => {
  const before = world.requests();
  expect(await publish(potOf('Hi', in_('u/alice_throws')))).toMatchObject({ ok: true });
  // The post, and a poll of its visibility.
  expect(world.requests()).toBe(before + 2);
});
