import type { HttpResponse } from './response.js';

/** Fields that people and shops fill as they like; the rest is what machines agree on. */
const FREE_TEXT_FIELDS: readonly string[] = [
  'name',
  'username',
  'bio',
  'text',
  'title',
  'note',
  'reason',
  'message',
  'number',
  'method',
  'line1',
  'city',
];

/** The answer as somebody would have it who writes these words wherever people may write. What was empty stays so. */
export const replaceFreeText = ({ body, ...answer }: HttpResponse, words: string): HttpResponse => ({
  ...answer,
  body: body.type === 'json' ? { type: 'json', value: replaceText(body.value, words) } : body,
});

function replaceText(value: unknown, words: string): unknown {
  if (Array.isArray(value)) return value.map((one) => replaceText(one, words));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]: [string, unknown]) => [
      field,
      FREE_TEXT_FIELDS.includes(field) && (typeof inner === 'string' || field === 'note')
        ? words
        : replaceText(inner, words),
    ]),
  );
}
