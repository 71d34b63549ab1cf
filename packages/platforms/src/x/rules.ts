import { price, type Draft, type Price, type Problem, type Publishing } from '@switchboard/domain';
import { z } from 'zod';
import { weighted } from '../kit/counting/weighted.js';
import { xLinks } from '../kit/counting/x-links.js';
import { linkBelow } from '../kit/link-below.js';

/** https://docs.x.com/x-api/getting-started/pricing, read 2026-11. */
const POST_USD_MICROS = 15_000;
const POST_WITH_LINK_USD_MICROS = 200_000;

const options = z.object({
  reply_settings: z.enum(['following', 'mentionedUsers', 'subscribers', 'verified']).optional(),
  made_with_ai: z.boolean().optional(),
  paid_partnership: z.boolean().optional(),
});

/** The options of a draft; none where they have a shape that the manifest's rules refuse. */
export const optionsOf = (draft: Pick<Draft, 'options'>): z.infer<typeof options> =>
  options.safeParse(draft.options).data ?? {};

export const rules = {
  count: weighted,
  finalText: linkBelow,
  check: (draft) => tooManyCashtags(draft),
  cost: (draft) => costOf(draft),
} satisfies Partial<Publishing>;

function costOf(draft: Draft): Price {
  const hasLink = !xLinks(linkBelow(draft)).next().done;
  return price(hasLink ? POST_WITH_LINK_USD_MICROS : POST_USD_MICROS, 'USD');
}

const CASHTAG = /(?<![\p{L}\p{N}_$])\$[a-z]{1,6}(?:[._][a-z]{1,2})?(?![\p{L}\p{N}_])/giu;

function tooManyCashtags(draft: Draft): Problem[] {
  const cashtags = [...linkBelow(draft).matchAll(CASHTAG)].map(([tag]) => tag);
  if (cashtags.length <= 1) return [];
  const message = `X takes one cashtag in a post, this has ${cashtags.length}: ${cashtags.join(', ')}.`;
  return [{ path: 'text', code: 'text.too_many_cashtags', message }];
}
