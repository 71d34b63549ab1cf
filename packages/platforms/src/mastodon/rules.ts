import type { PartDraft, Problem, Publishing, TextLimits } from '@switchboard/domain';
import { z } from 'zod';
import { mastodonCharacters } from '../kit/counting/mastodon-characters.js';
import { appendLink as finalText } from '../kit/append-link.js';
import { DEFAULT_LIMITS, manifest } from './manifest.js';

const options = z.object({
  visibility: z.enum(['public', 'unlisted', 'private']).optional(),
  sensitive: z.boolean().optional(),
  spoiler_text: z.string().optional(),
  language: z.string().optional(),
});

/** The options of a draft; none where they have a shape that the manifest's rules refuse. */
export const optionsOf = (draft: Pick<PartDraft, 'options'>): z.infer<typeof options> =>
  options.safeParse(draft.options).data ?? {};

export const rules = {
  count: (text: string, limits: TextLimits = DEFAULT_LIMITS) => mastodonCharacters(text, limits.perLink),
  finalText,
  check: (draft: PartDraft, limits: TextLimits = DEFAULT_LIMITS) => [
    ...combinedLengthProblems(draft, limits),
    ...unknownLanguage(draft),
  ],
} satisfies Partial<Publishing>;

/** The warning counts with the text; a text that is too long by itself has been told already. */
function combinedLengthProblems(draft: PartDraft, limits: TextLimits): Problem[] {
  const { spoiler_text: warning = '' } = optionsOf(draft);
  const used = mastodonCharacters(finalText(draft), limits.perLink, warning);
  if (warning === '' || used <= limits.max || rules.count(finalText(draft), limits) > limits.max) return [];
  const message = `Content warning and text count together: ${used} of ${limits.max} ${manifest.text?.unit}.`;
  // The warning is that of every part, so that only of the post itself it is the one to blame.
  const path = draft.kind === 'post' ? 'options.spoiler_text' : 'text';
  return [{ path, code: 'text.too_long', message }];
}

function unknownLanguage(draft: PartDraft): Problem[] {
  const { language } = optionsOf(draft);
  if (language === undefined || /^[a-z]{2,3}(-[A-Za-z]{2,4})?$/.test(language)) return [];
  const message = 'Use the code of a language, such as en or pt.';
  return [{ path: 'options.language', code: 'option.invalid', message }];
}
