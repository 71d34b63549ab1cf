import type { Problem, TextLimits, PartDraft, Publishing } from '@switchboard/platform-kit';
import { mastodonCharacters } from '@switchboard/platform-kit/counting/mastodon-characters';
import { optionReader } from '@switchboard/platform-kit/read-options';
import { appendLink as finalText } from '@switchboard/platform-kit/append-link';
import { DEFAULT_LIMITS, manifest, options } from './manifest.js';

export const optionsOf = optionReader(options);

export const rules = {
  count: (text: string, limits: TextLimits = DEFAULT_LIMITS) => mastodonCharacters(text, limits.perLink),
  finalText,
  check: (draft: PartDraft, limits: TextLimits = DEFAULT_LIMITS) => [
    ...combinedLengthProblems(draft, limits),
    ...unknownLanguage(draft),
  ],
} satisfies Partial<Publishing>;

/** The warning counts with the text; a text that alone is too long has already been reported. */
function combinedLengthProblems(draft: PartDraft, limits: TextLimits): Problem[] {
  const { spoiler_text: warning = '' } = optionsOf(draft);
  const used = mastodonCharacters(finalText(draft), limits.perLink, warning);
  if (warning === '' || used <= limits.max || rules.count(finalText(draft), limits) > limits.max) return [];
  const message = `Content warning and text count together: ${used} of ${limits.max} ${manifest.text?.unit}.`;
  // Every part has the warning, so that the error names it only for the post itself.
  const path = draft.kind === 'post' ? 'options.spoiler_text' : 'text';
  return [{ path, code: 'text.too_long', message }];
}

function unknownLanguage(draft: PartDraft): Problem[] {
  const { language } = optionsOf(draft);
  if (language === undefined || /^[a-z]{2,3}(-[A-Za-z]{2,4})?$/.test(language)) return [];
  const message = 'Use a language code, such as en or pt.';
  return [{ path: 'options.language', code: 'option.invalid', message }];
}
