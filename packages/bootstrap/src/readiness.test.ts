import { expect, test } from '@jest/globals';
import { ok, refuse } from '@switchboard/domain';
import { readiness } from './readiness.js';

const nowhere = 'postgresql://nobody@127.0.0.1:9/none';

function asked() {
  const times = { database: 0, keyService: 0 };
  const ready = readiness({
    database: {
      directUrl: nowhere,
      ping: async () => void times.database++,
    },
    vault: { unlock: async () => refuse('vault.unavailable', 'Unavailable.') },
    masterKeys: {
      list: async () => {
        times.keyService++;
        return ok(['k1'] as const);
      },
    },
    dataKeys: { find: async () => null },
    mediaStore: { check: async () => 'ok' },
    notices: { state: () => 'listening' },
  });
  return { ready, times };
}

test('checks once for concurrent requests, and again for a later one', async () => {
  const { ready, times } = asked();
  const all = await Promise.all(Array.from({ length: 50 }, () => ready()));
  expect(new Set(all).size).toBe(1);
  expect(times).toEqual({ database: 1, keyService: 1 });
  await ready();
  expect(times).toEqual({ database: 2, keyService: 2 });
});

test('is not ready while a dependency is unavailable, and names it', async () => {
  const { ready } = asked();
  expect(await ready()).toEqual({
    ready: false,
    checks: { database: 'ok', schema: 'unreachable', vault: 'locked', media: 'ok', notices: 'ok' },
  });
});
