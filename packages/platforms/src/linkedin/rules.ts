import type { Draft, Problem, PublishItem, Publishing, TextLimits } from '@switchboard/domain';
import { z } from 'zod';
import { isPage } from './connecting.js';
import { utf16Units } from '../kit/counting/utf16-units.js';
import { linkBelow } from '../kit/link-below.js';
import { shownText } from './little-text.js';

const options = z.object({
  visibility: z.enum(['PUBLIC', 'LOGGED_IN', 'CONNECTIONS']).default('PUBLIC'),
  no_reposts: z.boolean().default(false),
});

/** Only a post without media shows a link as a card; everywhere else it stands in the text. */
export const cardLink = ({ kind, link, mediaCount }: Draft): string | null =>
  kind === 'post' && mediaCount === 0 ? link : null;

export function finalText(draft: Draft): string {
  if (cardLink(draft) !== null) return draft.text;
  // A comment is not read as `little` text: of a mention it can only have the name.
  return draft.kind === 'comment' ? shownText(linkBelow(draft)) : linkBelow(draft);
}

/** The options of a draft; none where they have a shape that the manifest's rules refuse. */
export const optionsOf = ({ options: given }: Pick<PublishItem, 'options'>): z.infer<typeof options> =>
  options.safeParse(given).data ?? options.parse({});

const NO_CONNECTIONS: Problem = {
  path: 'options.visibility',
  code: 'option.invalid',
  message: 'A page has no connections: LinkedIn takes PUBLIC or LOGGED_IN for it.',
};

export const rules = {
  count: (text: string) => utf16Units(shownText(text)),
  finalText,
  check: (draft: Draft, _limits?: TextLimits, accountId = ''): readonly Problem[] =>
    isPage(accountId) && optionsOf(draft).visibility === 'CONNECTIONS' ? [NO_CONNECTIONS] : [],
} satisfies Partial<Publishing>;
