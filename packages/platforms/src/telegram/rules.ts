import type { Problem } from '@switchboard/domain';
import type { PartDraft, Publishing } from '@switchboard/domain/ports';
import { codePoints } from '../kit/counting/code-points.js';
import { optionReader } from '../kit/read-options.js';
import { appendLink } from '../kit/append-link.js';
import { options } from './manifest.js';

const CAPTION_MAX = 1_024;

export const optionsOf = optionReader(options);

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
