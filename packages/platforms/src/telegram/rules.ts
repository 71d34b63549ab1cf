import type { Problem, PartDraft, Publishing } from '@switchboard/platform-kit';
import { codePoints } from '@switchboard/platform-kit/counting/code-points';
import { optionReader } from '@switchboard/platform-kit/read-options';
import { appendLink } from '@switchboard/platform-kit/append-link';
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
