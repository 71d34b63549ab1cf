import { describe, expect, test } from '@jest/globals';
import type { MediaRules } from '@switchboard/domain/connections';
import type { Publishing, PublishItem } from '@switchboard/domain/ports';
import { discardReceipt } from './calls.js';
import type { ContractContext } from './contract-context.js';
import { isOutcomeUnknown, isUndecided, publishUntilConfirmed } from './publish-until-confirmed.js';
import { documentOf, imageOf, videoOf, type TestMedia } from './test-media.js';
import { lookupOf, type Breakage } from './world.js';

/**
 * After these faults the effect may have happened; an upload that happened twice is not a duplicate post.
 */
const lostResponses: readonly Breakage[] = ['500-after', 'reset-after-effect', '2xx-truncated'];
const otherBreakages: readonly Breakage[] = [
  '500-before',
  'reset-before-effect',
  '2xx-no-id',
  'garbage',
  '429',
];

/** Media arrives unchanged and once, even when its requests fail. */
export function mediaContract(bench: ContractContext, publishing: Publishing, facts: MediaRules): void {
  const { world, open, post, value, code } = bench;
  const { images, videos, documents } = facts;
  /** Requests to the account's own server come first, as on every platform. */
  const rules = () => world().account.mediaLimits ?? facts;
  const expected = (media: readonly TestMedia[]) =>
    media.map(({ kind, type, sha256, altText }) => ({
      type,
      sha256,
      altText:
        facts.altTextMax === null || (kind === 'video' && world().videosHaveNoAltText) ? null : altText,
    }));
  const publishedMediaOf = (externalId: string) => lookupOf(world(), 'mediaOf')(externalId);
  const expectArrival = async (media: readonly TestMedia[], more: Partial<PublishItem> = {}) => {
    const posted = value(await publishing.publish(open(), post('Look', { media, ...more }), discardReceipt));
    expect(await publishedMediaOf(posted.externalId)).toEqual(expected(media));
  };
  const expectRefusal = async (media: readonly TestMedia[]) => {
    const effects = world().effects();
    // The refusal comes after the whole file has arrived, which takes time on a busy machine.
    const slowSession = open({ deadlineSeconds: 25 });
    const refused = await publishing.publish(slowSession, post('Look', { media }), discardReceipt);
    expect(code(refused)).toBe('platform.refused');
    expect(world().effects()).toBe(effects);
  };

  if (images && !images.coverOnly) {
    const type = images.types.includes('image/png') ? 'image/png' : images.types[0];
    const buildImage = (more: Parameters<typeof imageOf>[0] = {}) =>
      imageOf({ ...(type && { type }), ...more });
    const buildImages = (many: number) =>
      Array.from({ length: many }, (_, at) => buildImage({ altText: `No. ${at}` }));

    describe('an image', () => {
      test.each(images.types)('of the type %s arrives unchanged, with its alternative text', (one) =>
        expectArrival([imageOf({ type: one, altText: 'A teal field' })]),
      );

      test('arrives without alternative text', () => expectArrival([buildImage()]));

      test('arrives with alternative text of the maximum length', async () => {
        const max = rules().altTextMax;
        await expectArrival([buildImage({ altText: max === null ? null : 'ü'.repeat(max) })]);
      });

      test('arrives with the maximum number of others, in order', () =>
        expectArrival(buildImages(Math.min(rules().max, rules().images?.max ?? 0))));

      test('is also refused by the platform when there is one too many', () =>
        expectRefusal(buildImages(Math.min(rules().max, rules().images?.max ?? 0) + 1)));

      test('is also refused by the platform when it is too large', () =>
        expectRefusal([buildImage({ bytes: (rules().images?.maxBytes ?? 0) + 1 })]));

      test('needs no text', () => expectArrival([buildImage()], { text: '' }));

      test.each(['Look at this', ''])(
        'with the text %j that another installation published since the receipt was stored is never reported absent',
        async (text) => {
          const find = publishing.find?.bind(publishing);
          if (!find) return;
          const item = post(text, { media: [buildImage()] });
          const posted = value(await publishing.publish(open(), item, discardReceipt));
          const found = await find(open(), { ...item, media: [], receipt: {}, isReceiptOutdated: true });
          if (found.ok) expect(found.value?.externalId).toBe(posted.externalId);
          else expect(isUndecided(code(found))).toBe(true);
        },
      );

      test('reports an expired token and a missing permission', async () => {
        const publish = async (token: string) =>
          code(
            await publishing.publish(
              open({ token }),
              post('Look', { media: [buildImage()] }),
              discardReceipt,
            ),
          );
        expect(await publish(world().expiredToken)).toBe('connection.needs_reauth');
        if (!world().withoutPermissions)
          expect(await publish(world().weakToken)).toBe('platform.permission_missing');
      });

      test.each([...lostResponses, ...otherBreakages])(
        'is published once, with its post, when any response is lost to a %s',
        (how) => breakEachRequest(how, () => [buildImage()]),
      );

      test('is not uploaded again when its upload was stored', async () => {
        for (let skipRequests = 0, out = false; !out; skipRequests++) {
          const one = buildImage();
          let stored: PublishItem['receipt'] = {};
          const item = post(`Remembered, ${skipRequests}`, { media: [one] });
          world().break('500-before', skipRequests);
          const sent = await publishing.publish(open(), item, async (receipt) => {
            stored = receipt;
          });
          world().repair();
          out = sent.ok;
          if (out || Object.keys(stored).length === 0) continue;
          const reads = one.reads();
          value(await publishing.publish(open(), { ...item, receipt: stored }, discardReceipt));
          expect(one.reads()).toBe(reads);
        }
      });

      test('is not published when another worker claims the delivery while the upload is stored', async () => {
        const effects = world().effects();
        let requested = false;
        const item = post('Taken away', { media: [buildImage()] });
        await publishing
          .publish(open(), item, async () => {
            requested = true;
            throw new Error('another worker has the lease');
          })
          .catch(() => undefined);
        expect(world().effects()).toBe(requested ? effects : effects + 1);
      });
    });
  }

  if (videos) {
    describe('a video', () => {
      test.each(videos.types.filter((type) => type === 'video/mp4'))(
        'of the type %s arrives unchanged',
        (type) => expectArrival([videoOf({ type, altText: 'Waves' })]),
      );

      test.each(lostResponses)('is published once, with its post, when any response is lost to a %s', (how) =>
        breakEachRequest(how, () => [videoOf()]),
      );
    });
  }

  if (images?.coverOnly) {
    const cover = (more: Parameters<typeof imageOf>[0] = {}) =>
      imageOf({ type: images.types[0] ?? '', ...more });

    describe('a cover', () => {
      test.each(images.types)('of the type %s arrives with its video', (type) =>
        expectArrival([videoOf(), cover({ type })]),
      );

      test('is also refused by the platform without a video', () => expectRefusal([cover()]));

      test.each([...lostResponses, ...otherBreakages])(
        'is published once, with its video, when any response is lost to a %s',
        (how) => breakEachRequest(how, () => [videoOf(), cover()]),
      );
    });
  }

  if (documents) {
    const [type = ''] = documents.types;
    describe('a document', () => {
      test('arrives unchanged, with its title', () =>
        expectArrival([documentOf({ type, altText: 'A report' })]));

      test('arrives without a title', () => expectArrival([documentOf({ type })]));

      // They may have a hundred megabytes.
      test(
        'is also refused by the platform when it is too large',
        () => expectRefusal([documentOf({ type, bytes: (rules().documents?.maxBytes ?? 0) + 1 })]),
        30_000,
      );

      test.each(lostResponses)('is published once, with its post, when any response is lost to a %s', (how) =>
        breakEachRequest(how, () => [documentOf({ type })]),
      );
    });
  }

  if (documents && images) {
    test('a document next to an image is also refused by the platform', async () => {
      if (world().mixesDocuments) return;
      await expectRefusal([documentOf(), imageOf({ type: images.types[0] ?? '' })]);
    });
  }

  /** Loses one response after the other until none is left. */
  async function breakEachRequest(how: Breakage, mediaOf: () => readonly TestMedia[]): Promise<void> {
    for (let skipRequests = 0, wasBroken = true; wasBroken; skipRequests++) {
      const media = mediaOf();
      const [effects, requests] = [world().effects(), world().requests()];
      world().break(how, skipRequests);
      const item = post(`The ${media[0]?.kind} lost to ${how}, ${skipRequests}`, { media });
      const { part, attempts } = await publishUntilConfirmed(bench, publishing, item);
      world().repair();
      wasBroken = world().requests() - requests > skipRequests;
      const [first] = attempts;
      if (lostResponses.includes(how) && first && isOutcomeUnknown(first.code)) {
        // An unanswered upload does not leave the publication of the post unknown.
        expect(first.effects).toBe(effects + 1);
      }
      if (part) expect(await publishedMediaOf(part.externalId)).toEqual(expected(media));
      if (part) expect(world().effects()).toBe(effects + 1);
      else expect(world().effects()).toBeLessThanOrEqual(effects + 1);
    }
  }
}
