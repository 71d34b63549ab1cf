import { okResponse, type WireResponse } from '../wire/exchange.js';
import { badRequest } from './errors.js';

/** Per day, the same every day: the simulator has no visitors. */
const DAILY: Readonly<Record<string, number>> = {
  BUSINESS_IMPRESSIONS_DESKTOP_MAPS: 3,
  BUSINESS_IMPRESSIONS_DESKTOP_SEARCH: 11,
  BUSINESS_IMPRESSIONS_MOBILE_MAPS: 20,
  BUSINESS_IMPRESSIONS_MOBILE_SEARCH: 40,
  BUSINESS_DIRECTION_REQUESTS: 5,
  CALL_CLICKS: 2,
  WEBSITE_CLICKS: 7,
};
const DAY_MS = 86_400_000;
/** The days before today without values yet. */
const LAG_DAYS = 3;

function dateIn(query: URLSearchParams, name: string): number {
  const part = (unit: string) => Number(query.get(`dailyRange.${name}.${unit}`) ?? NaN);
  return Date.UTC(part('year'), part('month') - 1, part('day'));
}

/** locations.fetchMultiDailyMetricsTimeSeries, according to Google's discovery document. */
export function queryPerformance(query: URLSearchParams, now: Date): WireResponse {
  const metrics = query.getAll('dailyMetrics');
  const unknown = metrics.find((name) => DAILY[name] === undefined);
  if (metrics.length === 0 || unknown !== undefined)
    return badRequest(`Invalid value at 'daily_metrics': "${unknown ?? ''}"`);
  const [from, to] = [dateIn(query, 'startDate'), dateIn(query, 'endDate')];
  if (Number.isNaN(from) || Number.isNaN(to) || from > to) return badRequest('Invalid daily_range.');
  const last = Math.floor(now.getTime() / DAY_MS) * DAY_MS - LAG_DAYS * DAY_MS;
  const days: Date[] = [];
  for (let at = from; at <= Math.min(to, last); at += DAY_MS) days.push(new Date(at));
  return okResponse({
    multiDailyMetricTimeSeries: [
      {
        dailyMetricTimeSeries: metrics.map((dailyMetric) => ({
          dailyMetric,
          timeSeries: {
            datedValues: days.map((day) => ({
              date: { year: day.getUTCFullYear(), month: day.getUTCMonth() + 1, day: day.getUTCDate() },
              // Protocol buffers omit a zero in JSON.
              ...(DAILY[dailyMetric] !== 0 && { value: String(DAILY[dailyMetric]) }),
            })),
          },
        })),
      },
    ],
  });
}
