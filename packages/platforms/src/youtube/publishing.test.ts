import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { PublishItem, Session } from '@switchboard/domain/ports';
import { openReceipt } from '@switchboard/platform-kit/part-receipt';
import { buildItem, discardReceipt } from '@switchboard/platform-kit/testing/calls';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { imageOf, videoOf } from '@switchboard/platform-kit/testing/test-media';
import { publishing } from './publishing.js';
import { startWorld } from './testing/world.js';
import { uploadVideo } from './upload.js';
import { waitUntilDecided, stateOf } from './video-state.js';
import type { Video } from './wire.js';

const MIB = 1024 * 1024;

let world: Awaited<ReturnType<typeof startWorld>>;
let session: Session;
const start = async (options: Parameters<typeof startWorld>[0] = {}) => {
  world = await startWorld(options);
  session = testSession(world);
};
beforeEach(() => start());
afterEach(() => world.close());

const made_for_kids = false;
const videoFile = (more: Partial<PublishItem> = {}) =>
  buildItem('', { title: 'Firing the kiln', options: { made_for_kids }, media: [videoOf()], ...more });

/** A post over its attempts, each with the receipt of the one before; a lookup has no media. */
function attemptsAt(item: PublishItem) {
  let { receipt } = item;
  return {
    publish: () =>
      publishing.publish(session, { ...item, receipt }, async (stored) => void (receipt = stored)),
    find: async () => publishing.find?.(session, { ...item, receipt, media: [] }),
    receipt: () => receipt,
  };
}

async function attempted(item: PublishItem) {
  const post = attemptsAt(item);
  const posted = await post.publish();
  if (!posted.ok) throw new Error(posted.failure.message);
  return { part: posted.value, receipt: post.receipt() };
}

const published = async (item: PublishItem) => (await attempted(item)).part;
const doubt = { failure: { code: 'platform.outcome_unknown' } };

test('the metadata of a video arrives with it', async () => {
  const options = {
    visibility: 'unlisted',
    made_for_kids: true,
    tags: ['pots', 'wheel throwing'],
    category: '26',
    synthetic_media: true,
    notify_subscribers: false,
  };
  const item = videoFile({ text: 'How we do it', link: 'https://kiln.example/', options });
  const { externalId, url } = await published(item);
  expect(url).toBe(`https://www.youtube.com/watch?v=${externalId}`);
  expect(world.network.videos.find(externalId)).toMatchObject({
    title: 'Firing the kiln',
    description: 'How we do it\nhttps://kiln.example/',
    tags: ['pots', 'wheel throwing'],
    categoryId: '26',
    privacyStatus: 'unlisted',
    selfDeclaredMadeForKids: true,
    containsSyntheticMedia: true,
    notifiesSubscribers: false,
    videoFile: { sha256: item.media[0]?.sha256, type: 'video/mp4' },
  });
});

test('a video of several chunks arrives completely', async () => {
  const long = videoOf({ bytes: 33 * MIB });
  const { externalId } = await published(videoFile({ media: [long] }));
  expect(world.network.videos.find(externalId)?.videoFile.sha256).toBe(long.sha256);
  const pieces = world.exchanges().filter(({ request }) => request.method === 'PUT');
  expect(pieces.map(({ answer }) => answer.status)).toEqual([308, 308, 200]);
});

test('the part of a chunk that YouTube did not store is sent again, and the rest is not', async () => {
  const long = videoOf({ bytes: 17 * MIB });
  world.network.uploads.setStoredBytesLimit(5 * MIB);
  const { externalId } = await published(videoFile({ media: [long] }));
  expect(world.network.videos.find(externalId)?.videoFile.sha256).toBe(long.sha256);
  const ranges = world.exchanges().map(({ request }) => request.headers['content-range']);
  expect(ranges.slice(1)).toEqual([
    `bytes 0-${16 * MIB - 1}/${17 * MIB}`,
    `bytes ${5 * MIB}-${17 * MIB - 1}/${17 * MIB}`,
  ]);
});

test('an interrupted upload is resumed by an attempt with its receipt', async () => {
  const long = videoOf({ bytes: 33 * MIB });
  const post = attemptsAt(videoFile({ media: [long] }));
  world.break('500-before', 2);
  expect(await post.publish()).toMatchObject({ failure: { code: 'platform.unavailable' } });
  expect(post.receipt()).toEqual({ upload: expect.stringContaining('upload_id='), bytes: String(33 * MIB) });
  expect(await post.find()).toEqual({ ok: true, value: null });
  const reads = long.reads();
  const posted = await post.publish();
  expect(posted).toMatchObject({ ok: true });
  expect([world.network.uploads.begun(), world.effects(), long.reads() - reads]).toEqual([1, 1, 2]);
  expect(await post.find()).toEqual(posted);
});

test('a lost response to the last chunk is settled by the upload itself, whether the video is listed or not', async () => {
  const post = attemptsAt(videoFile());
  world.network.videos.listsUploads(false);
  world.break('reset-after-effect', 1);
  expect(await post.publish()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
  const found = await post.find();
  expect(found).toMatchObject({ ok: true, value: { receipt: {} } });
  expect(await post.publish()).toEqual(found);
  expect(world.effects()).toBe(1);
});

test('a completely received file may become a video at any moment: it is unknown, and looked up until it is one', async () => {
  const post = attemptsAt(videoFile());
  world.network.uploads.setPollsUntilCreated(3);
  expect(await post.publish()).toMatchObject(doubt);
  expect(await post.find()).toMatchObject({
    failure: { code: 'platform.unavailable', retryAfterSeconds: 60 },
  });
  expect(await post.publish()).toMatchObject(doubt);
  const found = await post.find();
  expect(found).toMatchObject({ ok: true, value: { externalId: expect.any(String) } });
  expect(await post.publish()).toEqual(found);
  expect([world.network.uploads.begun(), world.effects()]).toEqual([1, 1]);
});

test('a file that is a listed video although its upload has none yet is published', async () => {
  const post = attemptsAt(videoFile());
  const part = await published(videoFile());
  world.network.uploads.setPollsUntilCreated(3);
  expect(await post.publish()).toMatchObject(doubt);
  expect(await post.find()).toEqual({ ok: true, value: part });
});

test('a completely received file is not uploaded anew, whatever becomes of its upload', async () => {
  const post = attemptsAt(videoFile());
  world.network.uploads.setPollsUntilCreated(3);
  expect(await post.publish()).toMatchObject(doubt);
  world.break('500-before');
  expect(await post.publish()).toMatchObject(doubt);
  world.network.uploads.forget();
  expect(await post.publish()).toMatchObject(doubt);
  expect(world.network.uploads.begun()).toBe(1);
});

test('an upload session without a URL leaves no doubt', async () => {
  world.break('2xx-no-id');
  expect(await attemptsAt(videoFile()).publish()).toMatchObject({
    failure: { code: 'platform.unavailable' },
  });
});

test('another video of the owner is not mistaken for one of which no byte was sent', async () => {
  await published(videoFile());
  expect(await publishing.find?.(session, videoFile())).toEqual({ ok: true, value: null });
});

test('an expired upload does not prove that there is no video', async () => {
  const post = attemptsAt(videoFile());
  world.break('reset-after-effect', 1);
  expect(await post.publish()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
  world.network.uploads.forget();
  expect(await post.find()).toMatchObject({ ok: true, value: { externalId: expect.any(String) } });
  world.network.videos.listsUploads(false);
  expect(await post.find()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
});

test('an upload that ended before its file was complete is started anew', async () => {
  const post = attemptsAt(videoFile({ media: [videoOf({ bytes: 17 * MIB })] }));
  world.break('500-before', 1);
  expect(await post.publish()).toMatchObject({ failure: { code: 'platform.unavailable' } });
  world.network.uploads.forget();
  expect(await post.publish()).toMatchObject({ ok: true });
  expect([world.network.uploads.begun(), world.effects()]).toEqual([2, 1]);
});

test('finding 74: a refused read of the upload is not a refusal of a video that may exist', async () => {
  const post = attemptsAt(videoFile());
  world.network.uploads.setPollsUntilCreated(3);
  expect(await post.publish()).toMatchObject(doubt);
  const json = { error: { code: 403, message: 'Forbidden', errors: [{ reason: 'forbidden' }] } };
  const response = { status: 403, ok: false, headers: {}, body: new Uint8Array(), json };
  const refusing: Session = { ...session, request: async () => ({ ok: true, value: response }) };
  const again = publishing.publish(refusing, { ...videoFile(), receipt: post.receipt() }, discardReceipt);
  expect(await again).toMatchObject(doubt);
});

test('finding 74: an upload that ends before its last chunk is started anew, since it left no video', async () => {
  const item = videoFile();
  let receipt: PublishItem['receipt'] = {};
  const first = await publishing.publish(session, item, async (stored) => {
    receipt = stored;
    if ('ended' in stored) world.network.uploads.forget();
  });
  expect(first).toMatchObject({ failure: { code: 'platform.unavailable' } });
  expect(await publishing.find?.(session, { ...item, media: [], receipt })).toEqual({
    ok: true,
    value: null,
  });
  expect(await publishing.publish(session, { ...item, receipt }, discardReceipt)).toMatchObject({ ok: true });
  expect(world.effects()).toBe(1);
});

test('two similar videos are not distinguished', async () => {
  const post = attemptsAt(videoFile({ text: 'Twice' }));
  world.break('reset-after-effect', 1);
  expect(await post.publish()).toMatchObject(doubt);
  await published(videoFile({ text: 'Twice' }));
  world.network.uploads.forget();
  expect(await post.find()).toMatchObject({
    failure: {
      code: 'platform.outcome_unknown',
      message: expect.stringContaining('cannot be distinguished'),
    },
  });
});

test.each([
  ['another title', { title: 'Another' }],
  ['another description', { text: 'Another' }],
  ['a later time', { createdAt: new Date('2026-11-22T12:00:00.000Z') }],
])('a video is not mistaken for one with %s', async (_, other) => {
  const post = attemptsAt(videoFile());
  world.break('reset-after-effect', 1);
  expect(await post.publish()).toMatchObject(doubt);
  world.network.uploads.forget();
  const item = { ...videoFile(), receipt: post.receipt() };
  expect(await publishing.find?.(session, item)).toMatchObject({ ok: true, value: {} });
  expect(await publishing.find?.(session, { ...item, ...other })).toMatchObject(doubt);
});

test('a video with a thumbnail is not visible before it has it', async () => {
  const cover = imageOf();
  const { externalId } = await published(videoFile({ media: [cover, videoOf()] }));
  const { videos } = world.network;
  expect(videos.shownAs(externalId)).toEqual(['private', 'public']);
  expect(videos.find(externalId)).toMatchObject({
    thumbnail: { type: 'image/png', sha256: cover.sha256 },
    selfDeclaredMadeForKids: false,
  });
});

test('a private video with a thumbnail stays private', async () => {
  const options = { made_for_kids, visibility: 'private' };
  const item = videoFile({ media: [videoOf(), imageOf()], options });
  const { part, receipt } = await attempted(item);
  expect(world.network.videos.shownAs(part.externalId)).toEqual(['private']);
  expect(await publishing.find?.(session, { ...item, media: [], receipt })).toEqual({
    ok: true,
    value: part,
  });
});

test.each([
  ['its upload is unknown', 'reset-after-effect', 1],
  ['it has none yet', '500-before', 2],
] as const)(
  'a private video is not published without its thumbnail when %s',
  async (_, how, skipRequests) => {
    const cover = imageOf();
    const options = { made_for_kids, visibility: 'private' };
    const post = attemptsAt(videoFile({ media: [videoOf(), cover], options }));
    world.break(how, skipRequests);
    expect(await post.publish()).toMatchObject({ ok: false });
    expect(await post.find()).toEqual({ ok: true, value: null });
    const posted = await post.publish();
    expect(await post.find()).toEqual(posted);
    const { externalId } = posted.ok ? posted.value : { externalId: '' };
    expect(world.network.videos.find(externalId)?.thumbnail?.sha256).toBe(cover.sha256);
    expect(world.effects()).toBe(1);
  },
);

test('a refused thumbnail leaves the video private, and another attempt does not upload it again', async () => {
  await world.close();
  await start({ mayHaveThumbnails: false });
  const item = videoFile({ media: [videoOf(), imageOf()] });
  const post = attemptsAt(item);
  expect(await post.publish()).toMatchObject({ failure: { code: 'platform.refused', platform: {} } });
  expect(await post.find()).toEqual({ ok: true, value: null });
  expect(await post.publish()).toMatchObject({ failure: { code: 'platform.refused' } });
  const { video = '' } = post.receipt();
  expect([world.network.videos.shownAs(video), world.effects()]).toEqual([['private'], 1]);
});

test('a video that waited for a thumbnail is published without one when that is removed', async () => {
  await world.close();
  await start({ mayHaveThumbnails: false });
  const item = videoFile({ media: [videoOf(), imageOf()] });
  const post = attemptsAt(item);
  await post.publish();
  const alone = attemptsAt({
    ...item,
    media: item.media.slice(0, 1),
    mediaCount: 1,
    receipt: post.receipt(),
  });
  expect(await alone.find()).toEqual({ ok: true, value: null });
  const posted = await alone.publish();
  expect(posted).toMatchObject({ ok: true });
  expect(await alone.find()).toEqual(posted);
  expect(world.network.videos.shownAs(post.receipt()['video'] ?? '')).toEqual(['private', 'public']);
});

test('an attempt that ended before it knew its video continues with that video', async () => {
  const item = videoFile({ media: [videoOf(), imageOf()] });
  let receipt: PublishItem['receipt'] = {};
  const dies = publishing.publish(session, item, async (stored) => {
    if ('video' in stored) throw new Error('killed');
    receipt = stored;
  });
  await expect(dies).rejects.toThrow('killed');
  expect(await publishing.find?.(session, { ...item, media: [], receipt })).toEqual({
    ok: true,
    value: null,
  });
  expect(await publishing.publish(session, { ...item, receipt }, discardReceipt)).toMatchObject({ ok: true });
  expect(world.effects()).toBe(1);
});

test('a video that YouTube has not propagated yet is waited for, with its thumbnail and its comment', async () => {
  world.network.videos.setPollsUntilKnown(2);
  const post = attemptsAt(videoFile({ media: [videoOf(), imageOf()] }));
  const later = { failure: { code: 'platform.unavailable', retryAfterSeconds: 60 } };
  expect(await post.publish()).toMatchObject(later);
  expect(await post.publish()).toMatchObject(later);
  expect(await post.publish()).toMatchObject({ ok: true });
  expect(world.effects()).toBe(1);
  world.network.videos.setPollsUntilKnown(1);
  const root = await published(videoFile());
  const comment = buildItem('First', { kind: 'comment', replyTo: { root, parent: root } });
  expect(await publishing.publish(session, comment, discardReceipt)).toMatchObject(later);
  expect(await publishing.publish(session, comment, discardReceipt)).toMatchObject({
    ok: true,
    value: {
      url: expect.stringContaining(`watch?v=${root.externalId}&lc=`),
      receipt: { below: root.externalId },
    },
  });
});

test.each([
  ['the project’s quota is exhausted', { insertsPerDay: 1 }, 'quotaExceeded'],
  ['the channel has uploaded enough', { uploadsPerDay: 1 }, 'uploadLimitExceeded'],
])('when %s it is deferred', async (_, options, reason) => {
  await world.close();
  await start(options);
  await published(videoFile());
  const refused = await publishing.publish(session, videoFile(), discardReceipt);
  expect(refused).toMatchObject({
    failure: { code: 'platform.rate_limited', platform: { code: reason } },
  });
  expect(JSON.stringify(refused)).not.toContain('<a');
});

test('a comment on a video that is not propagated yet is retried, and added once', async () => {
  world.network.videos.setPollsUntilKnown(1);
  const root = await published(videoFile());
  const post = attemptsAt(buildItem('First', { kind: 'comment', replyTo: { root, parent: root } }));
  const later = { failure: { code: 'platform.unavailable', retryAfterSeconds: 60 } };
  expect(await post.publish()).toMatchObject(later);
  world.break('reset-after-effect');
  expect(await post.publish()).toMatchObject(doubt);
  expect(await post.find()).toMatchObject(later);
  expect(await post.find()).toMatchObject({ ok: true, value: { receipt: { below: root.externalId } } });
});

test('an unlisted comment with a link is an unknown outcome: it may be held for review', async () => {
  world.network.videos.holdsLinks(true);
  const root = await published(videoFile());
  const link = 'https://kiln.example/';
  const comment = (text: string, more = {}) =>
    buildItem(text, { kind: 'comment', replyTo: { root, parent: root }, ...more });
  for (const linking of [
    comment('All of it', { link }),
    comment(`See ${link}`),
    comment('See kiln.example'),
  ]) {
    world.break('reset-after-effect');
    expect(await publishing.publish(session, linking, discardReceipt)).toMatchObject(doubt);
    const found = await publishing.find?.(session, linking);
    if (linking.text.endsWith('kiln.example')) expect(found).toMatchObject({ ok: true, value: {} });
    else expect(found).toMatchObject(doubt);
  }
  expect(await publishing.find?.(session, comment('See pots.example'))).toMatchObject(doubt);
  expect(await publishing.find?.(session, comment('No link. 1.5 kg'))).toEqual({ ok: true, value: null });
});

test('finding 23: a video of an unaudited project stays private, which is not a success', async () => {
  await world.close();
  await start({ audited: false });
  const post = attemptsAt(videoFile());
  const stays = {
    failure: {
      code: 'platform.refused',
      message: expect.stringMatching(
        /watch\?v=\S+ is uploaded, but YouTube made it private instead of public/,
      ),
      platform: { code: 'private' },
    },
  };
  expect(await post.publish()).toMatchObject(stays);
  expect(await post.find()).toEqual({ ok: true, value: null });
  // A retry requests the visibility again, and uploads nothing.
  expect(await post.publish()).toMatchObject(stays);
  const { video = '' } = post.receipt();
  expect([world.effects(), world.network.videos.shownAs(video)]).toEqual([1, ['private', 'private']]);
  const hidden = await published(videoFile({ options: { made_for_kids, visibility: 'private' } }));
  expect(hidden).toMatchObject({ externalId: expect.any(String) });
});

test('finding 23: a video that YouTube made private is published once its owner has changed that', async () => {
  await world.close();
  await start({ audited: false });
  const post = attemptsAt(videoFile());
  expect(await post.publish()).toMatchObject({ failure: { code: 'platform.refused' } });
  const { video = '' } = post.receipt();
  world.network.videos.setStatus(video, { privacyStatus: 'public' });
  expect(await post.publish()).toMatchObject({ ok: true, value: { externalId: video } });
  expect(await post.find()).toMatchObject({ ok: true, value: { externalId: video } });
  expect(world.effects()).toBe(1);
});

test.each([
  ['rejected', { rejectionReason: 'duplicate' }, 'duplicate'],
  ['failed', { failureReason: 'codec' }, 'codec'],
  ['deleted', {}, 'deleted'],
] as const)(
  'finding 23: a video that YouTube %s is a failed post, with its reason',
  async (how, more, code) => {
    world.network.videos.setPollsUntilProcessed(1, { uploadStatus: how, ...more });
    const post = attemptsAt(videoFile());
    const ended = { failure: { code: 'platform.refused', platform: { code } } };
    expect(await post.publish()).toMatchObject(ended);
    expect(post.receipt()).toEqual({});
    expect(await post.find()).toEqual({ ok: true, value: null });
    // A manual retry uploads again.
    world.network.videos.setPollsUntilProcessed(0);
    expect(await post.publish()).toMatchObject({ ok: true });
    expect(world.effects()).toBe(2);
  },
);

test('finding 23: a video is not published before YouTube has processed it', async () => {
  world.network.videos.setPollsUntilProcessed(3);
  const item = videoFile();
  let receipt: PublishItem['receipt'] = {};
  const once = { ok: false, failure: { code: 'platform.outcome_unknown' } };
  const uploaded = await uploadVideo(
    session,
    item,
    item.media[0] ?? videoOf(),
    openReceipt(item, async (stored) => void (receipt = stored)),
  );
  const id = uploaded.ok && 'id' in uploaded.value ? uploaded.value.id : '';
  expect(await waitUntilDecided(session, item, id, [0])).toMatchObject(once);
  const again = { ...item, receipt, media: [] };
  const later = { failure: { code: 'platform.unavailable' } };
  expect(await publishing.find?.(session, again)).toMatchObject(later);
  expect(await publishing.find?.(session, { ...again, receipt: { video: id } })).toMatchObject(later);
  expect(await publishing.find?.(session, again)).toMatchObject({ ok: true, value: { externalId: id } });
});

test('finding 23: a video rejected between attempts is reported by the attempt that continues it', async () => {
  world.network.videos.setPollsUntilProcessed(0, { uploadStatus: 'rejected', rejectionReason: 'length' });
  const post = attemptsAt(videoFile());
  world.break('reset-after-effect', 1);
  expect(await post.publish()).toMatchObject(doubt);
  expect(await post.find()).toEqual({ ok: true, value: null });
  expect(await post.publish()).toMatchObject({
    failure: { code: 'platform.refused', platform: { code: 'length' } },
  });
  expect(world.effects()).toBe(1);
});

test('finding 23: if the upload has expired, a rejected video requires a manual check', async () => {
  world.network.videos.setPollsUntilProcessed(0, { uploadStatus: 'rejected', rejectionReason: 'length' });
  const post = attemptsAt(videoFile());
  world.break('reset-after-effect', 1);
  expect(await post.publish()).toMatchObject(doubt);
  world.network.uploads.forget();
  expect(await post.find()).toMatchObject({ failure: { ...doubt.failure, platform: { code: 'length' } } });
});

test('a missing or unknown status proves nothing', () => {
  const of = (status: Video['status']) => stateOf({ id: 'a', status }, videoFile()).state;
  expect(of(undefined)).toBe('processing');
  expect(of({ uploadStatus: 'processed' })).toBe('processing');
  expect(of({ uploadStatus: 'restyled', privacyStatus: 'public' })).toBe('processing');
  expect(of({ uploadStatus: 'processed', privacyStatus: 'members' })).toBe('processing');
  expect(of({ uploadStatus: 'processed', privacyStatus: 'public' })).toBe('published');
});

test('a comment that is held for review is not reported as published, nor sent again', async () => {
  world.network.videos.holdsLinks(true);
  const root = await published(videoFile());
  const comment = buildItem('See https://kiln.example/', {
    kind: 'comment',
    replyTo: { root, parent: root },
  });
  const post = attemptsAt(comment);
  const held = { ...doubt.failure, message: expect.stringContaining('holds it for review') };
  expect(await post.publish()).toMatchObject({ failure: held });
  expect(await post.find()).toMatchObject({ failure: held });
  expect(world.effects()).toBe(2);
});
