import type { Problem } from '@switchboard/domain';
import type { PartDraft, Publishing } from '@switchboard/domain/ports';
import { codePoints } from '../kit/counting/code-points.js';
import { optionReader } from '../kit/read-options.js';
import { appendLink } from '../kit/append-link.js';
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
