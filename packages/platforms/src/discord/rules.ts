import type { PartDraft, Problem, Publishing } from '@switchboard/domain';
import { z } from 'zod';
import { codePoints } from '../kit/counting/code-points.js';
import { appendLink } from '../kit/append-link.js';

const options = z.object({
  mentions: z.enum(['named', 'everyone']).optional(),
  silent: z.boolean().optional(),
  hide_link_previews: z.boolean().optional(),
});

/** The options of a draft; none where they have a shape that the manifest's rules refuse. */
export const optionsOf = (draft: Pick<PartDraft, 'options'>): z.infer<typeof options> =>
  options.safeParse(draft.options).data ?? {};

/** A title stands in a card of its own, which leads to the link. */
export const cardOf = ({ title, link }: Pick<PartDraft, 'title' | 'link'>) =>
  title ? { title, ...(link !== null && { url: link }) } : null;

export const rules = {
  count: codePoints,
  finalText: (draft) => (cardOf(draft) ? draft.text : appendLink(draft)),
  check(draft): Problem[] {
    if (!cardOf(draft) || !optionsOf(draft).hide_link_previews) return [];
    const message = 'Without previews of links Discord shows no title either: leave out one of the two.';
    return [{ path: 'options.hide_link_previews', code: 'option.invalid', message }];
  },
} satisfies Partial<Publishing>;
