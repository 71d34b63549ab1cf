import { describe, expect, test } from '@jest/globals';
import type { MediaRules, Publishing, PublishItem } from '@switchboard/domain';
import { nothingKept } from './calls.js';
import type { Bench } from './bench.js';
import { isInDoubt, sendUntilOut } from './send-until-out.js';
import { documentOf, imageOf, videoOf, type TestMedia } from './test-media.js';
import { shown, type Breakage } from './world.js';

/** After these something may have happened, and an upload that happened twice is not a post that did. */
const lost: readonly Breakage[] = ['500-after', 'reset-after-effect', '2xx-truncated'];
const other: readonly Breakage[] = ['500-before', 'reset-before-effect', '2xx-no-id', 'garbage', '429'];

/** Media arrives as it was given, once, whatever becomes of the requests that bring it. */
export function mediaContract(bench: Bench, publishing: Publishing, facts: MediaRules): void {
  const { world, open, post, value, code } = bench;
  const { images, videos, documents } = facts;
  /** Those of the account's own server come first, as they do everywhere. */
  const rules = () => world().account.mediaLimits ?? facts;
  const expected = (media: readonly TestMedia[]) =>
    media.map(({ kind, type, sha256, altText }) => ({
      type,
      sha256,
      altText: facts.altTextMax === null || (kind === 'video' && world().filmsHaveNoWords) ? null : altText,
    }));
  const shownOf = (externalId: string) => shown(world(), 'mediaOf')(externalId);
  const arrives = async (media: readonly TestMedia[], more: Partial<PublishItem> = {}) => {
    const posted = value(await publishing.publish(open(), post('Look', { media, ...more }), nothingKept));
    expect(await shownOf(posted.externalId)).toEqual(expected(media));
  };
  const isRefused = async (media: readonly TestMedia[]) => {
    const effects = world().effects();
    // It is refused when all of it has arrived, which takes a busy machine a while.
    const patient = open({ deadlineSeconds: 25 });
    const refused = await publishing.publish(patient, post('Look', { media }), nothingKept);
    expect(code(refused)).toBe('platform.refused');
    expect(world().effects()).toBe(effects);
  };

  if (images && !images.coverOnly) {
    const type = images.types.includes('image/png') ? 'image/png' : images.types[0];
    const picture = (more: Parameters<typeof imageOf>[0] = {}) => imageOf({ ...(type && { type }), ...more });
    const pictures = (many: number) =>
      Array.from({ length: many }, (_, at) => picture({ altText: `No. ${at}` }));

    describe('a picture', () => {
      test.each(images.types)('of the type %s arrives as it is, with what it shows', (one) =>
        arrives([imageOf({ type: one, altText: 'A teal field' })]),
      );

      test('arrives without words for what it shows', () => arrives([picture()]));

      test('arrives with as many words as there may be', async () => {
        const max = rules().altTextMax;
        await arrives([picture({ altText: max === null ? null : 'ü'.repeat(max) })]);
      });

      test('arrives with as many others as there may be, in their order', () =>
        arrives(pictures(Math.min(rules().max, rules().images?.max ?? 0))));

      test('is refused by the platform too when there is one too many', () =>
        isRefused(pictures(Math.min(rules().max, rules().images?.max ?? 0) + 1)));

      test('is refused by the platform too when it is too large', () =>
        isRefused([picture({ bytes: (rules().images?.maxBytes ?? 0) + 1 })]));

      test('needs no text beside it', () => arrives([picture()], { text: '' }));

      test('knows an expired token and a permission that was not given', async () => {
        const publish = async (token: string) =>
          code(await publishing.publish(open({ token }), post('Look', { media: [picture()] }), nothingKept));
        expect(await publish(world().expiredToken)).toBe('connection.needs_reauth');
        if (!world().withoutPermissions)
          expect(await publish(world().weakToken)).toBe('platform.permission_missing');
      });

      test.each([...lost, ...other])(
        'is out once, with its post, whichever of its answers is lost to a %s',
        (how) => sweep(how, () => [picture()]),
      );

      test('that was remembered is not sent again', async () => {
        for (let letPass = 0, out = false; !out; letPass++) {
          const one = picture();
          let kept: PublishItem['receipt'] = {};
          const item = post(`Remembered, ${letPass}`, { media: [one] });
          world().break('500-before', letPass);
          const sent = await publishing.publish(open(), item, async (receipt) => {
            kept = receipt;
          });
          world().mend();
          out = sent.ok;
          if (out || Object.keys(kept).length === 0) continue;
          const reads = one.reads();
          value(await publishing.publish(open(), { ...item, receipt: kept }, nothingKept));
          expect(one.reads()).toBe(reads);
        }
      });

      test('is not published by whom the post was taken from while it was remembered', async () => {
        const effects = world().effects();
        let asked = false;
        const item = post('Taken away', { media: [picture()] });
        await publishing
          .publish(open(), item, async () => {
            asked = true;
            throw new Error('somebody else has it');
          })
          .catch(() => undefined);
        expect(world().effects()).toBe(asked ? effects : effects + 1);
      });
    });
  }

  if (videos) {
    describe('a film', () => {
      test.each(videos.types.filter((type) => type === 'video/mp4'))(
        'of the type %s arrives as it is',
        (type) => arrives([videoOf({ type, altText: 'Waves' })]),
      );

      test.each(lost)('is out once, with its post, whichever of its answers is lost to a %s', (how) =>
        sweep(how, () => [videoOf()]),
      );
    });
  }

  if (images?.coverOnly) {
    const cover = (more: Parameters<typeof imageOf>[0] = {}) =>
      imageOf({ type: images.types[0] ?? '', ...more });

    describe('a cover', () => {
      test.each(images.types)('of the type %s arrives with its film', (type) =>
        arrives([videoOf(), cover({ type })]),
      );

      test('is refused by the platform too without a film', () => isRefused([cover()]));

      test.each([...lost, ...other])(
        'is out once, with its film, whichever of their answers is lost to a %s',
        (how) => sweep(how, () => [videoOf(), cover()]),
      );
    });
  }

  if (documents) {
    const [type = ''] = documents.types;
    describe('a document', () => {
      test('arrives as it is, with its title', () => arrives([documentOf({ type, altText: 'A report' })]));

      test('arrives without a title', () => arrives([documentOf({ type })]));

      // They may be a hundred megabytes.
      test(
        'is refused by the platform too when it is too large',
        () => isRefused([documentOf({ type, bytes: (rules().documents?.maxBytes ?? 0) + 1 })]),
        30_000,
      );

      test.each(lost)('is out once, with its post, whichever of its answers is lost to a %s', (how) =>
        sweep(how, () => [documentOf({ type })]),
      );
    });
  }

  if (documents && images) {
    test('a document beside a picture is refused by the platform too', async () => {
      if (world().mixesDocuments) return;
      await isRefused([documentOf(), imageOf({ type: images.types[0] ?? '' })]);
    });
  }

  /** Loses one answer after the other, until there is none left to lose. */
  async function sweep(how: Breakage, mediaOf: () => readonly TestMedia[]): Promise<void> {
    for (let letPass = 0, struck = true; struck; letPass++) {
      const media = mediaOf();
      const [effects, requests] = [world().effects(), world().requests()];
      world().break(how, letPass);
      const item = post(`The ${media[0]?.kind} lost to ${how}, ${letPass}`, { media });
      const { part, attempts } = await sendUntilOut(bench, publishing, item);
      world().mend();
      struck = world().requests() - requests > letPass;
      const [first] = attempts;
      if (lost.includes(how) && first && isInDoubt(first.code)) {
        // An upload that nobody answered is no reason to doubt whether the post is out.
        expect(first.effects).toBe(effects + 1);
      }
      if (part) expect(await shownOf(part.externalId)).toEqual(expected(media));
      if (part) expect(world().effects()).toBe(effects + 1);
      else expect(world().effects()).toBeLessThanOrEqual(effects + 1);
    }
  }
}
