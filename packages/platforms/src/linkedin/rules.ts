import type { Problem } from '@switchboard/domain';
import type { TextLimits } from '@switchboard/domain/connections';
import type { PartDraft, PublishItem, Publishing } from '@switchboard/domain/ports';
import { z } from 'zod';
import { isPage } from './connecting.js';
import { utf16Units } from '../kit/counting/utf16-units.js';
import { appendLink } from '../kit/append-link.js';
import { toVisibleText } from './little-text.js';

const options = z.object({
  visibility: z.enum(['PUBLIC', 'LOGGED_IN', 'CONNECTIONS']).default('PUBLIC'),
  no_reposts: z.boolean().default(false),
});

/** Only a post without media shows a link as a card; otherwise the link is in the text. */
export const cardLink = ({ kind, link, mediaCount }: PartDraft): string | null =>
  kind === 'post' && mediaCount === 0 ? link : null;

export function finalText(draft: PartDraft): string {
  if (cardLink(draft) !== null) return draft.text;
  // A comment is not `little` text: a mention is reduced to its name.
  return draft.kind === 'comment' ? toVisibleText(appendLink(draft)) : appendLink(draft);
}

/** The options of a draft; none if their format violates the manifest's rules. */
export const optionsOf = ({ options: provided }: Pick<PublishItem, 'options'>): z.infer<typeof options> =>
  options.safeParse(provided).data ?? options.parse({});

const NO_CONNECTIONS: Problem = {
  path: 'options.visibility',
  code: 'option.invalid',
  message: 'Pages have no connections. Use PUBLIC or LOGGED_IN.',
};

export const rules = {
  count: (text: string) => utf16Units(toVisibleText(text)),
  finalText,
  check: (draft: PartDraft, _limits?: TextLimits, accountId = ''): readonly Problem[] =>
    isPage(accountId) && optionsOf(draft).visibility === 'CONNECTIONS' ? [NO_CONNECTIONS] : [],
} satisfies Partial<Publishing>;
