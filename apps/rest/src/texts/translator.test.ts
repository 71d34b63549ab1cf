import { expect, test } from '@jest/globals';
import { html } from '../pages/html.js';
import { de } from './de.js';
import { en } from './en.js';
import { es } from './es.js';
import { fr } from './fr.js';
import { translatorForRequest, createTranslator, type Language } from './translator.js';

const slots = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();
const asking = (accepted: string | false) => ({ acceptsLanguages: () => accepted }) as never;

test.each([
  ['de', de],
  ['es', es],
  ['fr', fr],
] as const)(
  'every text in %s has the placeholders of the English one, and none is untranslated',
  (_, texts) => {
    for (const [key, text] of Object.entries(en)) {
      expect([key, slots(texts[key as keyof typeof en])]).toEqual([key, slots(text)]);
      // A sentence that is identical in two languages was not translated.
      if (/ .* /.test(text)) expect(texts[key as keyof typeof en]).not.toBe(text);
    }
  },
);

test('the language of the link has precedence over the browser’s, and an unsupported language falls back', () => {
  const language = (locale: string | null, accepted: string | false): Language =>
    translatorForRequest(locale, asking(accepted)).language;
  expect(language('de-AT', 'fr')).toBe('de');
  expect(language('FR', 'de')).toBe('fr');
  expect(language('pt-BR', 'es')).toBe('es');
  expect(language(null, 'es')).toBe('es');
  expect(language(null, false)).toBe('en');
  expect(language('xx-broken-tag-1', false)).toBe('en');
});

test('escapes values, and inserts markup unchanged', () => {
  const translator = createTranslator('en');
  expect(translator.markup('backTo', { who: html`<b>${'<Acme>'}</b>` }).text).toBe(
    'Back to <b>&#60;Acme&#62;</b>',
  );
  expect(translator.markup('backTo', { who: '<Acme>' }).text).toBe('Back to &#60;Acme&#62;');
  expect(translator.text('errorTitle', { title: 'Connect' })).toBe('Error: Connect');
});

test('formats lists and times in the language', () => {
  const at = new Date('2026-12-01T23:30:00Z');
  expect(createTranslator('en').list(['a', 'b', 'c'])).toBe('a, b, and c');
  expect(createTranslator('de').list(['a', 'b', 'c'])).toBe('a, b und c');
  expect(createTranslator('de', 'de-AT').time(at, 'Europe/Vienna')).toMatch(/2\. Dezember 2026.*00:30/);
  expect(createTranslator('en', 'en-GB').time(at, 'UTC')).toMatch(/1 December 2026.*23:30/);
});
