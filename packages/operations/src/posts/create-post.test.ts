import { expect, test } from '@jest/globals';
import { openedDownload, memorySocial } from '@switchboard/domain/testing';
import { setupDispatch } from '../testing/setup-dispatch.js';
import createPost from './create-post.js';

const url = 'https://files.example/cat.png';
const media = {
  max: 1,
  mixed: false,
  required: false,
  images: { max: 1, types: ['image/png'], maxBytes: 500 },
  videos: null,
  documents: null,
  altTextMax: null,
  fetches: false,
} as const;

async function* image(): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode('image/png 640x480');
}

test('refuses media that is certain to fail before anything is stored, but repeats what was created', async () => {
  const it = await setupDispatch([memorySocial({ manifest: { media } })]);
  await it.connect();
  const { authorization } = await it.key(['posts:write']);
  const create = (idempotencyKey: string) =>
    it.call(createPost, { text: 'Hello', media: [{ url }] }, { authorization, idempotencyKey });
  expect(await create('one')).toMatchObject({
    status: 422,
    value: { code: 'post.invalid', errors: [{ path: 'media.0', code: 'media.fetch_failed' }] },
  });
  it.downloads.responses.set(url, () => openedDownload(image()));
  const created = await create('one');
  expect(created).toMatchObject({ status: 201 });
  it.downloads.responses.clear();
  const repeated = await create('one');
  expect(repeated).toMatchObject({ status: 201, replayed: true });
  expect(repeated.body()).toBe(created.body());
  expect(it.thrown).toEqual([]);
});
