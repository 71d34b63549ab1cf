import type { Draft, Publishing } from '@switchboard/domain';
import { z } from 'zod';
import { codePoints } from '../kit/counting/code-points.js';
import { linkBelow } from '../kit/link-below.js';

const options = z.object({
  mentions: z.enum(['named', 'everyone']).optional(),
  silent: z.boolean().optional(),
  hide_link_previews: z.boolean().optional(),
});

/** The options of a draft; none where they have a shape that the manifest's rules refuse. */
export const optionsOf = (draft: Pick<Draft, 'options'>): z.infer<typeof options> =>
  options.safeParse(draft.options).data ?? {};

export const rules = { count: codePoints, finalText: linkBelow } satisfies Partial<Publishing>;
