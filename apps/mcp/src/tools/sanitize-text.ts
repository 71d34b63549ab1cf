const MAX_CHARACTERS = 10_000;

/**
 * Characters that no reader sees and a model may still obey, or that reorder visible text. Kept are tab and
 * line feed, and the two joiners and two variation selectors that emoji and many scripts use.
 */
const invisibleRanges = [
  '\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f', // control characters
  '\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u206f', // text direction, and nonstandard line separators
  '\\u00ad\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u2060-\\u2065\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb', // fillers
  '\\ufe00-\\ufe0d', // variation selectors, which can hide bytes
  '\\u{e0000}-\\u{e0fff}', // tags, and further invisible characters
];
const invisibleCharacter = new RegExp(invisibleRanges.map((characters) => `[${characters}]`).join('|'), 'gu');

/** The common case, recognized quickly. */
const printableAscii = /^[\t\n\x20-\x7e]*$/;
const isClean = (text: string): boolean => text.length <= MAX_CHARACTERS && printableAscii.test(text);

/**
 * Third-party text as a model may receive it: only visible characters, well-formed, and of limited length.
 */
export function sanitizeText(text: string): string {
  if (isClean(text)) return text;
  const clean = text.toWellFormed().replace(invisibleCharacter, '');
  if (clean.length <= MAX_CHARACTERS) return clean;
  const removedCount = clean.length - MAX_CHARACTERS;
  return `${clean.slice(0, MAX_CHARACTERS).toWellFormed()}… [${removedCount} more characters truncated]`;
}

/** The same for every text within a value, field names included. */
function sanitizeValue(value: unknown): unknown {
  if (typeof value === 'string') return sanitizeText(value);
  if (Array.isArray(value)) return value.map(sanitizeValue);
  return typeof value === 'object' && value !== null ? sanitizeFields(value) : value;
}

export const sanitizeFields = (fields: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [sanitizeText(name), sanitizeValue(value)] as const),
  );

/** Also matches some clean texts that contain a backslash: these are visited one by one. */
const mayNeedSanitizing = /[^\x20-\x7e]|\\[^"\\nt]/;

/**
 * Sanitizes a value and writes it as JSON. Usually nothing is to be changed, which its JSON shows in a fraction
 * of the time that visiting every text takes.
 */
export function sanitizeAsJson(
  value: object,
  json = JSON.stringify(value),
): { readonly sanitized: Record<string, unknown>; readonly json: string } {
  const isClean = !mayNeedSanitizing.test(json) && (json.length <= MAX_CHARACTERS || !hasLongText(value));
  if (isClean) return { sanitized: value as Record<string, unknown>, json };
  const sanitized = sanitizeFields(value);
  return { sanitized, json: JSON.stringify(sanitized) };
}

function hasLongText(value: unknown): boolean {
  if (typeof value === 'string') return value.length > MAX_CHARACTERS;
  if (Array.isArray(value)) return value.some(hasLongText);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, one]) => name.length > MAX_CHARACTERS || hasLongText(one));
}
