import type { Problem } from '@switchboard/domain';
import type { PartDraft, Publishing } from '@switchboard/domain/ports';
import { z } from 'zod';
import { codePoints } from '../kit/counting/code-points.js';
import { appendLink } from '../kit/append-link.js';

const CAPTION_MAX = 1_024;

const options = z.object({
  silent: z.boolean().optional(),
  protect_content: z.boolean().optional(),
  link_preview: z.enum(['none', 'small', 'large']).optional(),
});

/** The options of a draft; none if their format violates the manifest's rules. */
export const optionsOf = (draft: Pick<PartDraft, 'options'>): z.infer<typeof options> =>
  options.safeParse(draft.options).data ?? {};

export const rules = {
  count: codePoints,
  finalText: appendLink,
  check: (draft) => (draft.mediaCount === 0 ? [] : longCaption(draft)),
} satisfies Partial<Publishing>;

function longCaption(draft: PartDraft): Problem[] {
  const used = codePoints(appendLink(draft));
  if (used <= CAPTION_MAX) return [];
  const message = `With media Telegram allows ${CAPTION_MAX} characters; this text has ${used}.`;
  return [{ path: 'text', code: 'text.too_long', message }];
}
