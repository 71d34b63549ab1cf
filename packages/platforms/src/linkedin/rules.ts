import type { Draft, PublishItem, Publishing } from '@switchboard/domain';
import { z } from 'zod';
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

export const finalText = (draft: Draft): string => (cardLink(draft) === null ? linkBelow(draft) : draft.text);

export const optionsOf = ({ options: given }: Pick<PublishItem, 'options'>): z.infer<typeof options> =>
  options.parse(given);

export const rules = {
  count: (text: string) => utf16Units(shownText(text)),
  finalText,
} satisfies Partial<Publishing>;
