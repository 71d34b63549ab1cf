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
] as const)('every text in %s puts in what the English one does, and none is left in English', (_, texts) => {
  for (const [key, text] of Object.entries(en)) {
    expect([key, slots(texts[key as keyof typeof en])]).toEqual([key, slots(text)]);
    // A sentence that reads the same in two languages was forgotten.
    if (/ .* /.test(text)) expect(texts[key as keyof typeof en]).not.toBe(text);
  }
});

test('the link’s language comes before the browser’s, and one that nobody speaks gives way', () => {
  const language = (locale: string | null, accepted: string | false): Language =>
    translatorForRequest(locale, asking(accepted)).language;
  expect(language('de-AT', 'fr')).toBe('de');
  expect(language('FR', 'de')).toBe('fr');
  expect(language('pt-BR', 'es')).toBe('es');
  expect(language(null, 'es')).toBe('es');
  expect(language(null, false)).toBe('en');
  expect(language('xx-broken-tag-1', false)).toBe('en');
});

test('puts in values escaped, and markup as it is', () => {
  const translator = createTranslator('en');
  expect(translator.markup('backTo', { who: html`<b>${'<Acme>'}</b>` }).text).toBe('Back to <b>&#60;Acme&#62;</b>');
  expect(translator.markup('backTo', { who: '<Acme>' }).text).toBe('Back to &#60;Acme&#62;');
  expect(translator.text('errorTitle', { title: 'Connect' })).toBe('Error: Connect');
});

test('writes lists and times as the language does', () => {
  const at = new Date('2026-12-01T23:30:00Z');
  expect(createTranslator('en').list(['a', 'b', 'c'])).toBe('a, b, and c');
  expect(createTranslator('de').list(['a', 'b', 'c'])).toBe('a, b und c');
  expect(createTranslator('de', 'de-AT').time(at, 'Europe/Vienna')).toMatch(/2\. Dezember 2026.*00:30/);
  expect(createTranslator('en', 'en-GB').time(at, 'UTC')).toMatch(/1 December 2026.*23:30/);
});
