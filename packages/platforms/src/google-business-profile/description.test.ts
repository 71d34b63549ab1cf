import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { publishedTypesValidator } from '@switchboard/simulators';
import { testSession } from '@switchboard/platform-kit/testing/session';
import googleBusinessProfile from './index.js';
import { startWorld } from './testing/world.js';

/** Google publishes no description of version 4, so posts are compared with its documentation only (NOTES.md). */
const described: Readonly<Record<string, readonly [query: string, answered: string]>> = {
  '/v1/accounts': ['a.Params$Resource$Accounts$List', 'a.Schema$ListAccountsResponse'],
  '/v1/accounts/:id/locations': [
    'i.Params$Resource$Accounts$Locations$List',
    'i.Schema$ListLocationsResponse',
  ],
  '/v1/locations/:id:fetchMultiDailyMetricsTimeSeries': [
    'p.Params$Resource$Locations$Fetchmultidailymetricstimeseries',
    'p.Schema$FetchMultiDailyMetricsTimeSeriesResponse',
  ],
  '/v1/locations/:id': ['i.Params$Resource$Locations$Get', 'i.Schema$Location'],
};
const judge = publishedTypesValidator(path.join(import.meta.dirname, '../../node_modules'), [
  "import type { mybusinessaccountmanagement_v1 as a } from '@googleapis/mybusinessaccountmanagement/build/v1';",
  "import type { businessprofileperformance_v1 as p } from '@googleapis/businessprofileperformance/build/v1';",
  "import type { mybusinessbusinessinformation_v1 as i } from '@googleapis/mybusinessbusinessinformation/build/v1';",
]);

/** Converts query strings to the types of the description. */
const typed = (query: URLSearchParams): Record<string, unknown> =>
  Object.fromEntries(
    [...query].map(([name, value]): [string, unknown] => {
      if (name === 'dailyMetrics') return [name, query.getAll(name)];
      return [name, /^pageSize$|^dailyRange/.test(name) ? Number(value) : value];
    }),
  );

let world: Awaited<ReturnType<typeof startWorld>>;
beforeAll(async () => {
  world = await startWorld();
  const { analytics, connecting } = googleBusinessProfile;
  await connecting.identify(testSession({ ...world, account: { ...world.account, id: '' } }));
  await connecting.identify(testSession(world));
  await analytics?.ofDays?.(testSession(world), { from: '2026-11-01', to: '2026-11-07' });
});
afterAll(() => world.close());

test('Google’s published types describe every request and every response of the simulator', () => {
  const requested = world.exchanges().map(({ request, answer }) => ({
    place: request.path.replace(/\/\d+(?=[/:]|$)/g, '/:id'),
    query: typed(request.query),
    answered: answer.json,
  }));
  const values = requested.flatMap(({ place, query, answered }) => {
    const [params = '', response = ''] = described[place] ?? [];
    return [[params, query] as const, [response, answered] as const];
  });
  expect(judge(values)).toEqual([]);
  expect([...new Set(requested.map(({ place }) => place))].sort()).toEqual(Object.keys(described).sort());
}, 60_000);

test('the validator rejects an undocumented request', () => {
  expect(judge([['i.Schema$Location', { name: 'locations/1', title: 'Kiln' }]])).toEqual([]);
  expect(judge([['i.Schema$Location', { name: 'locations/1', locationName: 'Kiln' }]])).toHaveLength(1);
  expect(judge([['a.Params$Resource$Accounts$List', { page_size: 20 }]])).toHaveLength(1);
}, 60_000);
