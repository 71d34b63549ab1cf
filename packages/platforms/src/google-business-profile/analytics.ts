import { ok, noMetrics, type AccountAnalytics, type DayMetrics } from '@switchboard/platform-kit';
import { locationOf } from './location-of.js';
import { manifest } from './manifest.js';
import { performance, requestJson, type DatedValue } from './wire.js';

/** The daily metrics of Google that each of ours adds up. */
const SOURCES = {
  views: [
    'BUSINESS_IMPRESSIONS_DESKTOP_MAPS',
    'BUSINESS_IMPRESSIONS_DESKTOP_SEARCH',
    'BUSINESS_IMPRESSIONS_MOBILE_MAPS',
    'BUSINESS_IMPRESSIONS_MOBILE_SEARCH',
  ],
  clicks: ['WEBSITE_CLICKS', 'CALL_CLICKS', 'BUSINESS_DIRECTION_REQUESTS'],
} as const;

/** Google has metrics of a location by day, and no longer any of posts. */
export const analytics: AccountAnalytics = {
  async ofDays(session, { from, to }) {
    const read = await requestJson(
      session,
      {
        path: `${manifest.analyticsBaseUrl}/v1/${locationOf(session).location}:fetchMultiDailyMetricsTimeSeries`,
        query: {
          dailyMetrics: Object.values(SOURCES).flat(),
          ...datePartsOf('dailyRange.startDate', from),
          ...datePartsOf('dailyRange.endDate', to),
        },
      },
      performance,
    );
    if (!read.ok) return read;
    const series = new Map(
      read.value.multiDailyMetricTimeSeries.flatMap((one) =>
        one.dailyMetricTimeSeries.map(
          ({ dailyMetric, timeSeries }) =>
            [dailyMetric ?? '', byDate(timeSeries?.datedValues ?? [])] as const,
        ),
      ),
    );
    const dates = [...new Set([...series.values()].flatMap((values) => [...values.keys()]))];
    return ok(
      dates
        .filter((date) => date >= from && date <= to)
        .sort()
        .flatMap((date): DayMetrics[] => {
          const sumOf = (names: readonly string[]) =>
            sumKnown(names.map((name) => series.get(name)?.get(date)));
          const [views, clicks] = [sumOf(SOURCES.views), sumOf(SOURCES.clicks)];
          return views === null && clicks === null
            ? []
            : [{ date, metrics: { ...noMetrics, views, clicks } }];
        }),
    );
  },
};

function datePartsOf(name: string, date: string): Readonly<Record<string, number>> {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  return { [`${name}.year`]: year, [`${name}.month`]: month, [`${name}.day`]: day };
}

/** A dated value without a value is 0: protocol buffers omit it in JSON. */
const byDate = (values: readonly DatedValue[]): ReadonlyMap<string, number> =>
  new Map(values.map(({ date, value }) => [date, value ?? 0]));

/** Null when any part is unknown: a sum without it would be too low. */
function sumKnown(parts: readonly (number | undefined)[]): number | null {
  return parts.reduce<number | null>(
    (sum, part) => (sum === null || part === undefined ? null : sum + part),
    0,
  );
}
