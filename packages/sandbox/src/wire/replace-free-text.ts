import type { HttpResponse } from './response.js';

/** Free-text fields of people and shops; the other fields are machine-readable. */
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

/** The response with this text in every free-text field. Empty fields stay empty. */
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
