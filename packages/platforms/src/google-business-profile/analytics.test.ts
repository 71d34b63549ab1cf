import { afterEach, expect, test } from '@jest/globals';
import { noMetrics } from '@switchboard/domain/analytics';
import { fixtureReplay } from '@switchboard/platform-kit/testing/fixture-replay';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { analytics } from './analytics.js';
import { manifest } from './manifest.js';
import { startWorld } from './testing/world.js';

const google = fixtureReplay(import.meta.dirname, 'accounts/88/locations/777', [manifest.analyticsBaseUrl]);
let world: Awaited<ReturnType<typeof startWorld>> | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

test('views and actions are added up by day, an omitted zero counts, and a missing day is unknown', async () => {
  await google.start('performance');
  const session = google.session();
  const read = await analytics.ofDays?.(session, { from: '2026-10-30', to: '2026-11-02' });
  expect(read).toEqual({
    ok: true,
    value: [
      { date: '2026-10-30', metrics: { ...noMetrics, views: 10 + 20 + 30 + 40, clicks: 3 } },
      // One of the four kinds of views is not reported yet.
      { date: '2026-10-31', metrics: { ...noMetrics, views: null, clicks: 0 } },
    ],
  });
  const [request] = google.asked();
  expect(request?.path).toBe('/v1/locations/777:fetchMultiDailyMetricsTimeSeries');
  expect(request?.query.getAll('dailyMetrics')).toHaveLength(7);
  expect(request?.query.get('dailyRange.endDate.day')).toBe('2');
});

test('the last days, which Google does not report yet, are left out', async () => {
  world = await startWorld();
  const read = await analytics.ofDays?.(testSession(world), { from: '2026-11-15', to: '2026-11-21' });
  expect(read?.ok && read.value.map(({ date, metrics }) => [date, metrics.views, metrics.clicks])).toEqual([
    ['2026-11-15', 74, 14],
    ['2026-11-16', 74, 14],
    ['2026-11-17', 74, 14],
    ['2026-11-18', 74, 14],
  ]);
});
