import { describe, expect, test } from '@jest/globals';
import { openedDownload, chunksOf } from '../../testing/environment/fake-media.js';
import { memorySocial, type MemorySocial } from '../../testing/environment/memory-social.js';
import { createTestEnvironment } from '../../testing/environment/test-environment.js';
import { listAttention } from '../attention/list-attention.js';
import type { MediaRules } from '../connections/connection.js';
import type { Problem } from '../failure.js';
import type { DownloadOutcome, NewMedia, PartDraft } from '../ports/index.js';
import { fetchMedia } from '../media/fetch-media.js';
import { storeMedia } from '../media/store-media.js';
import { createPost } from './create-post.js';
import { createPosts } from './create-posts.js';
import { deliver } from '../deliveries/deliver.js';
import type { DraftPost } from './draft-post.js';
import { updatePost, type UpdatePost } from './update-post.js';
import { validatePost } from './validate-post.js';
import { withMediaProbes } from './with-media-probes.js';

const never = new AbortController().signal;
const url = 'https://files.example/cat.png';
const rules: MediaRules = {
  max: 3,
  mixed: false,
  required: false,
  images: { max: 2, types: ['image/png'], maxBytes: 500, maxAspectRatio: 2 },
  videos: { max: 1, types: ['video/mp4'], maxBytes: 500, minSeconds: 2, maxSeconds: 60 },
  documents: { max: 1, types: ['application/pdf'], maxBytes: 500 },
  altTextMax: 10,
  fetches: false,
};
const socialWithRules = (over: Partial<MediaRules> = {}) =>
  memorySocial({ manifest: { media: { ...rules, ...over } } });

async function scene(social: MemorySocial = socialWithRules()) {
  const it = await createTestEnvironment([social]);
  await it.connect();
  /** Uploads media; its contents define its properties. */
  const uploaded = async (contents: string, over: Partial<NewMedia> = {}) => {
    const stored = await storeMedia(it.ports, chunksOf(contents), it.mediaOptions);
    if (!stored.ok) throw new Error(stored.failure.code);
    const media = it.build.media(it.workspace, { file: stored.value, ...over });
    await it.repositories.media.insert(media);
    return media;
  };
  const create = (draft: DraftPost) => it.atomic((ports) => createPost(ports, it.call(), draft));
  const stored = async () => {
    const { items } = await it.repositories.posts.list(
      it.workspace.id,
      { reach: null, sort: '-created_at' },
      { limit: 9 },
    );
    return items;
  };
  const read = async () => {
    const delivery = (await stored())[0]?.deliveries[0];
    if (!delivery) throw new Error('nothing was stored');
    return delivery;
  };
  return {
    ...it,
    social,
    uploaded,
    create,
    stored,
    read,
    async created(draft: DraftPost) {
      const post = await create(draft);
      if (!post.ok) throw new Error(`${post.failure.code}: ${post.failure.message}`);
      return post.value;
    },
    update: (changes: UpdatePost) => it.atomic((ports) => updatePost(ports, it.call(), changes)),
    problems: async (draft: DraftPost) => {
      const made = await create(draft);
      return made.ok
        ? []
        : (made.failure.problems?.map(({ path, code }) => `${path} ${code}`) ?? [made.failure.code]);
    },
    deliver: async () =>
      deliver(it.ports, { workspaceId: it.workspace.id, deliveryId: (await read()).id }, never),
    library: async () =>
      (await it.repositories.media.list(it.workspace.id, { lineage: null }, { limit: 9 })).items,
    fetch: async () => {
      for (const { job } of it.jobs()) if (job.name === 'fetch_media') await fetchMedia(it.ports, job, never);
    },
    web: (contents: string) => it.downloads.responses.set(url, () => openedDownload(chunksOf(contents))),
  };
}

async function textOf(bytes: AsyncIterable<Uint8Array> | undefined): Promise<string> {
  let text = '';
  for await (const piece of bytes ?? []) text += new TextDecoder().decode(piece);
  return text;
}

test('an image URL is downloaded in the background, kept as long as the post needs it, and sent', async () => {
  const it = await scene();
  it.web('image/png 640x480 cat');
  const post = await it.created({ text: 'Look', media: [{ url, altText: 'A cat' }] });
  expect(await it.library()).toMatchObject([
    { id: post.media[0]?.mediaId, status: 'processing', inUse: true },
  ]);
  await it.fetch();
  await it.deliver();
  const [item] = it.social.publishRequests;
  expect(item?.media).toMatchObject([{ kind: 'image', type: 'image/png', width: 640, altText: 'A cat' }]);
  expect(await textOf(item?.media[0]?.read())).toBe('image/png 640x480 cat');
  expect(await it.read()).toMatchObject({ status: 'published' });
  expect(await it.library()).toMatchObject([{ inUse: false }]);
});

test('a document is sent unchanged, with its title and without dimensions', async () => {
  const it = await scene();
  const { id: mediaId } = await it.uploaded('application/pdf of pages', { altText: 'A report' });
  await it.created({ text: 'Read', media: [{ mediaId }] });
  await it.deliver();
  const [media] = it.social.publishRequests[0]?.media ?? [];
  expect(media).toMatchObject({
    kind: 'document',
    type: 'application/pdf',
    fileName: `${mediaId}.pdf`,
    altText: 'A report',
    width: null,
    height: null,
    durationSeconds: null,
  });
  expect(await textOf(media?.read())).toBe('application/pdf of pages');
  expect(await it.read()).toMatchObject({ status: 'published' });
});

test('uploaded media keeps its description, unless the post overrides it', async () => {
  const it = await scene();
  const { id: mediaId } = await it.uploaded('image/png 10x10', { altText: 'A dog' });
  const { media, deliveries } = await it.created({ media: [{ mediaId }, { mediaId, altText: 'A wolf' }] });
  const uses = [
    { mediaId, url: null, altText: 'A dog' },
    { mediaId, url: null, altText: 'A wolf' },
  ];
  expect(media).toEqual(uses);
  expect(deliveries[0]?.parts[0]).toMatchObject({ text: '', media: uses });
});

test('one URL is downloaded once, regardless of how often the post uses it', async () => {
  const it = await scene();
  const again = { url: 'https://files.example/dog.png' };
  await it.created({
    text: 'a',
    media: [{ url }, { url }],
    thread: [{ text: 'b', media: [{ url }, again] }],
  });
  expect((await it.library()).map(({ sourceUrl }) => sourceUrl).sort()).toEqual([url, again.url].sort());
});

test.each([
  ['missing', 'med_01kah3v5w8e2m6r9t0x4y7z1ab', 'media.not_found'],
  ['malformed', 'cat.png', 'media.not_found'],
  ['without url or id', undefined, 'request.invalid'],
])('media that is %s is rejected and nothing is stored', async (_, mediaId, code) => {
  const it = await scene();
  expect(await it.create({ text: 'a', media: [{ url }, { mediaId }] })).toMatchObject({ failure: { code } });
  expect([await it.stored(), await it.library(), it.jobs()]).toEqual([[], [], []]);
});

test('failed media is rejected with its error message', async () => {
  const it = await scene();
  const error = { code: 'media.fetch_failed', message: 'The server responded with status 404.' } as const;
  const { id: mediaId } = await it.uploaded('image/png 10x10', { status: 'failed', file: null, error });
  expect(await it.create({ text: 'a', media: [{ mediaId }] })).toMatchObject({
    failure: { code: 'media.failed', message: 'media.0: The server responded with status 404.' },
  });
  expect(await it.stored()).toEqual([]);
});

test('media of another key family is not found for a key restricted to profiles', async () => {
  const it = await scene();
  const { id: mediaId } = await it.uploaded('image/png 10x10', { lineage: 'key_other' });
  const bound = it.call({}, { profileIds: [it.profile.id] });
  const asked = await it.atomic((ports) => createPost(ports, bound, { media: [{ mediaId }] }));
  expect(asked).toMatchObject({ failure: { code: 'media.not_found' } });
});

describe('rejected before anything is stored', () => {
  const contents = {
    wide: 'image/png 900x300',
    moving: 'image/gif 10x10 moves',
    heavy: `video/mp4 10x10 9s ${'x'.repeat(500)}`,
    long: 'video/mp4 10x10 61s',
    short: 'video/mp4 10x10 1s',
    video: 'video/mp4 10x10 9s',
    still: 'image/png 10x10',
    report: 'application/pdf of pages',
    atlas: `application/pdf ${'x'.repeat(500)}`,
  };
  const covers = {
    mixed: true,
    images: { max: 1, types: ['image/png'], maxBytes: 500, coverOnly: true },
  } satisfies Partial<MediaRules>;
  const cases: [string, Partial<MediaRules>, (keyof typeof contents)[], string[]][] = [
    ['more media than one post allows', {}, ['still', 'still', 'still', 'still'], ['media media.too_many']],
    ['more images than one post allows', {}, ['still', 'still', 'still'], ['media media.too_many']],
    ['a video combined with images', {}, ['still', 'video'], ['media media.too_many']],
    ['an unsupported aspect ratio', {}, ['wide'], ['media.0 media.aspect_ratio_unsupported']],
    [
      'an animation that would become a still image',
      {},
      ['still', 'moving'],
      ['media.1 media.type_unsupported'],
    ],
    ['a video that is too large', {}, ['heavy'], ['media.0 media.too_large']],
    ['a video that is too long', {}, ['long'], ['media.0 media.duration_unsupported']],
    ['a video that is too short', {}, ['short'], ['media.0 media.duration_unsupported']],
    ['videos where none are allowed', { videos: null }, ['video'], ['media.0 media.type_unsupported']],
    ['images where none are allowed', { images: null }, ['still'], ['media.0 media.type_unsupported']],
    ['a document combined with images', {}, ['still', 'report'], ['media media.too_many']],
    ['a document combined with a video', { mixed: true }, ['report', 'video'], ['media media.too_many']],
    ['more documents than one post allows', {}, ['report', 'report'], ['media media.too_many']],
    ['a document that is too large', {}, ['atlas'], ['media.0 media.too_large']],
    [
      'a document of an unsupported type',
      { documents: { max: 1, types: ['application/msword'], maxBytes: 500 } },
      ['report'],
      ['media.0 media.type_unsupported'],
    ],
    ['documents where none are allowed', { documents: null }, ['report'], ['media.0 media.type_unsupported']],
    ['no media where it is required', { required: true }, [], ['media media.required']],
    ['a cover without its video', covers, ['still'], ['media media.required']],
    ['one cover too many', covers, ['video', 'still', 'still'], ['media media.too_many']],
  ];
  test.each(cases)('%s', async (_, over, names, problems) => {
    const it = await scene(socialWithRules(over));
    const media = [];
    for (const name of names)
      media.push({ mediaId: (await it.uploaded(contents[name], { altText: null })).id });
    expect(await it.problems({ text: 'a', media })).toEqual(problems);
    expect(await it.stored()).toEqual([]);
  });

  test('an alternative text that is too long, reported at its path', async () => {
    const it = await scene();
    const media = [{ url, altText: 'x'.repeat(11) }];
    expect(await it.problems({ text: 'a', media })).toEqual(['media.0 media.alt_text_too_long']);
    const targets = [{ platform: 'sandbox_social', media }];
    expect(await it.problems({ text: 'a', targets })).toEqual(['targets.0.media.0 media.alt_text_too_long']);
    const thread = [{ text: 'b', media }];
    expect(await it.problems({ text: 'a', thread })).toEqual(['thread.0.media.0 media.alt_text_too_long']);
  });

  test('any media where a platform supports none', async () => {
    const it = await scene(memorySocial());
    expect(await it.problems({ text: 'a', media: [{ url }] })).toEqual(['media media.type_unsupported']);
  });

  test('a post without text and media', async () => {
    const it = await scene();
    expect(await it.problems({})).toEqual(['text text.required']);
    expect(await it.problems({ media: [{ url }], thread: [{}] })).toEqual(['thread.0.text text.required']);
  });

  test('media that a platform would have to download from an unreachable installation', async () => {
    const it = await scene(socialWithRules({ fetches: true }));
    expect(await it.problems({ media: [{ url }] })).toEqual([]);
    it.mediaLinks.isPublic.answer = false;
    const draft = { text: 'b', media: [{ url }] };
    expect(await it.problems(draft)).toEqual(['media media.not_publicly_reachable']);
    const valid = await validatePost(it.ports, it.call(), draft);
    expect(valid).toMatchObject({ value: { valid: false } });
  });

  test('only images, where a platform downloads those and receives uploaded videos', async () => {
    const it = await scene(socialWithRules({ fetches: 'images' }));
    it.mediaLinks.isPublic.answer = false;
    const { id: image } = await it.uploaded('image/png 640x480');
    const { id: video } = await it.uploaded('video/mp4 640x360 5s');
    expect(await it.problems({ media: [{ mediaId: image }] })).toEqual([
      'media media.not_publicly_reachable',
    ]);
    expect(await it.problems({ media: [{ mediaId: video }] })).toEqual([]);
  });

  test('the platform’s own rules for media', async () => {
    const known: unknown[] = [];
    const it = await scene(
      memorySocial({
        manifest: { media: rules },
        check: ({ media }) => {
          known.push(media);
          return [];
        },
      }),
    );
    const { id } = await it.uploaded('video/mp4 640x360 5s');
    await it.problems({ media: [{ mediaId: id }] });
    const moving = await it.uploaded('image/gif 10x10 moves');
    await it.problems({ media: [{ mediaId: moving.id }] });
    // The properties of unprocessed media are unknown.
    await it.problems({ text: 'b', media: [{ url }] });
    const video = { kind: 'video', width: 640, height: 360, durationSeconds: 5 };
    expect(known).toMatchObject([[video], [{ type: 'image/gif', animated: true }], []]);
  });
});

describe('a post whose images are queued for resizing', () => {
  test.each(['queue_full', 'out_of_time', 'interrupted'] as const)(
    'is published later when that ends with %s, and nothing is sent before',
    async (kind) => {
      const it = await scene();
      const { id } = await it.uploaded('image/png 640x480');
      await it.created({ media: [{ mediaId: id }] });
      it.mediaTools.deferred.push(kind);
      await it.deliver();
      expect(await it.read()).toMatchObject({ status: 'retrying', error: { code: 'media.processing' } });
      expect(it.social.publishRequests).toEqual([]);
      it.clock.advance(6000);
      await it.deliver();
      expect(await it.read()).toMatchObject({ status: 'published' });
    },
  );
});

describe('posts with URLs', () => {
  test('are rejected as a whole where the download queue would overflow', async () => {
    const it = await scene(socialWithRules({ max: 60, images: null }));
    for (let nth = 0; nth < 49; nth++) await it.repositories.media.insert(it.build.fetched(it.workspace));
    const named = (nth: number) => ({ url: `https://files.example/${nth}.png` });
    const refused = { failure: { code: 'rate_limit.exceeded', retryAfterSeconds: 30 } };
    const two = { text: 'a', media: [named(1), named(2)] };
    expect(await it.create(two)).toMatchObject(refused);
    const both = {
      posts: [
        { text: 'b', media: [named(1)] },
        { text: 'c', media: [named(2)] },
      ],
    };
    const batch = await it.atomic((ports) => createPosts(ports, it.call(), both));
    expect(batch).toMatchObject(refused);
    expect(batch).toMatchObject({ failure: { message: expect.stringContaining('posts.1:') as unknown } });
    expect(await it.stored()).toEqual([]);
    expect(await it.create({ text: 'd', media: [named(1)] })).toMatchObject({ ok: true });
  });
});

describe('a post with unprocessed media', () => {
  test('waits for it and is not sent before', async () => {
    const it = await scene();
    it.web('image/png 640x480');
    await it.created({ media: [{ url }] });
    await it.deliver();
    expect(await it.read()).toMatchObject({ status: 'retrying', error: { code: 'media.processing' } });
    expect(it.social.publishRequests).toEqual([]);
    await it.fetch();
    it.clock.advance(60_000);
    await it.deliver();
    expect(await it.read()).toMatchObject({ status: 'published' });
  });

  test('fails with its error when the media fails', async () => {
    const it = await scene();
    await it.created({ media: [{ url }] });
    await it.fetch();
    await it.deliver();
    expect(await it.read()).toMatchObject({
      status: 'failed',
      error: { code: 'media.failed', message: expect.stringContaining('404') },
    });
    expect(it.social.publishRequests).toEqual([]);
  });

  test('fails when the media turns out to be unsupported by the platform', async () => {
    const it = await scene(socialWithRules({ videos: null }));
    it.web('video/mp4 10x10 9s');
    await it.created({ media: [{ url }] });
    await it.fetch();
    await it.deliver();
    expect(await it.read()).toMatchObject({ status: 'failed', error: { code: 'post.invalid' } });
    expect(it.social.publishRequests).toEqual([]);
  });
});

describe('media that was unknown when the post was validated', () => {
  const noVideo: Problem = {
    path: 'options.post_type',
    code: 'option.invalid',
    message: 'This is for images.',
  };

  test('is checked by the platform’s own rules before anything is sent', async () => {
    const check = ({ media = [] }: PartDraft) =>
      media.some(({ kind }) => kind === 'video') ? [noVideo] : [];
    const it = await scene(memorySocial({ manifest: { media: rules }, check }));
    it.web('video/mp4 10x10 9s');
    await it.created({ media: [{ url }] });
    await it.fetch();
    await it.deliver();
    expect(await it.read()).toMatchObject({
      status: 'failed',
      error: { code: 'post.invalid', message: expect.stringContaining('This is for images.') },
    });
    expect(it.social.publishRequests).toEqual([]);
  });

  test('is not refused after an attempt that stored a receipt', async () => {
    let problems: Problem[] = [];
    const social = memorySocial({ manifest: { media: rules }, check: () => problems });
    const it = await scene(social);
    const { id: mediaId } = await it.uploaded('image/png 640x480');
    await it.created({ media: [{ mediaId }] });
    social.publishOutcomes.push({
      takesEffect: false,
      response: 'platform.unavailable',
      savesReceipt: { upload: '1' },
    });
    await it.deliver();
    problems = [noVideo];
    it.clock.advance(3_600_000);
    await it.deliver();
    expect(await it.read()).toMatchObject({ status: 'published' });
  });
});

test('a still image that is too large is resized', async () => {
  const it = await scene();
  const { id: mediaId } = await it.uploaded(`image/png 640x480 ${'x'.repeat(500)}`);
  await it.created({ media: [{ mediaId }] });
  await it.deliver();
  const [media] = it.social.publishRequests[0]?.media ?? [];
  expect(media).toMatchObject({ width: 10, height: 10, bytes: 'image/png 10x10 fitted'.length });
});

test('the accepted bytes are published: bytes that changed in the store are not sent', async () => {
  const it = await scene();
  const { id: mediaId, file } = await it.uploaded('image/png 640x480');
  await it.created({ media: [{ mediaId }] });
  await it.mediaFiles.write(file?.name ?? '', chunksOf('image/png 641x480'), 100);
  await it.deliver();
  expect(await it.read()).toMatchObject({ status: 'failed', error: { code: 'media.lost' } });
  expect(it.social.publishRequests).toEqual([]);
});

test('an edit keeps omitted media without another download, and releases removed media', async () => {
  const it = await scene();
  const scheduledAt = it.clock.after(3_600_000).toISOString();
  const { id, media } = await it.created({ text: 'a', media: [{ url }], scheduledAt });
  expect(await it.update({ id, text: 'b' })).toMatchObject({ value: { text: 'b', media } });
  expect(await it.library()).toMatchObject([{ id: media[0]?.mediaId, inUse: true }]);
  const taken = await it.update({ id, media: [] });
  expect(taken).toMatchObject({ value: { media: [], deliveries: [{ parts: [{ media: [] }] }] } });
  expect(await it.library()).toMatchObject([{ inUse: false }]);
});

test('the same image with the same text is a duplicate, another image is not', async () => {
  const it = await scene();
  const [one, same, other] = [
    await it.uploaded('image/png 10x10'),
    await it.uploaded('image/png 10x10'),
    await it.uploaded('image/png 11x11'),
  ];
  await it.created({ text: 'a', media: [{ mediaId: one.id }] });
  expect(await it.problems({ text: 'a', media: [{ mediaId: same.id }] })).toEqual([
    'post.possible_duplicate',
  ]);
  expect(await it.problems({ text: 'a', media: [{ mediaId: other.id }] })).toEqual([]);
});

test('media that fails is reported at once in the posts that will use it, and as an event (finding 40)', async () => {
  const it = await scene();
  const scheduledAt = it.clock.after(86_400_000).toISOString();
  const post = await it.created({ text: 'Later', media: [{ url }], scheduledAt });
  const [use] = post.media;
  if (!use) throw new Error('the post has no media');
  it.downloads.responses.set(url, () => openedDownload(chunksOf('<html>')));
  await fetchMedia(it.ports, { workspaceId: post.workspaceId, mediaId: use.mediaId }, never);
  const delivery = await it.read();
  expect(delivery).toMatchObject({ status: 'pending', error: { code: 'media.failed' } });
  expect(it.events().filter(({ type }) => type === 'media.failed')).toMatchObject([
    {
      profileId: it.profile.id,
      data: {
        media_id: use.mediaId,
        error: { code: 'media.type_unsupported' },
        posts: [{ post_id: post.id, delivery_ids: [delivery.id] }],
      },
    },
  ]);
  expect(await listAttention(it.ports, it.call(), { limit: 20 })).toMatchObject({
    value: { items: [{ kind: 'media_failed', postId: post.id }] },
  });
  // Other media is free of the error.
  const { id: mediaId } = await it.uploaded('image/png 640x480');
  expect(await it.update({ id: post.id, media: [{ mediaId }] })).toMatchObject({ ok: true });
  expect(await it.read()).toMatchObject({ error: null });
});

describe('media URLs are fetched before anything is stored (finding 40)', () => {
  const draft: DraftPost = { text: 'Hello', media: [{ url }] };
  const failed = (reason: 'address_refused' | 'unreachable') => () => ({ kind: 'failed', reason }) as const;
  const status = (code: number) => () => ({ kind: 'refused', status: code }) as const;
  const file = (contents: string, length?: number) => () => openedDownload(chunksOf(contents), length);

  async function validated(response: () => DownloadOutcome, over: Partial<MediaRules> = {}) {
    const it = await scene(socialWithRules(over));
    it.downloads.responses.set(url, response);
    const result = await validatePost(it.ports, it.call(), draft);
    if (!result.ok) throw new Error(result.failure.code);
    const codes = (list: readonly Problem[] = []) => list.map(({ path, code }) => `${path} ${code}`);
    const [target] = result.value.targets;
    const call = await withMediaProbes(it.ports, it.call(), [draft]);
    const created = await it.atomic((ports) => createPost(ports, call, draft));
    expect(created.ok).toBe(result.value.valid);
    if (!created.ok) expect(codes(created.failure.problems)).toEqual(codes(target?.problems));
    expect((await it.stored()).length).toBe(created.ok ? 1 : 0);
    return { problems: codes(target?.problems), warnings: codes(target?.warnings).slice(0, 1) };
  }

  test.each<[string, () => DownloadOutcome, string]>([
    ['does not exist', status(404), 'media.fetch_failed'],
    ['must not be contacted', failed('address_refused'), 'platform.address_refused'],
    ['is a web page', file('<html>'), 'media.type_unsupported'],
    ['is empty', file(''), 'media.type_unsupported'],
    ['is too large for any platform', file('image/png 1x1', 26 * 1024 * 1024), 'media.too_large'],
    ['is too large for the platform', file('video/mp4 1x1 9s', 501), 'media.too_large'],
  ])('what %s is a problem, and is not created', async (_what, response, code) => {
    expect(await validated(response)).toEqual({ problems: [`media.0 ${code}`], warnings: [] });
  });

  test('a type that the platform does not support is a problem', async () => {
    const problems = ['media.0 media.type_unsupported'];
    expect(await validated(file('video/mp4 1x1 9s'), { videos: null })).toEqual({ problems, warnings: [] });
  });

  test.each<[string, () => DownloadOutcome]>([
    ['cannot be reached', failed('unreachable')],
    ['is overloaded', status(503)],
    ['breaks off', () => openedDownload(breakingOff())],
  ])('a server that %s is only a warning', async (_how, response) => {
    expect(await validated(response)).toEqual({ problems: [], warnings: ['media.0 media.not_checked'] });
  });

  test('media that fits has neither, and only its beginning is read', async () => {
    expect(await validated(() => openedDownload(endless(), 20_000))).toEqual({ problems: [], warnings: [] });
  });

  test('a draft is not checked, and neither are uploads', async () => {
    const it = await scene();
    const { id: mediaId } = await it.uploaded('image/png 640x480');
    await withMediaProbes(it.ports, it.call(), [{ ...draft, draft: true }, { media: [{ mediaId }] }]);
    expect(it.downloads.requestedUrls).toEqual([]);
  });
});

async function* breakingOff(): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode('image/png');
  throw new Error('reset');
}

async function* endless(): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode('image/png 640x480 ');
  for (let pieces = 0; ; pieces++) {
    if (pieces > 5) throw new Error('more was read than is needed');
    yield new Uint8Array(1000);
  }
}
