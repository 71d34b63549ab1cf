import { expect, test } from '@jest/globals';
import { memorySocial, remoteAccount } from '../../testing/environment/memory-social.js';
import { createTestEnvironment } from '../../testing/environment/test-environment.js';
import type { MediaRules } from '../connections/connection.js';
import { refuse } from '../failure.js';
import type { AccountOptions, PlatformFailureCode, PublishOption, Quota } from '../ports/index.js';
import { type Result, ok } from '../result.js';

import { getPublishingOptions } from './get-publishing-options.js';

const media: MediaRules = {
  max: 4,
  mixed: false,
  required: false,
  images: { max: 4, types: ['image/png'], maxBytes: 1000 },
  videos: null,
  documents: null,
  altTextMax: null,
  fetches: false,
};
const board: PublishOption = { name: 'board', label: 'Board', type: 'choice', required: true };
const loud: PublishOption = { name: 'loud', label: 'Loud', type: 'boolean', required: false };
const choices = [{ value: 'b1', label: 'Recipes' }];
const quota: Quota = { name: 'posts', used: 3, limit: 25, resetsAt: null, usedBy: ['post'] };

async function scene(
  response?: Result<AccountOptions, PlatformFailureCode>,
  left?: Result<readonly Quota[], PlatformFailureCode>,
) {
  const social = memorySocial({
    manifest: { media, options: [board, loud] },
    ...(response && { options: async () => response }),
    ...(left && { quotas: async () => left }),
  });
  const it = await createTestEnvironment([social]);
  const ask = (id: string, more: { query?: string; limit?: number } = {}) =>
    getPublishingOptions(it.ports, it.call(), { id, ...more });
  return { ...it, ask };
}

test('an account without options of its own gets the platform’s facts, and is not queried', async () => {
  const it = await scene();
  const { id } = await it.connect();
  it.doors.sessionResult = refuse('platform.unavailable', 'Not available.');
  expect(await it.ask(id)).toEqual(
    ok({
      text: { max: 20, unit: 'characters' },
      media,
      options: [board, loud],
      quotas: [],
      asOf: expect.any(Date),
    }),
  );
});

test('the limits of the account’s own server take precedence over the platform’s', async () => {
  const it = await scene();
  const own = { ...media, max: 16 };
  const account = { ...remoteAccount('ada'), textLimits: { max: 5000, perLink: 23 }, mediaLimits: own };
  const { id } = await it.connect({ account });
  expect(await it.ask(id)).toMatchObject({ value: { text: { max: 5000 }, media: own } });
});

test('the account’s current options take precedence over all, and omitted ones stay', async () => {
  const it = await scene(
    ok({ textLimits: { max: 7, perLink: 0 }, options: [{ ...board, choices }] }),
    ok([quota]),
  );
  const { id } = await it.connect();
  expect(await it.ask(id)).toMatchObject({
    value: { text: { max: 7 }, media, options: [{ ...board, choices }, loud], quotas: [quota] },
  });
});

test('a query filters the choices, up to the limit, and reports that more exist', async () => {
  const many = [...choices, { value: 'recipe-2', label: 'Soups' }, { value: 'b3', label: 'Kilns' }];
  const it = await scene(ok({ options: [{ ...board, choices: many }] }));
  const { id } = await it.connect();
  const boards = async (more: Parameters<typeof it.ask>[1]) => {
    const result = await it.ask(id, more);
    const [first] = result.ok ? result.value.options : [];
    return [first?.choices?.map(({ value }) => value), first?.more];
  };
  expect(await boards({})).toEqual([['b1', 'recipe-2', 'b3'], undefined]);
  expect(await boards({ limit: 2 })).toEqual([['b1', 'recipe-2'], true]);
  expect(await boards({ limit: 3 })).toEqual([['b1', 'recipe-2', 'b3'], undefined]);
  expect(await boards({ query: 'RECIPE' })).toEqual([['b1', 'recipe-2'], undefined]);
  expect(await boards({ query: 'RECIPE', limit: 1 })).toEqual([['b1'], true]);
});

test('the query is passed to the platform, and does not filter choices from the manifest', async () => {
  const asked: (string | undefined)[] = [];
  const tone = { ...loud, name: 'tone', type: 'choice', choices } as const;
  const social = memorySocial({
    manifest: { media, options: [board, tone] },
    options: async (_session, query) => {
      asked.push(query);
      return ok({ options: [{ ...board, choices, more: true }] });
    },
  });
  const it = await createTestEnvironment([social]);
  const { id } = await it.connect();
  expect(await getPublishingOptions(it.ports, it.call(), { id, query: 'kilns' })).toMatchObject({
    value: { options: [{ name: 'board', choices: [], more: true }, tone] },
  });
  expect(asked).toEqual(['kilns']);
});

test('an account with only quotas is queried for those', async () => {
  const it = await scene(undefined, ok([quota]));
  const { id } = await it.connect();
  expect(await it.ask(id)).toMatchObject({ value: { text: { max: 20 }, media, quotas: [quota] } });
});

test.each(['platform.unavailable', 'platform.rate_limited', 'platform.invalid_response'] as const)(
  'an account that cannot be queried (%s) is a failure, not an account without options',
  async (code) => {
    for (const it of [await scene(refuse(code, 'Later.')), await scene(ok({}), refuse(code, 'Later.'))]) {
      const { id } = await it.connect();
      expect(await it.ask(id)).toMatchObject({ failure: { code } });
    }
  },
);

test('an account that must be reconnected accepts nothing now', async () => {
  const it = await scene();
  const { id } = await it.connect({ status: 'needs_reauth' });
  expect(await it.ask(id)).toMatchObject({ failure: { code: 'connection.needs_reauth' } });
});

test('a store does not support publishing', async () => {
  const { publishing: _publishing, ...store } = memorySocial().platform;
  const it = await createTestEnvironment([{ ...memorySocial(), platform: store }]);
  const { id } = await it.connect();
  expect(await getPublishingOptions(it.ports, it.call(), { id })).toMatchObject({
    failure: { code: 'post.no_targets' },
  });
});

test('malformed, missing, foreign and unreachable connections get the same refusal', async () => {
  const it = await scene();
  const { id } = await it.connect();
  const missing = await it.ask('con_01kah3v5w8e2m6r9t0x4y7z1ab');
  expect(missing).toMatchObject({ failure: { code: 'connection.not_found' } });
  expect(await it.ask('nonsense')).toEqual(missing);
  const other = it.build.profile(it.workspace);
  const narrow = it.call({}, { profileIds: [other.id] });
  expect(await getPublishingOptions(it.ports, narrow, { id })).toEqual(missing);
});
