import type { Request } from 'express';
import { html, type Markup, type Piece } from '../pages/html.js';
import { de } from './de.js';
import { en } from './en.js';
import { es } from './es.js';
import { fr } from './fr.js';
import type { SlotArguments, TextKey, Texts } from './texts.js';

const languages = { en, de, es, fr } as const satisfies Readonly<Record<string, Texts>>;
export type Language = keyof typeof languages;
const languageCodes = Object.keys(languages) as Language[];

/** One language, with its formats of lists and times. */
export interface Translator {
  readonly language: Language;
  /** For a page: escapes values that are not markup. */
  readonly markup: <Key extends TextKey>(key: Key, ...slotArguments: SlotArguments<Key, Piece>) => Markup;
  /** For a title or an attribute. */
  readonly text: <Key extends TextKey>(
    key: Key,
    ...slotArguments: SlotArguments<Key, string | number>
  ) => string;
  readonly list: (items: readonly string[]) => string;
  readonly time: (date: Date, timeZone: string) => string;
}

/** The language of the session, else the one that the browser requests, else English. */
export function translatorForRequest(
  locale: string | null,
  request: Pick<Request, 'acceptsLanguages'>,
): Translator {
  const requestedLanguage =
    locale === null ? undefined : languageCodes.find((one) => one === languageOf(locale));
  if (locale !== null && requestedLanguage !== undefined) return createTranslator(requestedLanguage, locale);
  const accepted = request.acceptsLanguages(...languageCodes);
  return createTranslator(languageCodes.find((one) => one === accepted) ?? 'en');
}

const languageOf = (locale: string) => locale.split('-', 1)[0]?.toLowerCase();

/** `locale` may include a region, for the format of times. */
export function createTranslator(language: Language, locale: string = language): Translator {
  const texts: Texts = languages[language];
  const tag = Intl.DateTimeFormat.supportedLocalesOf(locale)[0] ?? language;
  return {
    language,
    markup: (key, ...slotArguments) => fillSlots(texts[key], slotArguments[0]),
    text: (key, ...slotArguments) =>
      texts[key].replace(SLOT, (_, slot: string) =>
        String((slotArguments[0] as Values<string | number>)[slot]),
      ),
    list: (items) => new Intl.ListFormat(tag, { type: 'conjunction' }).format(items),
    time: (date, timeZone) => new Intl.DateTimeFormat(tag, { ...TIME, timeZone }).format(date),
  };
}

/** Includes the time zone: the reader may be in another one. */
const TIME: Intl.DateTimeFormatOptions = {
  year: 'numeric',
  month: 'long',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
};

type Values<Value> = Readonly<Record<string, Value>>;
const SLOT = /\{(\w+)\}/g;

/** Texts and placeholders alternate. */
const fillSlots = (text: string, values: Values<Piece> | undefined): Markup =>
  html`${text.split(SLOT).map((part, index) => (index % 2 === 0 ? part : values?.[part]))}`;
