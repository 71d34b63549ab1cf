import { expect, test } from '@jest/globals';
import { memorySocial, remoteAccount } from '../../testing/environment/memory-social.js';
import { createTestEnvironment } from '../../testing/environment/test-environment.js';
import type {
  AccountOptions,
  MediaRules,
  PlatformFailureCode,
  PublishOption,
  Quota,
  Result,
} from '../index.js';
import { ok, refuse } from '../index.js';
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

test('the platform’s facts are told of an account that says nothing itself, and it is not asked', async () => {
  const it = await scene();
  const { id } = await it.connect();
  it.doors.sessionResult = refuse('platform.unavailable', 'Nobody may come here.');
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

test('the limits of the account’s own server come before the platform’s', async () => {
  const it = await scene();
  const own = { ...media, max: 16 };
  const account = { ...remoteAccount('ada'), textLimits: { max: 5000, perLink: 23 }, mediaLimits: own };
  const { id } = await it.connect({ account });
  expect(await it.ask(id)).toMatchObject({ value: { text: { max: 5000 }, media: own } });
});

test('what the account says now comes before all, and what it does not speak of stays', async () => {
  const it = await scene(
    ok({ textLimits: { max: 7, perLink: 0 }, options: [{ ...board, choices }] }),
    ok([quota]),
  );
  const { id } = await it.connect();
  expect(await it.ask(id)).toMatchObject({
    value: { text: { max: 7 }, media, options: [{ ...board, choices }, loud], quotas: [quota] },
  });
});

test('of many choices those are told that were looked for, and no more than wanted, which is said', async () => {
  const many = [...choices, { value: 'recipe-2', label: 'Soups' }, { value: 'b3', label: 'Kilns' }];
  const it = await scene(ok({ options: [{ ...board, choices: many }] }));
  const { id } = await it.connect();
  const boards = async (more: Parameters<typeof it.ask>[1]) => {
    const told = await it.ask(id, more);
    const [first] = told.ok ? told.value.options : [];
    return [first?.choices?.map(({ value }) => value), first?.more];
  };
  expect(await boards({})).toEqual([['b1', 'recipe-2', 'b3'], undefined]);
  expect(await boards({ limit: 2 })).toEqual([['b1', 'recipe-2'], true]);
  expect(await boards({ limit: 3 })).toEqual([['b1', 'recipe-2', 'b3'], undefined]);
  expect(await boards({ query: 'RECIPE' })).toEqual([['b1', 'recipe-2'], undefined]);
  expect(await boards({ query: 'RECIPE', limit: 1 })).toEqual([['b1'], true]);
});

test('what is looked for is told to the platform, and takes nothing from choices that are its facts', async () => {
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

test('an account that has quotas and nothing else to say is asked for those', async () => {
  const it = await scene(undefined, ok([quota]));
  const { id } = await it.connect();
  expect(await it.ask(id)).toMatchObject({ value: { text: { max: 20 }, media, quotas: [quota] } });
});

test.each(['platform.unavailable', 'platform.rate_limited', 'platform.invalid_response'] as const)(
  'an account that cannot be asked (%s) is no account without options',
  async (code) => {
    for (const it of [await scene(refuse(code, 'Later.')), await scene(ok({}), refuse(code, 'Later.'))]) {
      const { id } = await it.connect();
      expect(await it.ask(id)).toMatchObject({ failure: { code } });
    }
  },
);

test('an account that must be connected again takes nothing now', async () => {
  const it = await scene();
  const { id } = await it.connect({ status: 'needs_reauth' });
  expect(await it.ask(id)).toMatchObject({ failure: { code: 'connection.needs_reauth' } });
});

test('a store is no account to post to', async () => {
  const { publishing: _publishing, ...store } = memorySocial().platform;
  const it = await createTestEnvironment([{ ...memorySocial(), platform: store }]);
  const { id } = await it.connect();
  expect(await getPublishingOptions(it.ports, it.call(), { id })).toMatchObject({
    failure: { code: 'post.no_targets' },
  });
});

test('malformed, missing and foreign connections, and those out of the key’s reach, are one answer', async () => {
  const it = await scene();
  const { id } = await it.connect();
  const missing = await it.ask('con_01kah3v5w8e2m6r9t0x4y7z1ab');
  expect(missing).toMatchObject({ failure: { code: 'connection.not_found' } });
  expect(await it.ask('nonsense')).toEqual(missing);
  const other = it.build.profile(it.workspace);
  const narrow = it.call({}, { profileIds: [other.id] });
  expect(await getPublishingOptions(it.ports, narrow, { id })).toEqual(missing);
});
