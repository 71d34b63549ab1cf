import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { PublishedPart, PublishItem } from '@switchboard/domain/ports';
import type { LinkedInOptions } from '@switchboard/simulators';
import { openReceipt } from '@switchboard/platform-kit/part-receipt';
import { buildItem, discardReceipt } from '@switchboard/platform-kit/testing/calls';
import { testSession, type TestSessionOptions } from '@switchboard/platform-kit/testing/session';
import { documentOf, imageOf, videoOf } from '@switchboard/platform-kit/testing/test-media';
import { manifest } from './manifest.js';
import { settled } from './post-state.js';
import { uploadMedia } from './media.js';
import { publishing } from './publishing.js';
import { startWorld } from './testing/world.js';

const { apiVersion } = manifest;
const find = publishing.find?.bind(publishing) as NonNullable<typeof publishing.find>;
const remove = publishing.remove?.bind(publishing) as NonNullable<typeof publishing.remove>;

let world: Awaited<ReturnType<typeof startWorld>>;
afterEach(() => world.repair());
const session = (more: Partial<TestSessionOptions> = {}) => testSession({ ...world, apiVersion, ...more });
/** The member, connected by the method with these permissions. */
const asMember = (permissions: readonly string[]) =>
  session({ account: { ...world.account, id: `urn:li:person:${world.network.member.id}` }, permissions });

/** One attempt at a part, and its receipt. */
async function attempt(item: PublishItem, open = session()) {
  let receipt: PublishItem['receipt'] = item.receipt;
  const result = await publishing.publish(open, item, async (stored) => void (receipt = stored));
  return { result, item: { ...item, receipt, media: [] } };
}

/** The item after an attempt whose response was lost. */
function lost({ receipt, ...item }: PublishItem): PublishItem {
  const { post: _post, ...uploads } = receipt;
  return { ...item, receipt: uploads };
}

async function published(item: PublishItem, open = session()): Promise<PublishedPart> {
  const { result } = await attempt(item, open);
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  return result.value;
}

const foundAs = async (item: PublishItem, open = session()) => {
  const found = await find(open, item);
  return found.ok ? (found.value?.externalId ?? null) : found.failure.code;
};

describe('for a page', () => {
  beforeAll(async () => void (world = await startWorld()));
  beforeEach(() => {
    world.network.books.publishingTakes(0);
    world.network.books.postsLag(0);
    world.network.uploads.setProcessingPolls(0);
    world.network.uploads.setProcessingFails(false);
  });
  afterAll(() => world.close());

  test('a text is published to its last character, with its tags and mentions', async () => {
    const text =
      'Half (price) _today_ {a|b} <3 ~ C# \\o/ *#bread* https://example.com/a_b with @[Al](urn:li:person:a1)';
    const { externalId } = await published(buildItem(text));
    expect(world.textOf(externalId)).toBe(text.replace('@[Al](urn:li:person:a1)', 'Al'));
    expect(world.network.books.find(externalId)?.commentary).toContain('{hashtag|\\#|bread}');
    expect(publishing.count(text)).toBe(world.network.books.find(externalId)?.shown.length);
  });

  test('the URL and the options of a post are reported', async () => {
    const options = { visibility: 'LOGGED_IN', no_reposts: true };
    const { externalId, url } = await published(buildItem('For members', { options }));
    expect(url).toBe(`https://www.linkedin.com/feed/update/${externalId}/`);
    expect(world.network.books.find(externalId)).toMatchObject({
      visibility: 'LOGGED_IN',
      isReshareDisabled: true,
    });
  });

  test('a retired API version defers a post until the operator acts, and does not end it', async () => {
    const { result } = await attempt(buildItem('Old'), session({ apiVersion: '202401' }));
    expect(result).toMatchObject({
      failure: {
        code: 'platform.unavailable',
        retryAfterSeconds: 3_600,
        platform: { code: 'NONEXISTENT_VERSION' },
      },
    });
  });

  test('a link next to an image is in the text, and in a comment too', async () => {
    const link = 'https://example.com/a';
    const root = await published(buildItem('Look', { link, media: [imageOf()] }));
    expect(world.textOf(root.externalId)).toBe(`Look\n${link}`);
    const comment = buildItem('More (there)', { kind: 'comment', link, replyTo: { root, parent: root } });
    expect(world.textOf((await published(comment)).externalId)).toBe(`More (there)\n${link}`);
  });

  test('the metadata of a page whose image LinkedIn does not accept is still a card', async () => {
    const link = 'https://example.com/page';
    const card = { url: link, title: 'A page', description: '', image: imageOf({ type: 'image/png' }) };
    const webp = { ...card, image: { ...card.image, type: 'image/webp' } };
    const withImage = await published(buildItem('Read', { link, card }));
    const without = await published(buildItem('Read on', { link, card: webp }));
    const cardOf = ({ externalId }: PublishedPart) => world.network.books.find(externalId)?.card;
    expect(cardOf(withImage)?.thumbnail?.sha256).toBe(card.image.sha256);
    expect(cardOf(without)).toMatchObject({ title: 'A page', thumbnail: null });
  });

  test('a video is uploaded in the chunks that LinkedIn requests', async () => {
    const video = videoOf();
    world.network.uploads.setPieceBytes(Math.ceil(video.bytes / 3));
    const { externalId } = await published(buildItem('Waves', { media: [video] }));
    world.network.uploads.setPieceBytes(4_194_304);
    expect(video.reads()).toBe(3);
    expect(world.network.books.find(externalId)?.files).toMatchObject([{ sha256: video.sha256 }]);
  });

  test('a video that is processed longer is resumed, and not uploaded twice', async () => {
    const video = videoOf();
    world.network.uploads.setProcessingPolls(4);
    let receipt: PublishItem['receipt'] = {};
    const item = buildItem('Slow', { media: [video] });
    const opened = openReceipt(item, async (stored) => void (receipt = stored));
    const first = await uploadMedia(session(), item, opened, [1, 1]);
    expect(first).toMatchObject({ failure: { code: 'platform.unavailable', retryAfterSeconds: 60 } });
    const later = await attempt({ ...item, receipt });
    expect(later.result.ok).toBe(true);
    expect(video.reads()).toBe(1);
  });

  test('a video that LinkedIn has not registered yet is waited for, and not uploaded twice', async () => {
    const video = videoOf();
    world.network.uploads.setUnnoticedPolls(3);
    let receipt: PublishItem['receipt'] = {};
    const item = buildItem('Unnoticed', { media: [video] });
    const opened = openReceipt(item, async (stored) => void (receipt = stored));
    const first = await uploadMedia(session(), item, opened, [1, 1]);
    world.network.uploads.setUnnoticedPolls(0);
    expect(first).toMatchObject({ failure: { code: 'platform.unavailable', retryAfterSeconds: 60 } });
    expect((await attempt({ ...item, receipt })).result.ok).toBe(true);
    expect(video.reads()).toBe(1);
  });

  test('a video that cannot be processed is refused, and uploaded anew by a retry', async () => {
    world.network.uploads.setProcessingFails(true);
    const video = videoOf();
    const { result, item } = await attempt(buildItem('Broken', { media: [video] }));
    expect(result).toMatchObject({ failure: { code: 'platform.refused' } });
    world.network.uploads.setProcessingFails(false);
    expect((await attempt({ ...item, media: [video] })).result.ok).toBe(true);
    expect(video.reads()).toBe(2);
  });

  test('media that LinkedIn no longer has is uploaded again', async () => {
    const imageUrl = imageOf();
    const item = buildItem('Kept too long', { media: [imageUrl] });
    let receipt: PublishItem['receipt'] = {};
    const opened = openReceipt(item, async (stored) => void (receipt = stored));
    await uploadMedia(session(), item, opened);
    world.network.uploads.forget();
    expect((await attempt({ ...item, receipt })).result.ok).toBe(true);
    expect(imageUrl.reads()).toBe(2);
  });

  test('a document has a title, by default that of its file', async () => {
    const [named, other] = [documentOf({ altText: 'A report' }), documentOf()];
    const titleOf = async (media: PublishItem['media']) =>
      world.network.books.find((await published(buildItem('Read', { media }))).externalId)?.files[0]?.title;
    expect(await titleOf([named])).toBe('A report');
    expect(await titleOf([other])).toBe(other.fileName);
  });

  test('an upload URL on another host does not receive the login', async () => {
    const { port } = new URL(world.baseUrl);
    world.network.uploads.setOrigin(`http://localhost:${port}`);
    // A token that LinkedIn never issued is refused; a request without one is authorized by its URL.
    const unknownAccount = { ...session(), baseUrl: world.baseUrl };
    const seen: (boolean | undefined)[] = [];
    const watching = {
      ...unknownAccount,
      request: (request: Parameters<typeof unknownAccount.request>[0]) => {
        if (request.method === 'PUT') seen.push(request.omitsCredential);
        return unknownAccount.request(request);
      },
    };
    const { result } = await attempt(buildItem('Elsewhere', { media: [imageOf()] }), watching);
    world.network.uploads.setOrigin(world.baseUrl);
    const home = await attempt(buildItem('At home', { media: [imageOf()] }), watching);
    expect([result.ok, home.result.ok, seen]).toEqual([true, true, [true, false]]);
  });

  describe('the state of a post that LinkedIn has accepted', () => {
    /** A session that does not wait between two polls. */
    const hurried = () => ({ ...session(), signal: AbortSignal.abort() });

    test('is polled: a post that is published later is reported then', async () => {
      world.network.books.publishingTakes(3);
      world.network.books.postsLag(2);
      const { result } = await attempt(buildItem('In a while'), hurried());
      expect(result).toMatchObject({ ok: true });
    });

    test('leaves the outcome unknown while LinkedIn is still publishing, and nothing is sent again', async () => {
      world.network.books.publishingTakes(50);
      const before = world.effects();
      const { result, item } = await attempt(buildItem('Very slow'), hurried());
      expect(result).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
      expect(await foundAs(item)).toBe('platform.unavailable');
      expect((await attempt(item, hurried())).result).toMatchObject({
        failure: { code: 'platform.outcome_unknown' },
      });
      expect(world.effects()).toBe(before + 1);
    });

    test('is a refusal if LinkedIn could not publish it, and a retry starts anew', async () => {
      world.network.books.publishingTakes(1, 'PUBLISH_FAILED');
      const { result, item } = await attempt(buildItem('Never shown'), hurried());
      expect(result).toMatchObject({
        failure: { code: 'platform.refused', platform: { code: 'PUBLISH_FAILED' } },
      });
      expect(item.receipt).toEqual({});
    });

    test('is looked up by its URN, and its absence is never certain', async () => {
      const { result, item } = await attempt(buildItem('Taken, then gone'));
      if (!result.ok) throw new Error(result.failure.message);
      expect(await foundAs(item)).toBe(result.value.externalId);
      world.network.books.remove(result.value.externalId);
      expect(await foundAs(item)).toBe('platform.outcome_unknown');
    });

    test('is not polled for longer than LinkedIn does not know the post', async () => {
      world.network.books.postsLag(50);
      const { result, item } = await attempt(buildItem('Not known yet'), hurried());
      expect(result).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
      world.network.books.postsLag(0);
      expect(await foundAs(item)).toMatch(/^urn:li:share:/);
    });

    test('is listed for its author, so that a lost response is not mistaken for a lost post', async () => {
      world.network.books.publishingTakes(2);
      const item = buildItem('Lost while it is published');
      world.break('reset-after-effect');
      expect((await attempt(item)).result).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
      expect(await foundAs(item)).toBe('platform.unavailable');
      expect(await foundAs(item)).toBe('platform.unavailable');
      expect(await foundAs(item)).toMatch(/^urn:li:share:/);
    });

    test('cannot be read by a login without the permission, for which the response to the post is the evidence', async () => {
      const denied: PublishedPart = await published(buildItem('Denied'), {
        ...session(),
        request: (request) =>
          session({ token: request.method === 'GET' ? world.weakToken : world.token }).request(request),
      });
      expect(world.textOf(denied.externalId)).toBe('Denied');
      expect(await settled(session(), denied.externalId)).toMatchObject({ ok: true });
    });
  });

  describe('a lost post is found', () => {
    test('by its text, including the link', async () => {
      const item = buildItem('A long way https://example.com/a_b home (#now)');
      const { externalId } = await published(item);
      expect(await foundAs(item)).toBe(externalId);
    });

    test('for a manual check if LinkedIn shortened the link, since its neighbor’s looks the same', async () => {
      const [first, second] = ['long-1', 'long-2'].map((at) => buildItem(`New: https://example.com/${at}`));
      const { externalId } = await published(first as PublishItem);
      world.network.books.rewrite(externalId, (stated) =>
        stated.replace(/https:\S+/, 'https://lnkd.in/eXaMple'),
      );
      expect(await foundAs(second as PublishItem)).toBe('platform.outcome_unknown');
      expect(await foundAs(first as PublishItem)).toBe('platform.outcome_unknown');
    });

    test('for a manual check if LinkedIn rewrote the source of its card', async () => {
      const item = buildItem('A card', { link: 'https://example.com/card' });
      const { externalId } = await published(item);
      for (const source of ['https://example.com/card/', 'https://lnkd.in/eXaMple']) {
        world.network.books.recard(externalId, source);
        expect(await foundAs(item)).toBe('platform.outcome_unknown');
      }
    });

    test('for a manual check if the only match has other links, since LinkedIn may have changed them', async () => {
      await published(buildItem('Today at https://example.com/1'));
      expect(await foundAs(buildItem('Today at https://example.com/2'))).toBe('platform.outcome_unknown');
      await published(buildItem('Today', { link: 'https://example.com/1' }));
      expect(await foundAs(buildItem('Today', { link: 'https://example.com/2' }))).toBe(
        'platform.outcome_unknown',
      );
      expect(await foundAs(buildItem('Tomorrow', { link: 'https://example.com/1' }))).toBeNull();
    });

    test('as the one of two that has its exact link', async () => {
      const items = ['https://example.com/3', 'https://example.com/4'].map((link) =>
        buildItem('By day', { link }),
      );
      for (const item of items) {
        const { externalId } = await published(item);
        expect(await foundAs(item)).toBe(externalId);
      }
    });

    test('by its uploads, if there is no text and others look the same', async () => {
      const items = await Promise.all([0, 1].map(() => attempt(buildItem('', { media: [imageOf()] }))));
      for (const { result, item } of items) {
        expect(await foundAs(lost(item))).toBe(result.ok && result.value.externalId);
      }
    });

    test('by its uploads, in their order, among several', async () => {
      const { result, item } = await attempt(buildItem('', { media: [imageOf(), imageOf()] }));
      expect(await foundAs(lost(item))).toBe(result.ok && result.value.externalId);
      const { media_0: one = '', media_1: two = '' } = item.receipt;
      expect(await foundAs({ ...item, receipt: { media_0: two, media_1: one } })).toBe(
        'platform.outcome_unknown',
      );
    });

    test('for a manual check if two are alike', async () => {
      const item = buildItem('Twice the same');
      await published(item);
      await published(buildItem('Twice the same'));
      expect(await foundAs(item)).toBe('platform.outcome_unknown');
    });

    test('and not among earlier ones', async () => {
      await published(buildItem('Every morning'));
      const [last] = world.network.books.of(world.account.id);
      const later = new Date((last?.createdAt.getTime() ?? 0) + 6_000);
      expect(await foundAs(buildItem('Every morning', { createdAt: later }))).toBeNull();
    });
  });

  test('a comment that precedes LinkedIn’s knowledge of the post is deferred, and not lost', async () => {
    const root = await published(buildItem('A post of this moment'));
    const item = buildItem('Too early', { kind: 'comment', replyTo: { root, parent: root } });
    world.network.books.setCommentLagPolls(1);
    expect((await attempt(item)).result).toMatchObject({
      failure: { code: 'platform.unavailable', retryAfterSeconds: 60 },
    });
    expect(world.textOf((await published(item)).externalId)).toBe('Too early');
  });

  test('a mention in a comment is the name alone, and counted as that', async () => {
    const root = await published(buildItem('A post to thank for'));
    const text = 'Thanks @[Al](urn:li:person:a1)';
    const item = buildItem(text, { kind: 'comment', replyTo: { root, parent: root } });
    const { externalId } = await published(item);
    expect(world.textOf(externalId)).toBe('Thanks Al');
    expect(publishing.count(publishing.finalText(item))).toBe('Thanks Al'.length);
    expect(await foundAs(item)).toBe(externalId);
  });

  test('a post of a page to connections is rejected beforehand', () => {
    const { account } = world;
    const draft = buildItem('For some', { options: { visibility: 'CONNECTIONS' } });
    expect(publishing.check?.(draft, undefined, account.id)).toMatchObject([
      { path: 'options.visibility', code: 'option.invalid' },
    ]);
    expect(publishing.check?.(draft, undefined, 'urn:li:person:a1')).toEqual([]);
    expect(publishing.check?.(buildItem('For all'), undefined, account.id)).toEqual([]);
  });

  test('options in an invalid format are a violation of the rules, and not an internal error', () => {
    const odd = buildItem('Odd', { options: { visibility: 7 } });
    expect(publishing.check?.(odd, undefined, world.account.id)).toEqual([]);
  });

  test('a comment whose link LinkedIn shortened is found', async () => {
    const root = await published(buildItem('A post to comment on'));
    const item = buildItem('See https://example.com/long', {
      kind: 'comment',
      replyTo: { root, parent: root },
    });
    const { externalId } = await published(item);
    world.network.books.rewrite(externalId, (stated) =>
      stated.replace(/https:\S+/, 'https://lnkd.in/eXaMple'),
    );
    expect(await foundAs(item)).toBe(externalId);
  });

  test('a post that is gone can be removed, and so can its comment', async () => {
    const root = await published(buildItem('Gone'));
    const comment = await published(buildItem('Too', { kind: 'comment', replyTo: { root, parent: root } }));
    expect(await remove(session(), root)).toMatchObject({ ok: true });
    expect(await remove(session(), comment)).toMatchObject({ ok: true });
  });
});

describe('for a member', () => {
  const start = async (options: LinkedInOptions & { readonly scopes?: readonly string[] }) =>
    void (world = await startWorld(options));
  afterEach(() => world.close());

  test('a post is never looked up, so that its outcome requires a manual check', async () => {
    await start({ product: 'share' });
    const open = asMember(['openid', 'profile', 'w_member_social']);
    world.break('reset-after-effect');
    const { result, item } = await attempt(buildItem('Lost'), open);
    expect(result).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    const requests = world.requests();
    expect(await foundAs(item, open)).toBe('platform.outcome_unknown');
    expect(world.requests()).toBe(requests);
  });

  test('a post with a missing upload was never sent, and may be sent', async () => {
    await start({ product: 'share' });
    const open = asMember(['openid', 'profile', 'w_member_social']);
    world.break('reset-after-effect', 1);
    const { result, item } = await attempt(buildItem('Half', { media: [imageOf(), imageOf()] }), open);
    expect(result.ok).toBe(false);
    expect(await foundAs(item, open)).toBeNull();
  });

  test('with the restricted read permission a post is found', async () => {
    await start({ scopes: ['r_basicprofile', 'w_member_social', 'r_member_social'] });
    const open = asMember(['w_member_social', 'r_member_social']);
    const { result, item } = await attempt(buildItem('Found'), open);
    expect(await foundAs(lost(item), open)).toBe(result.ok && result.value.externalId);
  });

  test('the response to a post is the only evidence, and an attempt that ended after it is found by that', async () => {
    await start({ product: 'share' });
    const open = asMember(['openid', 'profile', 'w_member_social']);
    const before = world.requests();
    const { result, item } = await attempt(buildItem('Said once'), open);
    expect(world.requests()).toBe(before + 1);
    expect(await foundAs(item, open)).toBe(result.ok && result.value.externalId);
  });

  test('an image and a video are published, though no status is reported', async () => {
    await start({ product: 'share' });
    const open = asMember(['openid', 'profile', 'w_member_social']);
    for (const media of [[imageOf()], [videoOf()]]) {
      const { externalId } = await published(buildItem('Look', { media }), open);
      expect(world.network.books.find(externalId)?.files).toMatchObject([{ sha256: media[0]?.sha256 }]);
    }
  });

  test.each([
    ['every app', 'share', ['openid', 'profile', 'w_member_social'], '/v2/'],
    ['partners', 'community', ['r_basicprofile', 'w_member_social_feed'], '/rest/'],
  ] as const)('a comment uses the API that the app of %s has', async (_, product, permissions, place) => {
    await start({ product });
    const requested: string[] = [];
    const account = { ...world.account, id: `urn:li:person:${world.network.member.id}` };
    const open = session({ account, permissions, onRequest: ({ url }) => void requested.push(url.pathname) });
    const root = await published(buildItem('Hello'), open);
    const item = buildItem('And more', { kind: 'comment', replyTo: { root, parent: root } });
    const comment = await published(item, open);
    expect(world.parentOf?.(comment.externalId)).toBe(root.externalId);
    expect(requested.at(-1)?.startsWith(`${place}socialActions/`)).toBe(true);
    expect(await foundAs(item, open)).toBe('platform.outcome_unknown');
    expect(await remove(open, comment)).toMatchObject({ ok: true });
    expect(world.network.books.findComment(comment.externalId)).toBeNull();
  });

  test('posting for a page requires its permissions', async () => {
    await start({ product: 'share' });
    const { result } = await attempt(buildItem('For the page'), session({ permissions: ['openid'] }));
    expect(result).toMatchObject({ failure: { code: 'platform.permission_missing' } });
  });

  test('a duplicate text is reported as such, and the post that LinkedIn names is not mistaken for this one', async () => {
    await start({ product: 'share', refusesDuplicates: true });
    const open = asMember(['openid', 'profile', 'w_member_social']);
    const first = await published(buildItem('Once'), open);
    await remove(open, first);
    expect((await attempt(buildItem('Once'), open)).result).toMatchObject({
      failure: { code: 'platform.duplicate_content' },
    });
  });

  test('a daily limit is reported as a rate limit', async () => {
    await start({ product: 'share', postsPerDay: 1 });
    const open = asMember(['openid', 'profile', 'w_member_social']);
    await published(buildItem('One'), open);
    expect((await publishing.publish(open, buildItem('Two'), discardReceipt)).ok).toBe(false);
    expect((await attempt(buildItem('Two'), open)).result).toMatchObject({
      failure: { code: 'platform.rate_limited' },
    });
  });
});
