import type { Problem, PartDraft, Publishing } from '@switchboard/platform-kit';
import { codePoints } from '@switchboard/platform-kit/counting/code-points';
import { optionReader } from '@switchboard/platform-kit/read-options';
import { appendLink } from '@switchboard/platform-kit/append-link';
import { options } from './manifest.js';

export const optionsOf = optionReader(options);

/** A title is shown in its own card, which opens the link. */
export const cardOf = ({ title, link }: Pick<PartDraft, 'title' | 'link'>) =>
  title ? { title, ...(link !== null && { url: link }) } : null;

export const rules = {
  count: codePoints,
  finalText: (draft) => (cardOf(draft) ? draft.text : appendLink(draft)),
  check(draft): Problem[] {
    if (!cardOf(draft) || !optionsOf(draft).hide_link_previews) return [];
    const message = 'Discord hides the title when link previews are hidden. Remove one of the two.';
    return [{ path: 'options.hide_link_previews', code: 'option.invalid', message }];
  },
} satisfies Partial<Publishing>;
