import { expect, test } from '@jest/globals';
import { noMetrics } from '@switchboard/domain/analytics';
import { buildItem, discardReceipt } from '@switchboard/platform-kit/testing/calls';
import { imageOf, videoOf } from '@switchboard/platform-kit/testing/test-media';
import { fixtureReplay } from '@switchboard/platform-kit/testing/fixture-replay';
import { analytics } from './analytics.js';
import { connecting } from './connecting.js';
import { publishing } from './publishing.js';

/** Bodies as Pinterest documents them, or as others observed them (NOTES.md). */
const written = fixtureReplay(import.meta.dirname);

test('an account is read', async () => {
  await written.start('profile');
  expect(await connecting.identify(written.session())).toEqual({
    ok: true,
    value: [
      {
        id: '2783136121146311751',
        username: 'soups_and_more',
        name: null,
        avatarUrl: 'https://i.pinimg.com/280x280_RS/5c/88/2f/5c882f4b02468fcd6cda2ce569c2c166.jpg',
        url: 'https://www.pinterest.com/soups_and_more/',
      },
    ],
  });
});

test('boards of every page, and their sections, are choices of where a pin is created', async () => {
  await written.start('boards');
  const result = await publishing.options?.(written.session());
  expect(result?.ok && result.value.options).toEqual([
    {
      name: 'board_id',
      label: 'Board, or a section of one',
      type: 'choice',
      required: true,
      choices: [
        { value: '549755885175', label: 'Summer Recipes' },
        { value: '549755885175/5258814934636', label: 'Summer Recipes › Salads' },
        { value: '549755885176', label: 'Kitchens' },
        // Its sections cannot be read, which hides no other board.
        { value: '549755885177', label: 'Shared with us' },
      ],
      more: true,
    },
  ]);
  expect(written.left()).toEqual([]);
  expect(written.asked()[1]?.query.get('bookmark')).toBe('Y2JVSG81V2sxcmNHRlpWekZ5VFVad1ZsWllaR');
});

test('a pin reports its board, its title and its link', async () => {
  await written.start('pinned');
  const image = imageOf({ altText: 'A file of layers' });
  const item = buildItem('Details below ▶ $120.0', {
    title: 'Design, shading, layered file',
    link: 'https://www.example.com/detail/19993',
    media: [image],
    options: { board_id: '549755885175/5258814934636' },
  });
  expect(await publishing.publish(written.session(), item, discardReceipt)).toEqual({
    ok: true,
    value: {
      externalId: '999658448514149467',
      url: 'https://www.pinterest.com/pin/999658448514149467/',
      receipt: {},
    },
  });
  expect(written.asked()[0]?.body).toEqual({
    board_id: '549755885175',
    board_section_id: '5258814934636',
    title: 'Design, shading, layered file',
    description: 'Details below ▶ $120.0',
    link: 'https://www.example.com/detail/19993',
    alt_text: 'A file of layers',
    media_source: {
      source_type: 'image_base64',
      content_type: 'image/png',
      data: Buffer.from(image.content).toString('base64'),
    },
  });
});

test('a pin is distinguished from older ones and from those of other boards', async () => {
  await written.start('own-pins');
  const item = buildItem('With bread', {
    title: 'Soup',
    link: 'https://example.com/soup',
    mediaCount: 2,
    options: { board_id: '549755885175/5258814934636' },
  });
  expect(await publishing.find?.(written.session(), item)).toMatchObject({
    value: { externalId: '813744226420795889' },
  });
  // The second page ends before the item was due, so no third is requested.
  expect(written.asked()).toHaveLength(2);
});

test('a video upload to a storage provider does not carry the login', async () => {
  await written.start('video');
  const addresses: string[] = [];
  const open = written.session();
  const session = {
    ...open,
    request: async (request: Parameters<typeof open.request>[0]) => {
      if (!request.omitsCredential) return open.request(request);
      addresses.push(request.path);
      const body = await bytesOf(request.body);
      const order = [...body.toString('latin1').matchAll(/form-data; name="([^"]+)"/g)].map(
        ([, name]) => name,
      );
      expect(order.at(0)).toBe('x-amz-date');
      expect(order).toHaveLength(9);
      expect(order.at(-1)).toBe('file');
      return {
        ok: true,
        value: { status: 204, ok: true, headers: {}, body: new Uint8Array(), json: undefined },
      } as const;
    },
  };
  const item = buildItem('Waves', { media: [videoOf()], options: { board_id: '549755885175' } });
  expect(await publishing.publish(session, item, discardReceipt)).toMatchObject({
    failure: { code: 'platform.refused' },
  });
  expect(addresses).toEqual(['https://pinterest-media-upload.s3-accelerate.amazonaws.com/']);
});

async function bytesOf(body: unknown): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of (body as { stream(): AsyncIterable<Uint8Array> }).stream()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

test('a 401 concerns the login, or its permissions', async () => {
  await written.start('refusals');
  const session = written.session();
  expect(await connecting.identify(session)).toMatchObject({
    failure: { code: 'platform.permission_missing', platform: { code: '3' } },
  });
  // The error of older versions for an expired token, with the same code.
  expect(await connecting.identify(session)).toMatchObject({ failure: { code: 'connection.needs_reauth' } });
  expect(await publishing.options?.(session)).toMatchObject({ failure: { code: 'connection.needs_reauth' } });
  expect(await publishing.find?.(session, buildItem('Soup'))).toMatchObject({
    failure: { code: 'platform.refused', platform: { code: '29' } },
  });
});

test('an app with trial access gets Pinterest’s own message', async () => {
  await written.start('refusals');
  const item = buildItem('Soup', { media: [imageOf()], options: { board_id: '549755885175' } });
  const refused = await publishing.publish(written.session(), item, discardReceipt);
  expect(!refused.ok && refused.failure).toMatchObject({
    code: 'platform.refused',
    platform: { code: '29' },
  });
  expect(!refused.ok && refused.failure.platform?.message).toContain('Apps with Trial access');
});

test('metrics are those since a pin was created, a missing value is null and a missing pin is left out', async () => {
  await written.start('numbers');
  const ids = ['84', '85', '86', '87'].map((end) => `8137442264207958${end}`);
  const read = await analytics.ofPosts(written.session(), ids);
  expect(read.ok && [...read.value]).toEqual([
    [ids[0], { ...noMetrics, impressions: 2, likes: 10, comments: 2, clicks: 3 }],
    [ids[1], { ...noMetrics, impressions: 420, saves: 7, clicks: 12 }],
    [ids[2], noMetrics],
  ]);
  expect(await analytics.ofAccount?.(written.session())).toEqual({
    ok: true,
    value: { ...noMetrics, followers: 10 },
  });
});
