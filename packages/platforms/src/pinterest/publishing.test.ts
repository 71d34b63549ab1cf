import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { PublishItem, Session } from '@switchboard/domain/ports';
import { openReceipt } from '@switchboard/platform-kit/part-receipt';
import { buildItem, discardReceipt } from '@switchboard/platform-kit/testing/calls';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { imageOf, videoOf } from '@switchboard/platform-kit/testing/test-media';
import { createdAtOf } from './created-at-of.js';
import { uploadVideo } from './media.js';
import { publishing } from './publishing.js';
import { startWorld } from './testing/world.js';

let world: Awaited<ReturnType<typeof startWorld>>;
let session: Session;
const open = async (options?: Parameters<typeof startWorld>[0]) => {
  await world?.close();
  world = await startWorld(options);
  session = testSession(world);
};
beforeEach(() => open());
afterEach(() => world.close());

const board = { board_id: '549755885175' };
const pinOf = (text: string, more: Partial<PublishItem> = {}) =>
  buildItem(text, { media: [imageOf()], options: board, ...more });
const find = (item: PublishItem) => publishing.find?.(session, { ...item, media: [] });

async function publish(item: PublishItem) {
  const result = await publishing.publish(session, item, discardReceipt);
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  return { ...result.value, storedPost: world.network.pins.find(result.value.externalId) };
}

const unknown = { failure: { code: 'platform.outcome_unknown' } };
const foundAs = ({ externalId }: { readonly externalId: string }) => ({ ok: true, value: { externalId } });

describe('a pin is found', () => {
  test('by its title alone', async () => {
    const item = pinOf('', { title: 'Soup' });
    expect(await find(item)).toEqual({ ok: true, value: null });
    const pinned = await publish(item);
    expect(await find(item)).toMatchObject(foundAs(pinned));
  });

  test.each(['https://example.com', 'http://example.com/a/', 'HTTPS://example.com/a?b=c'])(
    'with a link to %s that is returned with a slash, or with another protocol',
    async (link) => {
      await open({ linkAs: (sent) => new URL(sent).href.replace(/^http:/, 'https:') });
      const item = pinOf('Soup', { link });
      const pinned = await publish(item);
      expect(await find(item)).toMatchObject(foundAs(pinned));
    },
  );

  test('among those of another board, of another section, with more images, and with other text', async () => {
    await publish(pinOf('Soup', { options: { board_id: '549755885176' } }));
    await publish(pinOf('Salad'));
    const item = pinOf('Soup', { options: { board_id: '549755885175/549755885202' } });
    const pinned = await publish(item);
    await publish(pinOf('Soup', { options: { board_id: '549755885175/549755885201' } }));
    await publish({ ...item, media: [imageOf(), imageOf()], mediaCount: 2 });
    expect(await find(item)).toMatchObject(foundAs(pinned));
  });

  test('behind more pins than one page has, and no older one is read', async () => {
    const item = pinOf('Soup');
    const pinned = await publish(item);
    for (let at = 0; at < 260; at++) world.network.pins.create(pinned.storedPost as never);
    // These cannot be distinguished.
    expect(await find({ ...item, text: 'Something else' })).toEqual({ ok: true, value: null });
    expect(await find(item)).toMatchObject(unknown);
  });
});

describe('a pin requires a manual check', () => {
  test('if two are alike', async () => {
    const item = pinOf('Soup');
    await publish(item);
    await publish(item);
    expect(await find(item)).toMatchObject(unknown);
  });

  test('if it has no text, and another without text exists; one with text is different', async () => {
    const item = pinOf('');
    await publish(pinOf('Soup'));
    expect(await find(item)).toEqual({ ok: true, value: null });
    await publish(pinOf(''));
    expect(await find(item)).toMatchObject(unknown);
  });

  test('if its link or its text is returned differently', async () => {
    await open({ linkAs: () => 'https://pin.example/x' });
    const item = pinOf('Soup', { link: 'https://example.com/soup' });
    await publish(item);
    expect(await find(item)).toMatchObject(unknown);
    expect(await find({ ...item, text: 'Salad' })).toEqual({ ok: true, value: null });
    const titled = pinOf('Bread', { title: 'Bread of today' });
    await publish(titled);
    expect(await find({ ...titled, title: null })).toMatchObject(unknown);
    expect(await find({ ...titled, text: 'Bread, and more of it' })).toMatchObject(unknown);
    expect(await find({ ...titled, text: 'Rolls', title: 'Another' })).toEqual({ ok: true, value: null });
  });

  test('if the account has more pins than can be searched, in no order', async () => {
    const pinned = await publish(pinOf('Soup'));
    const { list } = world.network.pins;
    const oldestFirst: typeof list = (fits) => list(fits).reverse();
    Object.assign(world.network.pins, { list: oldestFirst });
    for (let at = 0; at < 2_000; at++) world.network.pins.create(pinned.storedPost as never);
    expect(await find({ ...pinOf('Bread'), createdAt: new Date('2030-01-01') })).toMatchObject(unknown);
  });
});

test.each([
  ['2022-10-13T01:40:29', '2022-10-13T01:40:29Z'],
  ['2020-01-01T20:10:40Z', '2020-01-01T20:10:40Z'],
  ['2020-01-01T20:10:40-00:00', '2020-01-01T20:10:40-00:00'],
])('a pin of %s was created at that time in UTC, in every local time zone', (time, at) => {
  expect(createdAtOf({ created_at: time })).toBe(at);
});

test('a large page of carousels is read', async () => {
  const item = pinOf('Soup', { media: Array.from({ length: 5 }, () => imageOf()) });
  const pinned = await publish(item);
  const other = {
    ...pinned.storedPost,
    description: 'Salad',
    link: `https://example.com/${'a'.repeat(2_000)}`,
  };
  for (let at = 0; at < 249; at++) world.network.pins.create(other as never);
  expect(await find(item)).toMatchObject(foundAs(pinned));
});

test('several images share one text, which is truncated to the maximum', async () => {
  const media = ['a', 'b', 'c'].map((letter) => imageOf({ altText: letter.repeat(240) }));
  const { storedPost } = await publish(pinOf('Soup', { media }));
  expect(storedPost?.altText).toBe(`${'a'.repeat(240)}\n${'b'.repeat(240)}\n${'c'.repeat(18)}`);
  expect((await publish(pinOf('Soup', { media: [imageOf(), imageOf()] }))).storedPost?.altText).toBeNull();
});

describe('the validation error', () => {
  const checked = (more: Partial<PublishItem>) =>
    publishing.check?.(pinOf('Soup', more)).map(({ path, code }) => [path, code]);
  const longest = `https://example.com/${'ü'.repeat(2_048 - 20)}`;
  test.each([
    [{ link: longest }, []],
    [{ link: `${longest}x` }, [['link', 'link.too_long']]],
    [{ options: { board_id: '12/34', cover_second: '0' } }, []],
    [{ options: { board_id: 'soups' } }, [['options.board_id', 'option.invalid']]],
    [{ options: { board_id: '12/' } }, [['options.board_id', 'option.invalid']]],
    [{ options: { ...board, cover_second: '1.5' } }, [['options.cover_second', 'option.invalid']]],
  ])('of %j', (more, problems) => expect(checked(more)).toEqual(problems));
});

describe('a video', () => {
  const IMPATIENT_MS = [1, 1, 1];
  /** Its attempts, each with the receipt of the one before. */
  function attempts(medium = videoOf()) {
    let receipt: PublishItem['receipt'] = {};
    const saveReceipt = async (stored: PublishItem['receipt']) => void (receipt = stored);
    return () => uploadVideo(session, medium, openReceipt({ receipt }, saveReceipt), IMPATIENT_MS);
  }

  test('has its first second as the cover by default', async () => {
    const { storedPost } = await publish(pinOf('Waves', { media: [videoOf()] }));
    expect(storedPost?.coverSecond).toBe(1);
    const options = { ...board, cover_second: '0' };
    expect((await publish(pinOf('Waves', { media: [videoOf()], options }))).storedPost?.coverSecond).toBe(0);
  });

  test('that is processed longer than an attempt may wait is resumed by a later one, without another upload', async () => {
    const { media } = world.network;
    media.setProcessingPolls(6);
    const [video] = [videoOf()];
    const upload = attempts(video);
    expect(await upload()).toMatchObject({
      failure: { code: 'platform.unavailable', retryAfterSeconds: 60 },
    });
    expect(await upload()).toMatchObject({ ok: true });
    expect([media.registered(), video.reads()]).toEqual([1, 1]);
  });

  test('whose upload was interrupted is registered anew, and so is one that Pinterest no longer knows', async () => {
    const { media } = world.network;
    const upload = attempts();
    world.break('reset-before-effect', 1);
    expect(await upload()).toMatchObject({ failure: { code: 'platform.unavailable' } });
    expect(await upload()).toMatchObject({ ok: true });
    media.forget();
    expect(await upload()).toMatchObject({ ok: true });
    expect(media.registered()).toBe(1);
  });

  test('that the storage accepted and Pinterest never received is uploaded anew by a later attempt', async () => {
    const { media } = world.network;
    media.setUploadsVanish(true);
    const upload = attempts();
    expect(await upload()).toMatchObject({ failure: { code: 'platform.unavailable' } });
    media.setUploadsVanish(false);
    expect(await upload()).toMatchObject({ ok: true });
    expect(media.registered()).toBe(2);
  });

  test.each([
    { status: 403, code: 'AccessDenied', message: 'Invalid according to Policy: Policy expired.' },
    { status: 400, code: 'RequestTimeout', message: 'Your socket connection was not read from in time.' },
  ])('that arrived late at the storage ($code) is sent anew by a later attempt', async (stated) => {
    const { media } = world.network;
    media.setUploadError(stated);
    const upload = attempts();
    expect(await upload()).toMatchObject({ failure: { code: 'platform.unavailable' } });
    media.setUploadError(null);
    expect(await upload()).toMatchObject({ ok: true });
  });

  test('that is too large for the storage is refused with its message', async () => {
    const stated = {
      code: 'EntityTooLarge',
      message: 'Your proposed upload exceeds the maximum allowed size',
    };
    world.network.media.setUploadError({ status: 400, ...stated });
    expect(await attempts()()).toMatchObject({ failure: { code: 'platform.refused', platform: stated } });
  });

  test.each([
    ['registered', '2xx-no-id', 0],
    ['accepted by the storage', 'redirect', 1],
    ['reported as ready', 'garbage', 2],
  ] as const)(
    'that is %s in an unreadable response leaves no doubt about its pin',
    async (_, how, skipRequests) => {
      world.break(how, skipRequests);
      const item = pinOf('', { media: [videoOf()] });
      expect(await publishing.publish(session, item, discardReceipt)).toMatchObject({
        failure: { code: 'platform.unavailable' },
      });
    },
  );

  test('that cannot be processed is refused, and uploaded anew by a retry', async () => {
    const { media } = world.network;
    media.setProcessingFails(true);
    const upload = attempts();
    expect(await upload()).toMatchObject({ failure: { code: 'platform.refused' } });
    media.setProcessingFails(false);
    expect(await upload()).toMatchObject({ ok: true });
    expect(media.registered()).toBe(2);
  });
});

describe('unavailable sections', () => {
  const named = (at: number) => ({ id: String(at), name: `B${at}`, sections: [{ id: `9${at}`, name: 'S' }] });
  const fetchOptions = async () => {
    const response = await publishing.options?.(session);
    const [boards] = response?.ok ? (response.value.options ?? []) : [];
    return { values: boards?.choices?.map(({ value }) => value), more: boards?.more };
  };

  test('do not hide boards or sections of other boards, and the list is marked as incomplete', async () => {
    await open({ boards: [10, 11].map(named) });
    world.break('500-before', 1);
    expect(await fetchOptions()).toMatchObject({ values: { length: 3 }, more: true });
    world.break('garbage', 1);
    expect(await fetchOptions()).toMatchObject({ values: { length: 3 }, more: true });
    expect(await fetchOptions()).toEqual({ values: ['10', '10/910', '11', '11/911'], more: false });
  });

  test('are no longer requested once Pinterest is rate limiting', async () => {
    await open({ boards: Array.from({ length: 30 }, (_, at) => named(at + 10)) });
    world.break('429', 1);
    const before = world.requests();
    expect(await fetchOptions()).toMatchObject({ values: { length: 30 + 5 }, more: true });
    expect(world.requests() - before).toBe(1 + 6);
  });

  test('end the request if the login has expired', async () => {
    session = testSession({ ...world, token: world.expiredToken });
    expect(await publishing.options?.(session)).toMatchObject({
      failure: { code: 'connection.needs_reauth' },
    });
  });
});

test('boards beyond a page are choices too, and a rate limit is reported with its retry delay', async () => {
  const boards = Array.from({ length: 300 }, (_, at) => ({
    id: String(1_000 + at),
    name: `B${at}`,
    sections: [],
  }));
  const now = () => new Date('2026-11-21T12:00:00Z');
  await open({ boards, now, limits: { org_read: 63, org_write: 100 } });
  const response = await publishing.options?.(session);
  // The sections of so many boards are not all requested.
  expect(response?.ok && response.value.options?.[0]).toMatchObject({ choices: { length: 300 }, more: true });
  await publishing.options?.(session);
  expect(await publishing.options?.(session)).toMatchObject({ failure: { code: 'platform.rate_limited' } });
});
