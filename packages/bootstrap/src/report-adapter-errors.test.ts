import { expect, test } from '@jest/globals';
import { refuse } from '@switchboard/domain';
import type { Platform, Session } from '@switchboard/domain/ports';
import { catalog } from '@switchboard/platforms';
import { reportAdapterErrors } from './report-adapter-errors.js';

const session = {} as Session;
const store = catalog.find(({ orders, refunds }) => orders && refunds?.find) as Platform;

test('reports and rethrows what a store adapter throws', async () => {
  const bug = new TypeError('a bug');
  const thrown: unknown[] = [];
  const broken: Platform = {
    ...store,
    orders: {
      filters: store.orders?.filters ?? [],
      list: () => Promise.reject(bug),
      get: () => {
        throw bug;
      },
    },
  };
  const { orders } = reportAdapterErrors(broken, (error) => thrown.push(error));
  await expect(orders?.list(session, { sort: 'created_at' }, { limit: 1 })).rejects.toBe(bug);
  await expect(orders?.get(session, '1')).rejects.toBe(bug);
  expect(thrown).toEqual([bug, bug]);
});

test('a wrapped store keeps its abilities and gains none', () => {
  for (const platform of catalog) {
    const reported = reportAdapterErrors(platform, () => undefined);
    expect(Object.keys(reported)).toEqual(Object.keys(platform));
    expect(Object.keys(reported.orders ?? {})).toEqual(Object.keys(platform.orders ?? {}));
    expect(Object.keys(reported.refunds ?? {}).sort()).toEqual(Object.keys(platform.refunds ?? {}).sort());
  }
});

test('finding 20: an account that cannot be read is reported with its reason', async () => {
  const reasons: string[] = [];
  const message = 'Acme returned an invalid response (id: Invalid input).';
  const broken: Platform = {
    ...store,
    connecting: { identify: async () => refuse('platform.invalid_response', message) },
  };
  const { connecting } = reportAdapterErrors(
    broken,
    () => undefined,
    (reason) => reasons.push(reason),
  );
  expect(await connecting.identify(session)).toMatchObject({ failure: { message } });
  expect(reasons).toEqual([message]);
});
