import { refuse } from '../failure.js';
import { formatLocalTime } from '../posts/local-time.js';
import { ok, type Result } from '../result.js';

/** Whole days in a time zone, both ends inclusive: `2026-03-01` to `2026-03-31`. */
export interface DateRange {
  readonly from: string;
  readonly to: string;
  readonly timezone: string;
  /** The instant at which the first day begins. */
  readonly startsAt: Date;
  /** The instant at which the day after the last one begins. */
  readonly endsAt: Date;
}

const DEFAULT_DAYS = 30;
const MAX_DAYS = 366;
const EARLIEST = '2000-01-01';
const LATEST = '2999-12-31';
const DAY_MS = 86_400_000;

/** The requested days in the zone; by default the last thirty, including today. */
export function parseDateRange(
  now: Date,
  timezone: string,
  requested: { readonly from?: string | undefined; readonly to?: string | undefined },
): Result<DateRange, 'request.invalid'> {
  const to = requested.to ?? dateIn(now, timezone);
  const from = requested.from ?? addDays(to, 1 - DEFAULT_DAYS);
  if (to > LATEST) return invalid('to', `must be ${LATEST} or earlier`);
  if (from < EARLIEST) return invalid('from', `must be ${EARLIEST} or later`);
  if (from > to) return invalid('from', `must not be later than ${to}, the last day`);
  if (from <= addDays(to, -MAX_DAYS)) {
    return invalid(
      'from',
      `must be ${addDays(to, 1 - MAX_DAYS)} or later: a range has at most ${MAX_DAYS} days`,
    );
  }
  return ok({
    from,
    to,
    timezone,
    startsAt: startOfDay(from, timezone),
    endsAt: startOfDay(addDays(to, 1), timezone),
  });
}

/** The range of as many days that ends where this one begins. */
export function previousRange({ from, to, timezone, startsAt }: DateRange): DateRange {
  const days = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
  const first = addDays(from, -days);
  return {
    from: first,
    to: addDays(from, -1),
    timezone,
    startsAt: startOfDay(first, timezone),
    endsAt: startsAt,
  };
}

/** The calendar date in a zone at an instant. */
export const dateIn = (instant: Date, timezone: string): string =>
  formatLocalTime(instant, timezone).slice(0, 10);

export const addDays = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);

/**
 * The first instant of this day in the zone. It is searched for, because a day need not begin at midnight:
 * some zones skip that hour when daylight saving time begins, and a few have skipped whole days.
 */
export function startOfDay(date: string, timezone: string): Date {
  let before = Date.parse(date) - 2 * DAY_MS;
  let after = Date.parse(date) + 2 * DAY_MS;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (dateIn(new Date(middle), timezone) < date) before = middle;
    else after = middle;
  }
  return new Date(after);
}

const invalid = (path: 'from' | 'to', message: string) =>
  refuse('request.invalid', `${path} ${message}.`, {
    problems: [{ path, code: 'field.invalid', message }],
  });
