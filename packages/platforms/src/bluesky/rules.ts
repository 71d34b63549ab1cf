import type { Problem, PartDraft, Publishing } from '@switchboard/platform-kit';
import { z } from 'zod';
import { graphemes } from '@switchboard/platform-kit/counting/graphemes';
import { utf8Bytes } from '@switchboard/platform-kit/counting/utf8-bytes';
import { appendLink } from '@switchboard/platform-kit/append-link';
import { BYTES_MAX } from './manifest.js';

/**
 * A link is shown as a card. With media there is no card: the link is appended to a text that does not
 * contain it yet.
 */
export const finalText = (draft: PartDraft): string =>
  draft.mediaCount === 0 ? draft.text : appendLink(draft);

const langs = z.array(z.string());

/** The languages of a draft; none if it names none, or in a format that the manifest's rules reject. */
export const langsOf = ({ options }: Pick<PartDraft, 'options'>): readonly string[] =>
  langs.safeParse(options['langs']).data ?? [];

export const rules = {
  count: graphemes,
  finalText,
  check: (draft) => [...tooManyBytes(draft), ...unknownLanguages(draft)],
} satisfies Partial<Publishing>;

function tooManyBytes(draft: PartDraft): Problem[] {
  const bytes = utf8Bytes(finalText(draft));
  if (bytes <= BYTES_MAX) return [];
  const message = `The text has ${bytes} bytes in UTF-8; Bluesky allows ${BYTES_MAX}. Shorten it, or use fewer complex emoji.`;
  return [{ path: 'text', code: 'text.too_long', message }];
}

const unknownLanguages = (draft: PartDraft): Problem[] =>
  langsOf(draft).flatMap((lang, at) =>
    isLanguage(lang)
      ? []
      : [
          {
            path: `options.langs.${at}`,
            code: 'option.invalid',
            message: 'Use a BCP 47 language tag, such as en or pt-BR.',
          },
        ],
  );

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}
