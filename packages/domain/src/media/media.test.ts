import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  openedDownload,
  chunksOf,
  createTestEnvironment,
  type TestEnvironment,
} from '../../testing/index.js';
import { createMedia, ReceivedFile } from './create-media.js';
import { createMediaUpload } from './create-media-upload.js';
import { deleteMedia } from './delete-media.js';
import { fetchMedia } from './fetch-media.js';
import { listMedia } from './list-media.js';
import { DOCUMENT_MAX_BYTES, IMAGE_MAX_BYTES, MEDIA_QUEUE_MAX, type Media } from './media.js';
import { openMedia } from './open-media.js';
import { receiveUpload } from './receive-upload.js';
import { storeMedia } from './store-media.js';
import { sweepMedia } from './sweep-media.js';

let scene: TestEnvironment;
beforeEach(async () => {
  scene = await createTestEnvironment();
});
const PNG = 'image/png 640x480 of a cat';
const DAY_MS = 86_400_000;
const go = new AbortController().signal;
const stored = () => [...scene.mediaFiles.files.keys()];
const find = (media: Pick<Media, 'workspaceId' | 'id'>) =>
  scene.repositories.media.find(media.workspaceId, media.id) as Promise<Media>;
function value<Value>(result: { ok: true; value: Value } | { ok: false; failure: { code: string } }): Value {
  if (!result.ok) throw new Error(result.failure.code);
  return result.value;
}
const receive = async (text = PNG) =>
  new ReceivedFile(value(await storeMedia(scene.ports, chunksOf(text), scene.mediaOptions)));
const create = async (text = PNG) => {
  const file = await receive(text);
  return value(await scene.atomic((ports) => createMedia(ports, scene.call(), { file, altText: 'A cat' })));
};

describe('uploaded media', () => {
  test('is stored byte for byte, with its digest and detected properties', async () => {
    const text = `image/png 640x480 ${'x'.repeat(20_000)}`;
    const file = value(await storeMedia(scene.ports, chunksOf(text), scene.mediaOptions));
    expect(file).toMatchObject({ type: 'image/png', bytes: text.length, width: 640, height: 480 });
    const kept = scene.mediaFiles.files.get(file.name);
    expect(new TextDecoder().decode(kept?.bytes)).toBe(text);
    expect(await scene.mediaFiles.digest(file.name)).toEqual({ bytes: text.length, sha256: file.sha256 });
  });

  test.each([
    ['an unsupported type', '<html>', 'media.type_unsupported'],
    ['an empty file', '', 'media.type_unsupported'],
    ['a corrupted image', 'image/png broken', 'media.unreadable'],
    ['a corrupted document', 'application/pdf broken', 'media.unreadable'],
    ['an image of 25 MiB and a byte', `image/png 1x1 ${'x'.repeat(IMAGE_MAX_BYTES)}`, 'request.too_large'],
  ])('leaves nothing behind when it is %s', async (_what, text, code) => {
    expect(await storeMedia(scene.ports, chunksOf(text, 100_000), scene.mediaOptions)).toMatchObject({
      failure: { code },
    });
    expect(stored()).toEqual([]);
  });

  test('may be an image of 25 MiB', async () => {
    const text = 'image/png 1x1 '.padEnd(IMAGE_MAX_BYTES, 'x');
    expect((await storeMedia(scene.ports, chunksOf(text, 100_000), scene.mediaOptions)).ok).toBe(true);
  });

  test('may be a document of 100 MiB, which has no size to be seen in', async () => {
    async function* pages(bytes: number) {
      yield* chunksOf('application/pdf ');
      const piece = new Uint8Array(1024 * 1024);
      for (let left = bytes - 16; left > 0; left -= piece.length) yield piece.subarray(0, left);
    }
    const file = await storeMedia(scene.ports, pages(DOCUMENT_MAX_BYTES), scene.mediaOptions);
    expect(file).toMatchObject({
      value: {
        type: 'application/pdf',
        bytes: 104_857_600,
        width: null,
        height: null,
        durationSeconds: null,
      },
    });
    expect(await storeMedia(scene.ports, pages(DOCUMENT_MAX_BYTES + 1), scene.mediaOptions)).toMatchObject({
      failure: { code: 'request.too_large', details: { maxBytes: 104_857_600 } },
    });
  });

  test('is rejected with a specific reason when it is an encrypted document', async () => {
    expect(
      await storeMedia(scene.ports, chunksOf('application/pdf encrypted'), scene.mediaOptions),
    ).toMatchObject({
      failure: {
        code: 'media.unreadable',
        message: 'The document is encrypted: save it without a password or restrictions.',
      },
    });
    expect(stored()).toEqual([]);
  });

  test('is rejected before a byte of it is read while the queue of the workspace is full', async () => {
    scene.mediaTools.full = true;
    let read = 0;
    async function* counted() {
      read += 1;
      yield* chunksOf(PNG);
    }
    expect(await storeMedia(scene.ports, counted(), scene.mediaOptions)).toMatchObject({
      failure: { code: 'rate_limit.exceeded', retryAfterSeconds: 5, details: { queueLimit: 50 } },
    });
    expect(read).toBe(0);
  });

  test.each([
    ['the queue was full after the upload', 'queue_full', 'rate_limit.exceeded'],
    ['its inspection timed out', 'out_of_time', 'service.unavailable'],
    ['the process is shutting down', 'interrupted', 'service.unavailable'],
  ] as const)('leaves nothing behind, and may be sent again, when %s', async (_what, kind, code) => {
    scene.mediaTools.deferred.push(kind);
    expect(await storeMedia(scene.ports, chunksOf(PNG), scene.mediaOptions)).toMatchObject({
      failure: { code, retryAfterSeconds: 5 },
    });
    expect(stored()).toEqual([]);
    expect(await storeMedia(scene.ports, chunksOf(PNG), scene.mediaOptions)).toMatchObject({ ok: true });
  });

  test('leaves nothing behind when the connection breaks', async () => {
    async function* breaking() {
      yield* chunksOf(`${PNG}${'x'.repeat(9000)}`);
      throw new Error('hung up');
    }
    expect(await storeMedia(scene.ports, breaking(), scene.mediaOptions)).toMatchObject({
      failure: { code: 'request.invalid' },
    });
    expect(stored()).toEqual([]);
  });

  test('of an unsupported type is not read to its end', async () => {
    let read = 0;
    async function* endless() {
      for (;;) {
        read += 1000;
        yield new TextEncoder().encode('<'.repeat(1000));
      }
    }
    expect(await storeMedia(scene.ports, endless(), scene.mediaOptions)).toMatchObject({ ok: false });
    expect(read).toBeLessThan(10_000);
  });
});

describe('media', () => {
  test('from a received file is ready; a file and a URL are mutually exclusive', async () => {
    const media = await create();
    expect(await find(media)).toEqual(media);
    expect(media).toMatchObject({
      status: 'ready',
      altText: 'A cat',
      lineage: expect.any(String) as unknown,
    });
    const both = { file: await receive(), url: 'https://files.example/cat.png' };
    for (const command of [both, {}]) {
      expect(await scene.atomic((ports) => createMedia(ports, scene.call(), command))).toMatchObject({
        failure: { code: 'request.invalid' },
      });
    }
  });

  test('from a URL is downloaded by a job', async () => {
    const url = 'https://files.example/cat.png';
    const media = value(await scene.atomic((ports) => createMedia(ports, scene.call(), { url })));
    expect(scene.jobs().map(({ job }) => job)).toEqual([
      { name: 'fetch_media', workspaceId: media.workspaceId, mediaId: media.id },
    ]);
  });

  test('is listed to a key restricted to profiles only if its family created it', async () => {
    const media = await create();
    const bound = scene.call({}, { profileIds: [scene.profile.id] });
    expect(value(await listMedia(scene.ports, bound, { limit: 9 })).items).toEqual([]);
    expect(value(await listMedia(scene.ports, scene.call(), { limit: 9 })).items).toEqual([media]);
    expect(await deleteMedia(scene.ports, bound, { id: media.id })).toMatchObject({
      failure: { code: 'media.not_found' },
    });
    expect(stored()).toHaveLength(1);
  });

  test('is deleted with its bytes, unless a post uses it', async () => {
    const media = await create();
    const connection = await scene.connect();
    const post = scene.build.post(scene.profile, [connection]);
    await scene.repositories.posts.insert(post);
    await scene.repositories.media.setUses(post.workspaceId, post.id, [media.id]);
    const remove = () => deleteMedia(scene.ports, scene.call(), { id: media.id });
    expect(await remove()).toMatchObject({ failure: { code: 'media.in_use' } });
    expect(stored()).toHaveLength(1);
    await scene.repositories.deliveries.cancelUnsent(
      post.workspaceId,
      post.id,
      post.deliveries.map(({ id }) => id),
    );
    expect((await remove()).ok).toBe(true);
    expect(stored()).toEqual([]);
    expect(await remove()).toMatchObject({ failure: { code: 'media.not_found' } });
  });
});

describe('a one-time upload', () => {
  const announce = async (over: object = {}) =>
    value(
      await scene.atomic((ports) =>
        createMediaUpload(ports, scene.call(), { type: 'image/png', bytes: PNG.length, ...over }),
      ),
    );
  const tokenOf = ({ url }: { url: string }) => url.slice(url.lastIndexOf('/') + 1);
  const put = (upload: { url: string }, text = PNG) =>
    receiveUpload(scene.ports, tokenOf(upload), chunksOf(text));

  test('accepts the announced file, once', async () => {
    const upload = await announce({ altText: 'A cat' });
    expect(upload.headers).toEqual({ 'Content-Type': 'image/png' });
    const media = value(await put(upload));
    expect(media).toMatchObject({ id: upload.mediaId, status: 'ready', altText: 'A cat' });
    expect(await find(media)).toMatchObject({ status: 'ready', file: media.file });
    expect(await put(upload)).toMatchObject({ failure: { code: 'media.already_uploaded' } });
    expect(stored()).toHaveLength(1);
  });

  test.each([
    ['of another type', 'image/gif 640x480 of a dog.'.slice(0, PNG.length), 'media.not_as_announced'],
    ['a byte longer', `${PNG}!`, 'media.not_as_announced'],
    ['a byte shorter', PNG.slice(0, -1), 'media.not_as_announced'],
    ['of an unsupported type', 'x'.repeat(PNG.length), 'media.type_unsupported'],
  ])('rejects a file that is %s, and may be retried', async (_what, text, code) => {
    const upload = await announce();
    expect(await put(upload, text)).toMatchObject({ failure: { code } });
    expect(stored()).toEqual([]);
    expect((await put(upload)).ok).toBe(true);
  });

  test('that is rejected by a full queue or an inspection timeout may be retried', async () => {
    const upload = await announce();
    scene.mediaTools.full = true;
    expect(await put(upload)).toMatchObject({ failure: { code: 'rate_limit.exceeded' } });
    scene.mediaTools.full = false;
    scene.mediaTools.deferred.push('out_of_time');
    expect(await put(upload)).toMatchObject({ failure: { code: 'service.unavailable' } });
    expect(stored()).toEqual([]);
    expect(await put(upload)).toMatchObject({ ok: true });
  });

  test('is accepted from one of many concurrent requests', async () => {
    const upload = await announce();
    const outcomes = await Promise.all([put(upload), put(upload), put(upload)]);
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    expect(stored()).toHaveLength(1);
  });

  test('expires after an hour, and its media has failed then', async () => {
    const upload = await announce();
    scene.clock.advance(3_601_000);
    expect(await put(upload)).toMatchObject({ failure: { code: 'media.not_found' } });
    await sweepMedia(scene.ports, go);
    const media = await scene.repositories.media.find(scene.workspace.id, upload.mediaId);
    expect(media).toMatchObject({ status: 'failed', error: { code: 'media.upload_expired' } });
  });

  test.each([
    ['an unsupported type', { type: 'image/svg+xml' }, 'media.type_unsupported'],
    [
      'a document that is too large',
      { type: 'application/pdf', bytes: DOCUMENT_MAX_BYTES + 1 },
      'request.too_large',
    ],
    ['an image that is too large', { bytes: IMAGE_MAX_BYTES + 1 }, 'request.too_large'],
    ['a video that is too large', { type: 'video/mp4', bytes: 1024 ** 3 + 1 }, 'request.too_large'],
  ])('is rejected at announcement for %s', async (_what, over, code) => {
    await expect(announce(over)).rejects.toThrow(code);
  });
});

describe('media from a URL', () => {
  const url = 'https://files.example/cat.png';
  const add = async () => value(await scene.atomic((ports) => createMedia(ports, scene.call(), { url })));
  const fetch = ({ workspaceId, id }: Media, stop = go) =>
    fetchMedia(scene.ports, { workspaceId, mediaId: id }, stop);

  test('is downloaded once, and its bytes are kept', async () => {
    scene.downloads.responses.set(url, () => openedDownload(chunksOf(PNG)));
    const media = await add();
    await Promise.all([fetch(media), fetch(media)]);
    expect(await find(media)).toMatchObject({
      status: 'ready',
      file: { type: 'image/png', bytes: PNG.length },
    });
    expect(stored()).toHaveLength(1);
    expect(scene.downloads.requestedUrls).toEqual([url]);
  });

  test('is downloaded by another worker within fifteen seconds after a crash, and late bytes of the first are discarded', async () => {
    let bring = () => {};
    const late = new Promise<void>((resolve) => (bring = resolve));
    async function* slowly() {
      await late;
      yield* chunksOf(PNG);
    }
    const answers = [openedDownload(slowly()), openedDownload(chunksOf(PNG))];
    scene.downloads.responses.set(url, () => answers.shift() ?? openedDownload(chunksOf(PNG)));
    const media = await add();
    const first = fetch(media);
    await new Promise((resolve) => setImmediate(resolve));
    await fetch(media);
    expect(await find(media)).toMatchObject({ status: 'processing', attempts: 1 });
    scene.clock.advance(13_000);
    await fetch(media);
    const ready = await find(media);
    expect(ready).toMatchObject({ status: 'ready', attempts: 2 });
    bring();
    await first;
    expect(await find(media)).toEqual(ready);
    expect(stored()).toEqual([ready?.file?.name]);
  });

  test.each([
    ['a missing page', { kind: 'refused', status: 404 }, 'media.fetch_failed'],
    ['a forbidden address', { kind: 'failed', reason: 'address_refused' }, 'platform.address_refused'],
    ['too many redirects', { kind: 'failed', reason: 'too_many_redirects' }, 'media.fetch_failed'],
    ['a web page', openedDownload(chunksOf('<html>')), 'media.type_unsupported'],
    ['a corrupted image', openedDownload(chunksOf('image/png broken')), 'media.unreadable'],
  ] as const)('fails at once for %s', async (_what, outcome, code) => {
    scene.downloads.responses.set(url, () => outcome);
    const media = await add();
    await fetch(media);
    expect(await find(media)).toMatchObject({ status: 'failed', error: { code }, file: null });
    expect(stored()).toEqual([]);
  });

  test.each([
    ['cannot be reached', () => ({ kind: 'failed', reason: 'unreachable' }) as const],
    ['answers 503', () => ({ kind: 'refused', status: 503 }) as const],
    [
      'breaks off',
      () => {
        async function* breaking() {
          yield* chunksOf(PNG);
          throw new Error('reset');
        }
        return openedDownload(breaking());
      },
    ],
  ])('is tried five times with growing delays when its server %s', async (_what, outcome) => {
    scene.downloads.responses.set(url, outcome);
    const media = await add();
    const times: number[] = [];
    for (let second = 0; second < 2000; second += 5) {
      const before = scene.downloads.requestedUrls.length;
      await fetch(media);
      if (scene.downloads.requestedUrls.length > before) times.push(second);
      scene.clock.advance(5000);
    }
    expect(times).toEqual([0, 10, 70, 370, 1270]);
    expect(await find(media)).toMatchObject({ status: 'failed', error: { code: 'media.fetch_failed' } });
    expect(stored()).toEqual([]);
  });

  test('is downloaded again at once when the worker was stopped during the download', async () => {
    scene.downloads.responses.set(url, () => ({ kind: 'failed', reason: 'aborted' }));
    const media = await add();
    const stop = new AbortController();
    stop.abort();
    await fetch(media, stop.signal);
    const room = { limit: 9, perWorkspace: 9, inProgress: new Map() };
    expect((await scene.repositories.media.listToFetch(room)).map(({ id }) => id)).toEqual([media.id]);
  });

  test.each(['out_of_time', 'interrupted', 'queue_full'] as const)(
    'is downloaded again later when its inspection ended with %s, and leaves nothing behind meanwhile',
    async (kind) => {
      scene.downloads.responses.set(url, () => openedDownload(chunksOf(PNG)));
      const media = await add();
      scene.mediaTools.deferred.push(kind);
      await fetch(media);
      expect(await find(media)).toMatchObject({ status: 'processing', attempts: 1 });
      expect(stored()).toEqual([]);
      scene.clock.advance(10_000);
      await fetch(media);
      expect(await find(media)).toMatchObject({ status: 'ready', attempts: 2 });
    },
  );

  test('waits its turn although as much of the workspace is queued as callers may add', async () => {
    scene.downloads.responses.set(url, () => openedDownload(chunksOf(PNG)));
    const media = await add();
    scene.mediaTools.full = true;
    await fetch(media);
    expect(await find(media)).toMatchObject({ status: 'ready' });
  });

  test('is rejected while fifty downloads of the workspace are queued, and accepted when one of them has settled', async () => {
    scene.downloads.responses.set(url, () => openedDownload(chunksOf(PNG)));
    const waiting: Media[] = [];
    for (let nth = 0; nth < MEDIA_QUEUE_MAX; nth++) waiting.push(await add());
    const refused = {
      failure: { code: 'rate_limit.exceeded', retryAfterSeconds: 30, details: { queueLimit: 50 } },
    };
    const once = () => scene.atomic((ports) => createMedia(ports, scene.call(), { url }));
    expect(await once()).toMatchObject(refused);
    const { items } = value(await listMedia(scene.ports, scene.call(), { limit: 100 }));
    expect(items).toHaveLength(MEDIA_QUEUE_MAX);
    const [first] = waiting;
    if (first) await fetch(first);
    expect(await once()).toMatchObject({ ok: true });
    expect(await once()).toMatchObject(refused);
  });
});

describe('published media', () => {
  const limits = { types: ['image/png'], maxBytes: 1000 };
  const read = async (opened: { read(): AsyncIterable<Uint8Array> }) => {
    let text = '';
    for await (const piece of opened.read()) text += new TextDecoder().decode(piece);
    return text;
  };

  test('is identical to the accepted file', async () => {
    const media = await create();
    for (const within of [null, limits]) {
      const opened = value(await openMedia(scene.ports, media, within));
      expect(await read(opened)).toBe(PNG);
      expect(opened).toMatchObject({
        kind: 'image',
        type: 'image/png',
        sha256: media.file?.sha256,
        fileName: `${media.id}.png`,
      });
    }
    expect(stored()).toHaveLength(1);
  });

  test('is never replaced by another file', async () => {
    const media = await create();
    const name = media.file?.name ?? '';
    scene.mediaFiles.files.set(name, {
      bytes: new TextEncoder().encode('image/png 1x1 of a dog'),
      modifiedAt: scene.clock.now(),
    });
    const lost = { failure: { code: 'media.lost' } };
    expect(await openMedia(scene.ports, media, null)).toMatchObject(lost);
    scene.mediaFiles.files.delete(name);
    expect(await openMedia(scene.ports, media, null)).toMatchObject(lost);
  });

  test('is resized, has a URL of its own, and is swept a day later', async () => {
    const media = await create();
    const opened = value(await openMedia(scene.ports, media, { ...limits, types: ['image/jpeg'] }));
    expect(await read(opened)).toBe('image/jpeg 10x10 fitted');
    expect(opened).toMatchObject({ type: 'image/jpeg', width: 10, bytes: 23, fileName: `${media.id}.jpg` });
    const token = opened.publicUrl().split('/').at(-1) ?? '';
    expect(scene.mediaLinks.readPublic(token)).toMatchObject({ type: 'image/jpeg', bytes: 23 });
    expect(stored()).toHaveLength(2);
    scene.clock.advance(DAY_MS + 1000);
    await sweepMedia(scene.ports, go);
    expect(stored()).toEqual([media.file?.name]);
    expect(
      await openMedia(scene.ports, media, { ...limits, types: ['image/jpeg'], maxBytes: 1 }),
    ).toMatchObject({
      failure: { code: 'media.unreadable' },
    });
  });
});

test('media unused for thirty days is deleted, and so are bytes without a row', async () => {
  const media = await create();
  await receive();
  await sweepMedia(scene.ports, go);
  expect(stored()).toHaveLength(2);
  scene.clock.advance(DAY_MS + 1000);
  await sweepMedia(scene.ports, go);
  expect(stored()).toEqual([media.file?.name]);
  scene.clock.advance(29 * DAY_MS);
  await sweepMedia(scene.ports, go);
  expect(stored()).toEqual([]);
  expect(await scene.repositories.media.find(media.workspaceId, media.id)).toBeNull();
});
