import { expect, test } from '@jest/globals';
import { memorySocial, type MemorySocial } from '../../testing/environment/memory-social.js';
import { chunksOf } from '../../testing/environment/fake-media.js';
import { createTestEnvironment } from '../../testing/environment/test-environment.js';
import type { MediaRules } from '../connections/connection.js';
import type { LinkCard } from '../ports/index.js';
import { storeMedia } from '../media/store-media.js';
import { createPost } from '../posts/create-post.js';
import { deliver } from './deliver.js';
import type { DraftPost } from '../posts/draft-post.js';

const link = 'https://example.com/a';
const card: LinkCard = { url: link, title: 'A page', description: 'Words', image: null };
const media: MediaRules = {
  max: 1,
  mixed: false,
  required: false,
  images: { max: 1, types: ['image/png'], maxBytes: 500 },
  videos: null,
  documents: null,
  altTextMax: null,
  fetches: false,
};

/** Publishes at a platform, and returns its input and the pages that were requested. */
async function posted(social: MemorySocial, draft: DraftPost) {
  const it = await createTestEnvironment([social]);
  await it.connect();
  it.linkPreviews.pages.set(link, card);
  const stored = await storeMedia(it.ports, chunksOf('image/png 10x10'), it.mediaOptions);
  if (!stored.ok) throw new Error(stored.failure.code);
  const image = it.build.media(it.workspace, { file: stored.value });
  await it.repositories.media.insert(image);
  const withImage = draft.media ? { ...draft, media: [{ mediaId: image.id }] } : draft;
  const created = await it.atomic((ports) => createPost(ports, it.call(), withImage));
  const delivery = created.ok ? created.value.deliveries[0] : undefined;
  if (!delivery) throw new Error('nothing was created');
  const work = { workspaceId: it.workspace.id, deliveryId: delivery.id };
  await deliver(it.ports, work, new AbortController().signal);
  return { cards: social.publishRequests.map((item) => item.card), pages: it.linkPreviews.requestedUrls };
}

const text = { max: 100, unit: 'characters', required: true };
const withCards = () => memorySocial({ manifest: { linkCards: true, media, text } });

test('a platform with cards receives the metadata of the linked page', async () => {
  expect(await posted(withCards(), { text: 'Read', link })).toEqual({ cards: [card], pages: [link] });
});

test('a page without metadata does not prevent publishing', async () => {
  const other = 'https://example.com/b';
  expect(await posted(withCards(), { text: 'Read', link: other })).toEqual({ cards: [null], pages: [other] });
});

test('only the part with the link has a card', async () => {
  const draft = { text: 'Read', link, thread: [{ text: 'And?' }], firstComment: { text: 'Oh.' } };
  expect(await posted(withCards(), draft)).toEqual({ cards: [card, null, null], pages: [link] });
});

test('no page is requested for a part with media, or for a platform without cards', async () => {
  expect(await posted(withCards(), { text: 'Look', link, media: [] })).toEqual({ cards: [null], pages: [] });
  const without = memorySocial({ manifest: { media, text } });
  expect(await posted(without, { text: 'Read', link })).toEqual({ cards: [null], pages: [] });
});
