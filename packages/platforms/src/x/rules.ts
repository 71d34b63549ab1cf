import {
  price,
  type Price,
  type Problem,
  type PartDraft,
  type Publishing,
  type PublishItem,
} from '@switchboard/platform-kit';
import { z } from 'zod';
import { weighted } from '@switchboard/platform-kit/counting/weighted';
import { xLinks } from '@switchboard/platform-kit/counting/x-links';
import { optionReader } from '@switchboard/platform-kit/read-options';
import { appendLink } from '@switchboard/platform-kit/append-link';
import { contentLabels, options } from './manifest.js';

/** https://docs.x.com/x-api/getting-started/pricing, read 2026-11. */
const POST_USD_MICROS = 15_000;
const POST_WITH_LINK_USD_MICROS = 200_000;

const id = z.string().regex(/^\d{1,19}$/);

/** For a reply only the content labels: the other options apply to the first post of a conversation. */
export const optionsFor = (item: Pick<PublishItem, 'options' | 'replyTo'>): ReturnType<typeof readOptions> =>
  (item.replyTo === null ? readOptions : readContentLabels)(item);
const readOptions = optionReader(options);
const readContentLabels = optionReader(contentLabels);

export const rules = {
  count: weighted,
  finalText: appendLink,
  check: (draft) => [...cashtagProblems(draft), ...animationProblems(draft), ...optionProblems(draft)],
  cost: (draft) => costOf(draft),
} satisfies Partial<Publishing>;

function costOf(draft: PartDraft): Price {
  const hasLink = !xLinks(appendLink(draft)).next().done;
  return price(hasLink ? POST_WITH_LINK_USD_MICROS : POST_USD_MICROS, 'USD');
}

const CASHTAG = /(?<![\p{L}\p{N}_$])\$[a-z]{1,6}(?:[._][a-z]{1,2})?(?![\p{L}\p{N}_])/giu;

function cashtagProblems(draft: PartDraft): Problem[] {
  const cashtags = [...appendLink(draft).matchAll(CASHTAG)].map(([tag]) => tag);
  if (cashtags.length <= 1) return [];
  const message = `X allows one cashtag per post; this has ${cashtags.length}: ${cashtags.join(', ')}.`;
  return [{ path: 'text', code: 'text.too_many_cashtags', message }];
}

/** Animated media is a GIF, and must be the only media. */
function animationProblems({ mediaCount, media = [] }: PartDraft): Problem[] {
  const moving = media.filter(({ animated }) => animated);
  const problem = (code: Problem['code'], message: string) => ({ path: 'media', code, message });
  const other = moving.find(({ type }) => type !== 'image/gif');
  if (other) return [problem('media.type_unsupported', `X does not accept animated ${other.type}.`)];
  return moving.length > 0 && mediaCount > 1
    ? [problem('media.too_many', 'An animated GIF must be the only media of an X post.')]
    : [];
}

/** A community is identified by its ID. */
function optionProblems({ options: chosen }: PartDraft): Problem[] {
  const problem = (name: string, message: string): Problem => ({
    path: `options.${name}`,
    code: 'option.invalid',
    message,
  });
  const { community_id: community } = chosen;
  return [
    ...(typeof community === 'string' && !id.safeParse(community).success
      ? [problem('community_id', 'Use the numeric community ID (up to 19 digits) at the end of its URL.')]
      : []),
    ...(isQuote({ options: chosen }) ? [problem('quote_tweet_id', QUOTES_REMOVED)] : []),
  ];
}

/** For a post that was composed while quotes were offered. */
export const isQuote = ({ options: chosen }: Pick<PartDraft, 'options'>): boolean =>
  chosen['quote_tweet_id'] !== undefined;

export const QUOTES_REMOVED =
  'X removed quote posts from its self-serve API on 2026-04-16. Remove the option quote_tweet_id.';
