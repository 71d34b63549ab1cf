const MAX_CHARACTERS = 10_000;

/**
 * What no reader sees and a model may still obey, or what reorders what is seen. Kept are tab and line feed, and the two joiners
 * and two variation selectors that emoji and many scripts are written with.
 */
const invisibleRanges = [
  '\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f', // control characters
  '\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u206f', // direction, and line ends that are none
  '\\u00ad\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u2060-\\u2065\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb', // fillers
  '\\ufe00-\\ufe0d', // variation selectors, in which bytes can be hidden
  '\\u{e0000}-\\u{e0fff}', // tags, and more of the same
];
const invisibleCharacter = new RegExp(invisibleRanges.map((characters) => `[${characters}]`).join('|'), 'gu');

/** Most of what passes, which is told at a look. */
const printableAscii = /^[\t\n\x20-\x7e]*$/;
const isClean = (text: string): boolean => text.length <= MAX_CHARACTERS && printableAscii.test(text);

/** Text that others wrote, as it may stand before a model: only what can be seen, well-formed, and not without end. */
export function sanitizeText(text: string): string {
  if (isClean(text)) return text;
  const clean = text.toWellFormed().replace(invisibleCharacter, '');
  if (clean.length <= MAX_CHARACTERS) return clean;
  const removedCount = clean.length - MAX_CHARACTERS;
  return `${clean.slice(0, MAX_CHARACTERS).toWellFormed()}… [${removedCount} more characters were left out]`;
}

/** The same for every text within a value, names of fields included. */
export function sanitizeValue(value: unknown): unknown {
  if (typeof value === 'string') return sanitizeText(value);
  if (Array.isArray(value)) return value.map(sanitizeValue);
  return typeof value === 'object' && value !== null ? sanitizeFields(value) : value;
}

export const sanitizeFields = (fields: object): Record<string, unknown> =>
  isCleanDeep(fields)
    ? { ...fields }
    : Object.fromEntries(
        Object.entries(fields).map(([name, value]) => [sanitizeText(name), sanitizeValue(value)] as const),
      );

/** Nothing has to be built again where nothing is cleaned. */
function isCleanDeep(value: unknown): boolean {
  if (typeof value === 'string') return isClean(value);
  if (Array.isArray(value)) return value.every(isCleanDeep);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, one]) => isClean(name) && isCleanDeep(one));
}
