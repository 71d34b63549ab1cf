import { expect, test } from '@jest/globals';
import { ok, refuse } from '@switchboard/domain';
import { waitUntilReady, type ProcessingState } from './wait-until-ready.js';

const { signal } = new AbortController();
const polls = (...seen: (ProcessingState | null)[]) => {
  let at = 0;
  return { look: async () => ok(seen[at++] ?? null), looked: () => at };
};
const media = { name: 'Images', delaysMs: [0, 1, 1] };

test('ends as soon as it is ready', async () => {
  const { look, looked } = polls('processing', 'ready', 'processing');
  expect(await waitUntilReady({ signal }, { ...media, look })).toEqual(ok());
  expect(looked()).toBe(2);
});

test('leaves longer processing to a later attempt, in a minute', async () => {
  const { look } = polls('processing', 'processing', 'processing', 'ready');
  expect(await waitUntilReady({ signal }, { ...media, look })).toMatchObject({
    failure: { code: 'platform.unavailable', retryAfterSeconds: 60 },
  });
});

test('a missing file never becomes ready', async () => {
  const { look, looked } = polls('processing', null, 'ready');
  expect(await waitUntilReady({ signal }, { ...media, look })).toMatchObject({
    failure: { code: 'platform.unavailable' },
  });
  expect(looked()).toBe(2);
});

test('failed processing is a refusal', async () => {
  const { look, looked } = polls('processing', 'failed', 'ready');
  expect(await waitUntilReady({ signal }, { ...media, look })).toMatchObject({
    failure: { code: 'platform.refused', message: expect.stringContaining('Images') },
  });
  expect(looked()).toBe(2);
});

test('returns a refusal, and an abort ends the delay', async () => {
  const off = new AbortController();
  const no = refuse('platform.refused', 'No.');
  const response = waitUntilReady(off, { name: 'Images', delaysMs: [60_000], look: async () => no });
  off.abort();
  expect(await response).toBe(no);
});
