import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { PublishItem, Session } from '@switchboard/domain/ports';
import { buildItem, discardReceipt } from '@switchboard/platform-kit/testing/calls';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { imageOf, videoOf } from '@switchboard/platform-kit/testing/test-media';
import { publishing } from './publishing.js';
import { startWorld } from './testing/world.js';

let world: Awaited<ReturnType<typeof startWorld>>;
let session: Session;
beforeAll(async () => {
  world = await startWorld();
  session = testSession(world);
});
afterAll(() => world.close());

async function embedOf(item: PublishItem): Promise<unknown> {
  const published = await publishing.publish(session, item, discardReceipt);
  if (!published.ok) throw new Error(published.failure.code);
  return world.recordOf(published.value.externalId)?.['embed'];
}

test('images are in order, with their aspect ratios, and with an empty string where there is no alternative text', async () => {
  const [wide, tall] = [
    { ...imageOf({ altText: 'A wide cat' }), width: 1600, height: 900 },
    { ...imageOf({ type: 'image/jpeg' }), width: 3, height: 4 },
  ];
  expect(await embedOf(buildItem('Two cats', { media: [wide, tall] }))).toEqual({
    $type: 'app.bsky.embed.images',
    images: [
      {
        alt: 'A wide cat',
        aspectRatio: { width: 1600, height: 900 },
        image: expect.objectContaining({ mimeType: 'image/png', size: wide.bytes }),
      },
      {
        alt: '',
        aspectRatio: { width: 3, height: 4 },
        image: expect.objectContaining({ mimeType: 'image/jpeg', size: tall.bytes }),
      },
    ],
  });
});

test('images need no text', async () => {
  expect(await embedOf(buildItem('', { media: [imageOf()] }))).toMatchObject({
    $type: 'app.bsky.embed.images',
  });
});

test('a video has its aspect ratio, and an alternative text if there is one', async () => {
  expect(await embedOf(buildItem('Moving', { media: [videoOf({ altText: 'A cat jumps' })] }))).toEqual({
    $type: 'app.bsky.embed.video',
    video: expect.objectContaining({ mimeType: 'video/mp4' }),
    alt: 'A cat jumps',
    aspectRatio: { width: 640, height: 360 },
  });
  expect(await embedOf(buildItem('Moving', { media: [videoOf()] }))).not.toHaveProperty('alt');
});

describe('a link', () => {
  const link = 'https://example.com/a?b=c';
  test('is a card that shows the image of the page', async () => {
    const image = imageOf({ type: 'image/jpeg' });
    const card = { url: link, title: 'A page', description: 'About a thing', image };
    expect(await embedOf(buildItem('Read', { link, card }))).toMatchObject({
      external: { uri: link, thumb: { $type: 'blob', mimeType: 'image/jpeg', size: image.bytes } },
    });
  });

  test('is a card also if the page has no metadata, so that the link is never lost', async () => {
    expect(await embedOf(buildItem('Read', { link }))).toEqual({
      $type: 'app.bsky.embed.external',
      external: { uri: link, title: link, description: '' },
    });
  });

  test('is not a card when the post has media', async () => {
    expect(await embedOf(buildItem('Read', { link, media: [imageOf()] }))).toMatchObject({
      $type: 'app.bsky.embed.images',
    });
  });
});

describe('an uploaded file', () => {
  test('is stored by its digest before the post is written', async () => {
    const media = [imageOf(), imageOf()];
    let stored: PublishItem['receipt'] = {};
    world.break('500-before', 2);
    const item = buildItem('Two', { media });
    await publishing.publish(session, item, async (receipt) => void (stored = receipt));
    expect(Object.keys(stored)).toEqual(media.map(({ sha256 }) => sha256));
  });

  test('is uploaded again if the server has deleted it, and the post is written once', async () => {
    let stored: PublishItem['receipt'] = {};
    const saveReceipt = async (receipt: PublishItem['receipt']) => void (stored = receipt);
    const item = buildItem('A day later', { media: [imageOf()] });
    world.break('500-before', 1);
    await publishing.publish(session, item, saveReceipt);
    world.collectGarbage();
    const [uploads, posts] = [world.uploads(), world.effects()];
    expect(await publishing.publish(session, { ...item, receipt: stored }, saveReceipt)).toMatchObject({
      ok: true,
    });
    expect([world.uploads() - uploads, world.effects() - posts]).toEqual([1, 1]);
  });

  test('is uploaded once if two images of a post are the same', async () => {
    const image = imageOf();
    const uploads = world.uploads();
    await embedOf(buildItem('Twins', { media: [image, image] }));
    expect(world.uploads()).toBe(uploads + 1);
  });
});

describe('a file that is too large for the account’s server', () => {
  const large = videoOf({ bytes: 5_300_000 });

  test('is refused with a clear message, and nothing is posted', async () => {
    const posts = world.effects();
    expect(
      await publishing.publish(session, buildItem('Big', { media: [large] }), discardReceipt),
    ).toMatchObject({
      failure: {
        code: 'platform.refused',
        message: expect.stringContaining('exceeds the account server’s size limit'),
        platform: { name: 'Bluesky', code: 'PayloadTooLarge' },
      },
    });
    expect(world.effects()).toBe(posts);
  });

  test('is refused with a clear message also by a proxy in front of it', async () => {
    const line: Session = {
      ...session,
      request: async () => ({
        ok: true,
        value: { status: 413, ok: false, headers: {}, body: Buffer.from('<html>'), json: undefined },
      }),
    };
    expect(
      await publishing.publish(line, buildItem('Big', { media: [large] }), discardReceipt),
    ).toMatchObject({
      failure: {
        code: 'platform.refused',
        message: expect.stringContaining('exceeds the account server’s size limit'),
      },
    });
  });
});
