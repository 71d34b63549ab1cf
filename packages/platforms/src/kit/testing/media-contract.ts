import { describe, expect, test } from '@jest/globals';
import type { MediaRules, Publishing, PublishItem } from '@switchboard/domain';
import { discardReceipt } from './calls.js';
import type { ContractContext } from './contract-context.js';
import { isOutcomeUnknown, publishUntilConfirmed } from './publish-until-confirmed.js';
import { documentOf, imageOf, videoOf, type TestMedia } from './test-media.js';
import { lookupOf, type Breakage } from './world.js';

/** After these something may have happened, and an upload that happened twice is not a post that did. */
const lostResponses: readonly Breakage[] = ['500-after', 'reset-after-effect', '2xx-truncated'];
const otherBreakages: readonly Breakage[] = [
  '500-before',
  'reset-before-effect',
  '2xx-no-id',
  'garbage',
  '429',
];

/** Media arrives as it was given, once, whatever becomes of the requests that bring it. */
export function mediaContract(bench: ContractContext, publishing: Publishing, facts: MediaRules): void {
  const { world, open, post, value, code } = bench;
  const { images, videos, documents } = facts;
  /** Those of the account's own server come first, as they do everywhere. */
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
    // It is refused when all of it has arrived, which takes a busy machine a while.
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

    describe('a picture', () => {
      test.each(images.types)('of the type %s arrives as it is, with what it shows', (one) =>
        expectArrival([imageOf({ type: one, altText: 'A teal field' })]),
      );

      test('arrives without words for what it shows', () => expectArrival([buildImage()]));

      test('arrives with as many words as there may be', async () => {
        const max = rules().altTextMax;
        await expectArrival([buildImage({ altText: max === null ? null : 'ü'.repeat(max) })]);
      });

      test('arrives with as many others as there may be, in their order', () =>
        expectArrival(buildImages(Math.min(rules().max, rules().images?.max ?? 0))));

      test('is refused by the platform too when there is one too many', () =>
        expectRefusal(buildImages(Math.min(rules().max, rules().images?.max ?? 0) + 1)));

      test('is refused by the platform too when it is too large', () =>
        expectRefusal([buildImage({ bytes: (rules().images?.maxBytes ?? 0) + 1 })]));

      test('needs no text beside it', () => expectArrival([buildImage()], { text: '' }));

      test('knows an expired token and a permission that was not given', async () => {
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
        'is out once, with its post, whichever of its answers is lost to a %s',
        (how) => breakEachRequest(how, () => [buildImage()]),
      );

      test('that was remembered is not sent again', async () => {
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

      test('is not published by whom the post was taken from while it was remembered', async () => {
        const effects = world().effects();
        let requested = false;
        const item = post('Taken away', { media: [buildImage()] });
        await publishing
          .publish(open(), item, async () => {
            requested = true;
            throw new Error('somebody else has it');
          })
          .catch(() => undefined);
        expect(world().effects()).toBe(requested ? effects : effects + 1);
      });
    });
  }

  if (videos) {
    describe('a film', () => {
      test.each(videos.types.filter((type) => type === 'video/mp4'))(
        'of the type %s arrives as it is',
        (type) => expectArrival([videoOf({ type, altText: 'Waves' })]),
      );

      test.each(lostResponses)(
        'is out once, with its post, whichever of its answers is lost to a %s',
        (how) => breakEachRequest(how, () => [videoOf()]),
      );
    });
  }

  if (images?.coverOnly) {
    const cover = (more: Parameters<typeof imageOf>[0] = {}) =>
      imageOf({ type: images.types[0] ?? '', ...more });

    describe('a cover', () => {
      test.each(images.types)('of the type %s arrives with its film', (type) =>
        expectArrival([videoOf(), cover({ type })]),
      );

      test('is refused by the platform too without a film', () => expectRefusal([cover()]));

      test.each([...lostResponses, ...otherBreakages])(
        'is out once, with its film, whichever of their answers is lost to a %s',
        (how) => breakEachRequest(how, () => [videoOf(), cover()]),
      );
    });
  }

  if (documents) {
    const [type = ''] = documents.types;
    describe('a document', () => {
      test('arrives as it is, with its title', () =>
        expectArrival([documentOf({ type, altText: 'A report' })]));

      test('arrives without a title', () => expectArrival([documentOf({ type })]));

      // They may be a hundred megabytes.
      test(
        'is refused by the platform too when it is too large',
        () => expectRefusal([documentOf({ type, bytes: (rules().documents?.maxBytes ?? 0) + 1 })]),
        30_000,
      );

      test.each(lostResponses)(
        'is out once, with its post, whichever of its answers is lost to a %s',
        (how) => breakEachRequest(how, () => [documentOf({ type })]),
      );
    });
  }

  if (documents && images) {
    test('a document beside a picture is refused by the platform too', async () => {
      if (world().mixesDocuments) return;
      await expectRefusal([documentOf(), imageOf({ type: images.types[0] ?? '' })]);
    });
  }

  /** Loses one answer after the other, until there is none left to lose. */
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
        // An upload that nobody answered is no reason to doubt whether the post is out.
        expect(first.effects).toBe(effects + 1);
      }
      if (part) expect(await publishedMediaOf(part.externalId)).toEqual(expected(media));
      if (part) expect(world().effects()).toBe(effects + 1);
      else expect(world().effects()).toBeLessThanOrEqual(effects + 1);
    }
  }
}
