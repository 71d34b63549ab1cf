import type { Problem, TextLimits, PartDraft, Publishing } from '@switchboard/platform-kit';
import { isPage } from './connecting.js';
import { utf16Units } from '@switchboard/platform-kit/counting/utf16-units';
import { optionReader } from '@switchboard/platform-kit/read-options';
import { appendLink } from '@switchboard/platform-kit/append-link';
import { toVisibleText } from './little-text.js';
import { options } from './manifest.js';

/** Only a post without media shows a link as a card; otherwise the link is in the text. */
export const cardLink = ({ kind, link, mediaCount }: PartDraft): string | null =>
  kind === 'post' && mediaCount === 0 ? link : null;

export function finalText(draft: PartDraft): string {
  if (cardLink(draft) !== null) return draft.text;
  // A comment is not `little` text: a mention is reduced to its name.
  return draft.kind === 'comment' ? toVisibleText(appendLink(draft)) : appendLink(draft);
}

/** With the defaults. */
export function optionsOf(draft: Pick<PartDraft, 'options'>) {
  const { visibility = 'PUBLIC', no_reposts = false } = readOptions(draft);
  return { visibility, no_reposts };
}
const readOptions = optionReader(options);

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
