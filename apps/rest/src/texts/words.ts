import type { Request } from 'express';
import { html, type Markup, type Piece } from '../pages/html.js';
import { de } from './de.js';
import { en } from './en.js';
import { es } from './es.js';
import { fr } from './fr.js';
import type { Given, TextKey, Texts } from './texts.js';

const languages = { en, de, es, fr } as const satisfies Readonly<Record<string, Texts>>;
export type Language = keyof typeof languages;
const known = Object.keys(languages) as Language[];

/** One language, with how it writes lists and times. */
export interface Words {
  readonly language: Language;
  /** Into a page: what is put in is escaped unless it is markup. */
  readonly say: <Key extends TextKey>(key: Key, ...given: Given<Key, Piece>) => Markup;
  /** Into a title or an attribute. */
  readonly text: <Key extends TextKey>(key: Key, ...given: Given<Key, string | number>) => string;
  readonly list: (items: readonly string[]) => string;
  readonly time: (date: Date, timeZone: string) => string;
}

/** The language that the session was made for, else the one that the browser asks for, else English. */
export function wordsFor(locale: string | null, request: Pick<Request, 'acceptsLanguages'>): Words {
  const wanted = locale === null ? undefined : known.find((one) => one === baseOf(locale));
  if (locale !== null && wanted !== undefined) return wordsIn(wanted, locale);
  const accepted = request.acceptsLanguages(...known);
  return wordsIn(known.find((one) => one === accepted) ?? 'en');
}

const baseOf = (locale: string) => locale.split('-', 1)[0]?.toLowerCase();

/** `locale` may name a region as well, for how times are written. */
export function wordsIn(language: Language, locale: string = language): Words {
  const texts: Texts = languages[language];
  const tag = Intl.DateTimeFormat.supportedLocalesOf(locale)[0] ?? language;
  return {
    language,
    say: (key, ...given) => fill(texts[key], given[0]),
    text: (key, ...given) =>
      texts[key].replace(SLOT, (_, slot: string) => String((given[0] as Values<string | number>)[slot])),
    list: (items) => new Intl.ListFormat(tag, { type: 'conjunction' }).format(items),
    time: (date, timeZone) => new Intl.DateTimeFormat(tag, { ...TIME, timeZone }).format(date),
  };
}

/** With its zone: who reads it may be in another one. */
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

/** Text and slots take turns. */
const fill = (text: string, values: Values<Piece> | undefined): Markup =>
  html`${text.split(SLOT).map((part, index) => (index % 2 === 0 ? part : values?.[part]))}`;
