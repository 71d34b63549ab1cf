import { expect, test } from '@jest/globals';
import { ok, refuse } from '@switchboard/domain';
import { untilReady, type Progress } from './until-ready.js';

const { signal } = new AbortController();
const looks = (...seen: (Progress | null)[]) => {
  let at = 0;
  return { look: async () => ok(seen[at++] ?? null), looked: () => at };
};
const media = { name: 'Pictures', pausesMs: [0, 1, 1] };

test('is over as soon as it is ready', async () => {
  const { look, looked } = looks('processing', 'ready', 'processing');
  expect(await untilReady({ signal }, { ...media, look })).toEqual(ok());
  expect(looked()).toBe(2);
});

test('what takes longer is left to a later attempt, in a minute', async () => {
  const { look } = looks('processing', 'processing', 'processing', 'ready');
  expect(await untilReady({ signal }, { ...media, look })).toMatchObject({
    failure: { code: 'platform.unavailable', retryAfterSeconds: 60 },
  });
});

test('what is gone will not become ready', async () => {
  const { look, looked } = looks('processing', null, 'ready');
  expect(await untilReady({ signal }, { ...media, look })).toMatchObject({
    failure: { code: 'platform.unavailable' },
  });
  expect(looked()).toBe(2);
});

test('what failed is refused', async () => {
  const { look, looked } = looks('processing', 'failed', 'ready');
  expect(await untilReady({ signal }, { ...media, look })).toMatchObject({
    failure: { code: 'platform.refused', message: expect.stringContaining('Pictures') },
  });
  expect(looked()).toBe(2);
});

test('a refusal is the answer, and being called off ends the pause', async () => {
  const off = new AbortController();
  const no = refuse('platform.refused', 'No.');
  const answer = untilReady(off, { name: 'Pictures', pausesMs: [60_000], look: async () => no });
  off.abort();
  expect(await answer).toBe(no);
});
