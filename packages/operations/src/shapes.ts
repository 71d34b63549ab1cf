import { formatAmount, isCurrency, type Money } from '@switchboard/domain';
import { z } from 'zod';
import { isStorable } from './is-storable.js';

/** Pieces that many schemas share. On the wire everything is snake_case, times are RFC 3339 UTC, money is a decimal string. */

/** An id as it comes in: any text. Whether it names something is for the use case, which answers `<thing>.not_found`. */
export const id = (example: string, whence?: string) =>
  z
    .string(whence === undefined ? {} : { error: ({ input }) => (input === undefined ? whence : undefined) })
    .overwrite((text) => (isStorable(text) ? text : ''))
    .meta({ examples: [example] });

/** A point in time with an offset, read into a Date. */
export const instant = z.iso
  .datetime({
    offset: true,
    error: 'a time with an offset, such as 2026-12-01T09:00:00Z (a + is written %2B in a URL)',
  })
  .refine((text) => isOfOurEra(new Date(text)), 'a time of the years 1 to 9999')
  .transform((text) => new Date(text));

/** RFC 3339 ends with the year 9999, in UTC too, and PostgreSQL knows no year 0. Of what is no time enough was said. */
function isOfOurEra(time: Date): boolean {
  const year = time.getUTCFullYear();
  return !(year < 1 || year > 9999);
}

export const time = z.string().meta({ format: 'date-time' });

export const isoTime = (date: Date) => date.toISOString();
export const isoTimeOrNull = (date: Date | null) => date?.toISOString() ?? null;

export const metadata = z
  .record(z.string().min(1).max(40), z.string().max(500))
  .refine((record) => Object.keys(record).length <= 50, 'at most 50 keys');

export const timezone = z
  .string()
  .max(64)
  .refine(isTimezone, 'an IANA time zone such as Europe/Madrid')
  .meta({ examples: ['Europe/Madrid'] });

function isTimezone(name: string): boolean {
  try {
    // An offset such as "+02:00" is accepted by Intl, but it is no zone: it knows no summer time.
    return /^[A-Za-z]/.test(name) && new Intl.DateTimeFormat('en', { timeZone: name }).format() !== '';
  } catch {
    return false;
  }
}

export const currency = z
  .string()
  .refine(isCurrency, 'an ISO 4217 currency code such as EUR')
  .meta({ examples: ['EUR'] });

/** A positive decimal as text. How many decimals fit is the currency's matter. */
export const amount = z
  .string()
  .max(20)
  .regex(/^(0|[1-9][0-9]*)(\.[0-9]+)?$/, 'a decimal number as text, such as "12.34"')
  .meta({ examples: ['12.34'] });

export const moneyShape = z.object({ amount: z.string(), currency: z.string() });
export const presentMoney = (value: Money) => ({ amount: formatAmount(value), currency: value.currency });

export const limit = z.int().min(1).max(100).default(20);
export const cursor = z.string().min(1).max(4096).optional();

/** A page as it leaves. */
export const pageOf = <Item extends z.ZodObject>(item: Item) =>
  z.object({ data: z.array(item), next_cursor: z.string().nullable() });

export const noContent = z.object({});

export const moneyMovedShape = z
  .boolean()
  .nullable()
  .describe('Whether money moved; null while that is not known.');
