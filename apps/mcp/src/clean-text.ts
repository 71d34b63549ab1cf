const MAX_CHARACTERS = 10_000;

/**
 * What no reader sees and a model may still obey, or what reorders what is seen: control characters (but tab and line feed),
 * bidirectional marks, tags, invisible fillers, and variation selectors in which bytes can be hidden. Kept are the two joiners
 * and the two selectors that emoji and many scripts are written with.
 */
const unseen = new RegExp(
  '[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u200e\\u200f' +
    '\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0d\\ufeff\\uffa0\\ufff0-\\ufffb\\u{e0000}-\\u{e0fff}]',
  'gu',
);

/** Text that others wrote, as it may stand before a model: only what can be seen, well-formed, and not without end. */
export function cleanText(text: string): string {
  const clean = text.toWellFormed().replace(unseen, '');
  if (clean.length <= MAX_CHARACTERS) return clean;
  const left = clean.length - MAX_CHARACTERS;
  return `${clean.slice(0, MAX_CHARACTERS).toWellFormed()}… [${left} more characters were left out]`;
}

/** The same for every text within a value, names of fields included. */
export function cleanValue(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (Array.isArray(value)) return value.map(cleanValue);
  return typeof value === 'object' && value !== null ? cleanFields(value) : value;
}

export const cleanFields = (fields: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [cleanText(name), cleanValue(value)] as const),
  );
