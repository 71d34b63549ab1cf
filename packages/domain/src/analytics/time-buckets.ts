import { addDays, type DateRange } from './date-range.js';

export type Granularity = 'total' | 'day' | 'week' | 'month';

/**
 * The first days of the range's days, weeks or months, in order, without a gap. If the first week or month
 * began before the range, its bucket is labeled with the range's first day. Empty for the total.
 */
export function listBuckets(
  { from, to }: Pick<DateRange, 'from' | 'to'>,
  granularity: Granularity,
): readonly string[] {
  if (granularity === 'total') return [];
  const starts = new Set<string>();
  for (let date = from; date <= to; date = addDays(date, 1)) starts.add(findBucket(date, from, granularity));
  return [...starts];
}

/** The bucket of a day of the range. Weeks begin on Monday. */
export function findBucket(date: string, from: string, granularity: Exclude<Granularity, 'total'>): string {
  const first = bucketStart(date, granularity);
  return first < from ? from : first;
}

function bucketStart(date: string, granularity: Exclude<Granularity, 'total'>): string {
  if (granularity === 'day') return date;
  if (granularity === 'month') return `${date.slice(0, 7)}-01`;
  const daysSinceMonday = (new Date(date).getUTCDay() + 6) % 7;
  return addDays(date, -daysSinceMonday);
}
