import type { Answer } from './answer.js';

/** Fields that people and shops fill as they like; the rest is what machines agree on. */
const WRITTEN: readonly string[] = [
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
export const inStrangeWords = ({ body, ...answer }: Answer, words: string): Answer => ({
  ...answer,
  body: body.type === 'json' ? { type: 'json', value: reworded(body.value, words) } : body,
});

function reworded(value: unknown, words: string): unknown {
  if (Array.isArray(value)) return value.map((one) => reworded(one, words));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]: [string, unknown]) => [
      field,
      WRITTEN.includes(field) && (typeof inner === 'string' || field === 'note')
        ? words
        : reworded(inner, words),
    ]),
  );
}
