import { describe, expect, test } from '@jest/globals';
import type { PublishedPart, Publishing, PublishItem } from '@switchboard/domain/ports';
import { trackReceipt, discardReceipt } from './calls.js';
import type { ContractContext } from './contract-context.js';
import { publishUntilConfirmed } from './publish-until-confirmed.js';
import { lookupOf } from './world.js';

type FollowUpKind = 'thread' | 'comment';

/** A follow-up part: of the same delivery, a moment later. */
const buildFollowUp = (
  bench: ContractContext,
  first: PublishItem,
  index: number,
  kind: FollowUpKind,
  text: string,
  answers: NonNullable<PublishItem['replyTo']>,
): PublishItem =>
  bench.post(text, {
    kind,
    replyTo: answers,
    reference: first.reference.replace(/\d+$/, String(index)),
    createdAt: new Date(first.createdAt.getTime() + index),
  });

/** A thread continues in parts, each a reply to the part before. */
export function partsContract(bench: ContractContext, publishing: Publishing): void {
  const { manifest } = bench.platform;
  const { world, open, value } = bench;
  /** The published part as a lookup returns it. */
  const sent = new Map<PublishItem, () => PublishItem>();
  const publish = async (item: PublishItem) => {
    const { saveReceipt, readBack } = trackReceipt(item);
    sent.set(item, readBack);
    return value(await publishing.publish(open(), item, saveReceipt));
  };
  const parentOf = async (part: PublishedPart) => lookupOf(world(), 'parentOf')(part.externalId);
  const textOf = async (part: PublishedPart) => world().textOf(part.externalId);
  const replyTo = (parent: PublishedPart, root = parent) => ({ root, parent });

  if (manifest.thread) {
    test('a thread is published in order, each part below the one before', async () => {
      const first = bench.post('One');
      const root = await publish(first);
      const two = buildFollowUp(bench, first, 1, 'thread', 'Two', replyTo(root));
      const second = await publish(two);
      const three = buildFollowUp(bench, first, 2, 'thread', 'Three', replyTo(second, root));
      const third = await publish(three);
      const parts = [root, second, third];
      expect(await Promise.all(parts.map(parentOf))).toEqual([null, root.externalId, second.externalId]);
      expect(await Promise.all(parts.map(textOf))).toEqual(
        [first, two, three].map((item) => publishing.finalText(item)),
      );
      if (!publishing.find) return;
      for (const [at, item] of [first, two, three].entries()) {
        const found = value(await publishing.find(open(), sent.get(item)?.() ?? item));
        expect(found?.externalId).toBe(parts[at]?.externalId);
      }
    });
  }

  if (manifest.firstComment) {
    test('a first comment is added to the post, with or without a thread', async () => {
      const first = bench.post('One');
      const root = await publish(first);
      if (manifest.thread) await publish(buildFollowUp(bench, first, 1, 'thread', 'Two', replyTo(root)));
      const comment = await publish(buildFollowUp(bench, first, 2, 'comment', 'Links below', replyTo(root)));
      expect(await parentOf(comment)).toBe(root.externalId);
    });

    test('a first comment is published at the maximum length and refused by the platform above it', async () => {
      const max = manifest.firstComment?.max ?? world().account.textLimits?.max ?? manifest.text?.max ?? 0;
      const first = bench.post('One');
      const root = await publish(first);
      const longest = buildFollowUp(bench, first, 1, 'comment', 'a'.repeat(max), replyTo(root));
      expect(publishing.count(publishing.finalText(longest), world().account.textLimits)).toBe(max);
      expect(await textOf(await publish(longest))).toBe(publishing.finalText(longest));
      const effects = world().effects();
      const longer = buildFollowUp(bench, first, 2, 'comment', `${longest.text}a`, replyTo(root));
      expect(bench.code(await publishing.publish(open(), longer, discardReceipt))).toBe('platform.refused');
      expect(world().effects()).toBe(effects);
    });
  }

  if (manifest.thread) describe('a part of a thread', () => repliesContract('thread'));
  if (manifest.firstComment) describe('a first comment', () => repliesContract('comment'));

  function repliesContract(kind: FollowUpKind): void {
    for (const how of ['500-after', 'reset-after-effect', 'reset-before-effect', '2xx-no-id'] as const) {
      test(`is published once, and can be replied to, when its response is lost to a ${how}`, async () => {
        const first = bench.post('One');
        const root = await publish(first);
        const effects = world().effects();
        world().break(how, world().requestsBefore?.[kind]);
        const { part } = await publishUntilConfirmed(
          bench,
          publishing,
          buildFollowUp(bench, first, 1, kind, 'Two', replyTo(root)),
        );
        // If nothing can be read back, a part with an unknown outcome is not sent again.
        const isOut = part !== null || how !== 'reset-before-effect';
        expect(world().effects()).toBe(effects + (isOut ? 1 : 0));
        if (!part) return;
        expect(await parentOf(part)).toBe(root.externalId);
        if (kind === 'comment') return;
        const third = await publish(buildFollowUp(bench, first, 2, kind, 'Three', replyTo(part, root)));
        expect(await parentOf(third)).toBe(part.externalId);
      });
    }

    test('is not mistaken for the post, nor for a reply to another one, when the text is the same', async () => {
      const [first, other] = [bench.post('Again'), bench.post('Again')];
      const [root, otherRoot] = [await publish(first), await publish(other)];
      await publish(buildFollowUp(bench, other, 1, kind, 'Again', replyTo(otherRoot)));
      const effects = world().effects();
      world().break('reset-before-effect', world().requestsBefore?.[kind]);
      const { part } = await publishUntilConfirmed(
        bench,
        publishing,
        buildFollowUp(bench, first, 1, kind, 'Again', replyTo(root)),
      );
      if (publishing.find) expect(world().effects()).toBe(effects + 1);
      if (part) expect(await parentOf(part)).toBe(root.externalId);
    });

    const remove = publishing.remove?.bind(publishing);
    if (!remove) return;
    test('can be removed before the part that it replies to', async () => {
      const first = bench.post(`Not for long, with a ${kind}`);
      const root = await publish(first);
      const item = buildFollowUp(bench, first, 1, kind, 'Two', replyTo(root));
      const part = await publish(item);
      for (const one of [part, part, root]) expect(bench.code(await remove(open(), one))).toBe('ok');
      if (publishing.find) expect(value(await publishing.find(open(), first))).toBeNull();
    });
  }
}
