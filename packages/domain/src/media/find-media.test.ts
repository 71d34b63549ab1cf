import { beforeEach, expect, test } from '@jest/globals';
import { unrestrictedPolicy } from '../access/policy.js';
import type { Call } from '../call.js';
import { nextCall } from '../next-call.js';
import type { NewMedia } from '../ports/index.js';
import { createTestEnvironment, type TestEnvironment } from '../../testing/index.js';
import { addMediaFromUrl } from './add-media-from-url.js';
import { findReachableMedia } from './find-media.js';

let scene: TestEnvironment;
beforeEach(async () => {
  scene = await createTestEnvironment();
});

const store = async (media: NewMedia) => {
  await scene.repositories.media.insert(media);
  return media;
};
const find = (id: string, call = scene.call()) => findReachableMedia(scene.ports, call, id);
const missing = {
  ok: false,
  failure: {
    code: 'media.not_found',
    message: 'There is no media with this id in your workspace.',
    next: nextCall.listMedia(),
  },
};
/** A call of a key that is restricted to the profile. */
const bound = (lineage: string): Call => {
  const key = scene.key({
    lineage,
    policy: { ...unrestrictedPolicy, profileIds: [scene.profile.id] },
  });
  return scene.call({ actor: { kind: 'key', key } });
};

test('malformed, missing and foreign media, and that of another family for a restricted key, get the same refusal', async () => {
  const other = scene.build.workspace();
  await scene.repositories.workspaces.insert(other);
  const foreign = await store(scene.build.media(other));
  for (const id of ['', 'med_1', scene.ids.next('med'), scene.ids.next('pst'), foreign.id])
    expect(await find(id)).toEqual(missing);

  const media = await store(scene.build.media(scene.workspace, { lineage: 'key_a' }));
  expect((await find(media.id, bound('key_a'))).ok).toBe(true);
  expect(await find(media.id, bound('key_b'))).toEqual(missing);
  expect((await find(media.id)).ok).toBe(true);
});

test('media from a URL exists at once and belongs to the family of the calling key', async () => {
  const url = 'https://files.example/cat.png?size=large';
  const added = await scene.atomic((ports) =>
    addMediaFromUrl(ports, bound('key_a'), { url, altText: 'A cat' }),
  );
  if (!added.ok) throw new Error(added.failure.code);
  expect(added.value).toMatchObject({
    status: 'processing',
    sourceUrl: url,
    lineage: 'key_a',
    altText: 'A cat',
    file: null,
  });
  expect(await scene.repositories.media.find(scene.workspace.id, added.value.id)).toEqual(added.value);
});

test.each([
  '',
  'cat.png',
  '//files.example/cat.png',
  'ftp://files.example/cat.png',
  'file:///etc/passwd',
  'data:image/png;base64,AAAA',
  'https://ada@files.example/cat.png',
  'https://ada:secret@files.example/cat.png',
  `https://files.example/${'a'.repeat(2048)}`,
])('%.40p is rejected as a download URL', async (url) => {
  expect(await scene.atomic((ports) => addMediaFromUrl(ports, scene.call(), { url }))).toMatchObject({
    ok: false,
    failure: { code: 'media.url_invalid' },
  });
  expect(
    (await scene.repositories.media.list(scene.workspace.id, { lineage: null }, { limit: 9 })).items,
  ).toEqual([]);
});
