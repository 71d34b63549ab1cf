import { formatAmount, isCurrency, type Money } from '@switchboard/domain';
import { z } from 'zod';
import { isStorable } from './pipeline/is-storable.js';

/**
 * Schema components shared by many operations. On the wire everything is snake_case, times are RFC 3339 UTC,
 * money is a decimal string.
 */

/** The schemas that the OpenAPI document lists by name, as its components. */
export const components = z.registry<{ id: string }>();

/**
 * The schemas of which a value has one, for the document: the schema itself checks only what they have in common.
 */
export const alternatives = new WeakMap<object, readonly z.ZodObject[]>();

/**
 * Input whose meaning its schema does not show: ids, and lists that select what a change affects, of which
 * none is not the same as no selection.
 */
export const inputKinds = z.registry<{ readonly kind: 'id' | 'platform' | 'selection' }>();

/** An incoming id: any text. The use case decides whether it exists, and returns `<thing>.not_found`. */
export const id = (example: string, whence?: string) =>
  z
    .string(whence === undefined ? {} : { error: ({ input }) => (input === undefined ? whence : undefined) })
    .overwrite((text) => (isStorable(text) ? text : ''))
    .meta({ examples: [example], description: idDescriptions[example.slice(0, 3)] ?? 'Id.' })
    .register(inputKinds, { kind: 'id' });

const idDescriptions: Readonly<Record<string, string>> = {
  prf: 'Profile id.',
  con: 'Connection id.',
  cns: 'Session id.',
  pst: 'Post id.',
  dlv: 'Delivery id.',
  med: 'Media id.',
  ord: 'Order id.',
  quo: 'Quote id.',
  rfd: 'Refund id.',
  key: 'Key id.',
  whk: 'Webhook id.',
  whd: 'Webhook delivery id.',
};

/** The id of a platform, such as `bluesky`. */
export const platformId = id('bluesky').describe('Platform id.').register(inputKinds, { kind: 'platform' });

/** A point in time with an offset, read into a Date. */
export const instant = z.iso
  .datetime({
    offset: true,
    error: 'a time with an offset, such as 2026-12-01T09:00:00Z (a + is written %2B in a URL)',
  })
  .refine((text) => isOfOurEra(new Date(text)), 'a time of the years 1 to 9999')
  .transform((text) => new Date(text))
  .describe('RFC 3339 time.');

/**
 * RFC 3339 ends with the year 9999, in UTC too, and PostgreSQL has no year 0. A value that is not a time is
 * reported by another check.
 */
function isOfOurEra(time: Date): boolean {
  const year = time.getUTCFullYear();
  return !(year < 1 || year > 9999);
}

export const time = z.string().meta({ format: 'date-time' });

const [DASH, COLON, DOT, T, Z, ZERO] = [45, 58, 46, 84, 90, 48];
const digit = (number: number, unit: number): number => ZERO + (Math.trunc(number / unit) % 10);

/** The text of `toISOString`, which takes four times as long: a page of a list has dozens of times. */
export function isoTime(date: Date): string {
  const year = date.getUTCFullYear();
  if (!(year >= 0 && year <= 9999)) return date.toISOString();
  const [month, day] = [date.getUTCMonth() + 1, date.getUTCDate()];
  const [hour, minute, second] = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()];
  const ms = date.getUTCMilliseconds();
  // oxfmt-ignore
  return String.fromCharCode(
    digit(year, 1000), digit(year, 100), digit(year, 10), digit(year, 1), DASH, digit(month, 10), digit(month, 1), DASH,
    digit(day, 10), digit(day, 1), T, digit(hour, 10), digit(hour, 1), COLON, digit(minute, 10), digit(minute, 1), COLON,
    digit(second, 10), digit(second, 1), DOT, digit(ms, 100), digit(ms, 10), digit(ms, 1), Z,
  );
}

export const isoTimeOrNull = (date: Date | null) => date && isoTime(date);

export const METADATA_KEY_MAX = 40;

export const metadata = z
  .record(z.string().min(1).max(METADATA_KEY_MAX), z.string().max(500))
  .refine((record) => Object.keys(record).length <= 50, 'at most 50 keys')
  .describe('Your own values.')
  .register(components, { id: 'MetadataInput' });

export const timezone = z
  .string()
  .max(64)
  .refine(isTimezone, 'an IANA time zone such as Europe/Madrid')
  .meta({ examples: ['Europe/Madrid'], description: 'IANA name.' });

function isTimezone(name: string): boolean {
  try {
    // Intl accepts an offset such as "+02:00", which is not a time zone: it has no daylight saving time.
    return /^[A-Za-z]/.test(name) && new Intl.DateTimeFormat('en', { timeZone: name }).format() !== '';
  } catch {
    return false;
  }
}

export const currency = z
  .string()
  .refine(isCurrency, 'an ISO 4217 currency code such as EUR')
  .meta({ examples: ['EUR'], description: 'ISO 4217 code.' });

/** A positive decimal as text. The number of decimals depends on the currency. */
export const amount = z
  .string()
  .max(20)
  .regex(/^(0|[1-9][0-9]*)(\.[0-9]+)?$/, 'a decimal number as text, such as "12.34"')
  .meta({ examples: ['12.34'], description: 'Decimal as text.' })
  .register(components, { id: 'AmountText' });

export const moneyShape = z
  .object({ amount: z.string().describe('A decimal number, such as "12.34".'), currency: z.string() })
  .register(components, { id: 'Money' });
export const presentMoney = (value: Money) => ({ amount: formatAmount(value), currency: value.currency });

export const CURSOR_DESCRIPTION = 'The previous next_cursor.';
export const limit = z.int().min(1).max(100).default(20).describe('Page size.');
export const cursor = z.string().min(1).max(4096).optional().describe(CURSOR_DESCRIPTION);

/** Only objects of these platforms. */
export const platformIds = z.array(platformId).min(1).max(30).describe('Only these.');

/** A page in its wire format. */
export const pageOf = <Item extends z.ZodObject>(item: Item) =>
  z.object({ data: z.array(item), next_cursor: z.string().nullable() });

/** A call that is ready to send: the name of an operation, and its input. */
export const nextCallShape = z
  .object({ operation: z.string(), arguments: z.record(z.string(), z.unknown()) })
  .register(components, { id: 'NextCall' });

export const noContent = z.object({});

export const moneyMovedShape = z.boolean().nullable().describe('Whether money moved; null while unknown.');
