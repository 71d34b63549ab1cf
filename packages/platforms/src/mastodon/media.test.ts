import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { PublishItem, Session } from '@switchboard/domain/ports';
import { openReceipt } from '@switchboard/platform-kit/part-receipt';
import { buildItem, discardReceipt } from '@switchboard/platform-kit/testing/calls';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { imageOf, videoOf, type TestMedia } from '@switchboard/platform-kit/testing/test-media';
import { uploadMedia } from './media.js';
import { publishing } from './publishing.js';
import { startWorld } from './testing/world.js';

let world: Awaited<ReturnType<typeof startWorld>>;
let session: Session;
beforeAll(async () => {
  world = await startWorld();
  session = testSession(world);
});
beforeEach(() => {
  world.repair();
  world.instance.media.setProcessingPolls(0);
  world.instance.media.setProcessingFails(false);
});
afterAll(() => world.close());

const IMPATIENT_MS = [1, 1, 1];
const find = publishing.find?.bind(publishing) as NonNullable<typeof publishing.find>;

/** A part over its attempts, each with the receipt of the one before. */
function attemptsAt(item: PublishItem) {
  let receipt: PublishItem['receipt'] = {};
  return {
    receipt: () => receipt,
    upload: (delaysMs = IMPATIENT_MS) =>
      uploadMedia(
        session,
        item,
        openReceipt({ receipt }, async (stored) => void (receipt = stored)),
        delaysMs,
      ),
    publish: (by = session) =>
      publishing.publish(by, { ...item, receipt }, async (stored) => void (receipt = stored)),
  };
}
const partWith = (...media: TestMedia[]) => attemptsAt(buildItem('Look', { media }));

describe('a video that is processed later', () => {
  test('is waited for, and published with its post', async () => {
    world.instance.media.setProcessingPolls(1);
    const video = videoOf({ altText: 'Waves' });
    const posted = await partWith(video).publish();
    expect(posted.ok && world.instance.statuses.find(posted.value.externalId)?.media).toMatchObject([
      { type: 'video', description: 'Waves', sha256: video.sha256 },
    ]);
  });

  test('for longer than one attempt may wait is resumed by a later one, without another upload', async () => {
    world.instance.media.setProcessingPolls(5);
    const part = partWith(imageOf(), videoOf());
    const before = world.instance.media.uploads();
    expect(await part.upload()).toMatchObject({
      failure: { code: 'platform.unavailable', retryAfterSeconds: 60 },
    });
    const later = await part.upload();
    expect(later).toEqual({ ok: true, value: Object.values(part.receipt()) });
    expect(world.instance.media.uploads()).toBe(before + 2);
  });

  test('and fails is refused with the server’s message, and uploaded again by a retry', async () => {
    world.instance.media.setProcessingPolls(1);
    world.instance.media.setProcessingFails(true);
    const part = partWith(videoOf());
    expect(await part.upload()).toMatchObject({
      failure: {
        code: 'platform.refused',
        platform: { message: 'Error processing thumbnail for uploaded media' },
      },
    });
    world.instance.media.setProcessingFails(false);
    const before = world.instance.media.uploads();
    expect((await part.upload()).ok).toBe(true);
    expect(world.instance.media.uploads()).toBe(before + 1);
  });

  test('and failed between attempts is refused once, and then uploaded again', async () => {
    world.instance.media.setProcessingPolls(3);
    world.instance.media.setProcessingFails(true);
    const part = partWith(videoOf());
    expect(await part.upload([1])).toMatchObject({ failure: { code: 'platform.unavailable' } });
    world.instance.media.setProcessingFails(false);
    world.instance.media.setProcessingPolls(0);
    expect(await part.upload()).toMatchObject({ failure: { code: 'platform.refused' } });
    expect((await part.upload()).ok).toBe(true);
  });

  test('is not polled while the server is rate limiting', async () => {
    world.instance.media.setProcessingPolls(2);
    const part = partWith(videoOf());
    world.break('429', 1);
    expect(await part.upload()).toMatchObject({
      failure: { code: 'platform.rate_limited', retryAfterSeconds: 7 },
    });
    expect((await part.upload()).ok).toBe(true);
  });

  test('is not waited for after an abort', async () => {
    world.instance.media.setProcessingPolls(1_000);
    const called = testSession({ ...world, signal: AbortSignal.timeout(100) });
    const item = buildItem('Look', { media: [videoOf()] });
    const sent = uploadMedia(called, item, openReceipt(item, discardReceipt), [60_000]);
    expect(await sent).toMatchObject({ failure: { code: 'platform.unavailable' } });
  });
});

describe('an upload', () => {
  test('that the server lost is uploaded anew', async () => {
    const part = partWith(imageOf(), imageOf());
    await part.upload();
    const first = part.receipt();
    world.instance.media.vacuum();
    const posted = await part.publish();
    expect(posted.ok).toBe(true);
    expect(Object.values(part.receipt())).not.toContain(first['media_0']);
  });

  test('is in the post in the requested order, whenever each arrived', async () => {
    const [first, second] = [imageOf({ altText: 'First' }), imageOf({ altText: 'Second' })];
    const part = partWith(first, second);
    world.break('500-before', 1);
    expect(await part.upload()).toMatchObject({ failure: { code: 'platform.unavailable' } });
    const posted = await part.publish();
    const shown = posted.ok && world.instance.statuses.find(posted.value.externalId)?.media;
    expect(shown).toMatchObject([{ description: 'First' }, { description: 'Second' }]);
  });

  test('of an attempt whose response was lost is not published twice', async () => {
    const part = partWith(imageOf());
    const before = world.effects();
    world.break('reset-after-effect', 1);
    expect(await part.publish()).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
    // Its image is attached to a post by now, so that it is not found and another is uploaded; the
    // idempotency key leads to the first post.
    expect((await part.publish()).ok).toBe(true);
    expect(world.effects()).toBe(before + 1);
  });
});

describe('the server’s own message reports', () => {
  const refusedWith = (message: string) => ({
    failure: { code: 'platform.refused', platform: { name: 'Mastodon', message } },
  });

  test('a video next to an image', async () => {
    expect(await partWith(imageOf(), videoOf()).publish()).toMatchObject(
      refusedWith('Cannot attach a video to a post that already contains images'),
    );
  });

  test('an unsupported type', async () => {
    const drawing = { ...imageOf(), type: 'image/svg+xml' };
    expect(await partWith(drawing).publish()).toMatchObject(
      refusedWith('Validation failed: File content type is invalid, File is invalid'),
    );
  });

  test('a file that is too large', async () => {
    expect(await partWith(imageOf({ bytes: 1_048_576 })).publish()).toMatchObject(
      refusedWith('Validation failed: File file size must be less than 1 MB, File must be less than 1 MB'),
    );
  });

  test('a file that a proxy rejects with any response', async () => {
    const blocked: Session = {
      ...session,
      request: async () => ({
        ok: true,
        value: { status: 413, ok: false, headers: {}, body: new Uint8Array(), json: undefined },
      }),
    };
    expect(await partWith(imageOf()).publish(blocked)).toMatchObject(refusedWith('Content Too Large'));
  });
});

test('an account connected before media was supported is asked to grant the permission, and posts text as before', async () => {
  const weak = testSession({ ...world, token: world.weakToken });
  const old: Session = {
    ...session,
    request: (request) => (request.path.includes('/media') ? weak : session).request(request),
  };
  expect(await partWith(imageOf()).publish(old)).toMatchObject({
    failure: {
      code: 'platform.permission_missing',
      platform: { message: 'This action is outside the authorized scopes' },
    },
  });
  expect(await publishing.publish(old, buildItem('Without'), discardReceipt)).toMatchObject({ ok: true });
});

describe('looking up a post', () => {
  test('does not mistake one with the same text and other media for it', async () => {
    const item = buildItem('The same words', { media: [imageOf()] });
    await publishing.publish(session, buildItem('The same words'), discardReceipt);
    expect(await find(session, { ...item, media: [] })).toEqual({ ok: true, value: null });
    const posted = await publishing.publish(session, item, discardReceipt);
    expect(await find(session, { ...item, media: [] })).toEqual(posted);
  });

  test('finds one without a text, whose content warning the server uses as its text', async () => {
    const item = buildItem('', { media: [imageOf()], options: { spoiler_text: 'Teal' } });
    const posted = await publishing.publish(session, item, discardReceipt);
    expect(posted.ok && world.instance.statuses.find(posted.value.externalId)).toMatchObject({
      text: 'Teal',
      spoilerText: '',
      sensitive: true,
    });
    expect(await find(session, { ...item, media: [] })).toEqual(posted);
  });
});
