import { describe, expect, test } from '@jest/globals';
import { createTestEnvironment } from '../../testing/environment/test-environment.js';
import { createPosts } from './create-posts.js';
import type { DraftPost } from './draft-post.js';

async function scene() {
  const it = await createTestEnvironment();
  const connection = await it.connect();
  const create = (...posts: DraftPost[]) => it.atomic((ports) => createPosts(ports, it.call(), { posts }));
  const stored = async () =>
    (
      await it.repositories.posts.list(it.workspace.id, { reach: null, sort: '-created_at' }, { limit: 100 })
    ).items.map(({ text }) => text);
  return { ...it, connection, create, stored };
}

test('all are stored, each with its event, and wake the worker once', async () => {
  const it = await scene();
  const scheduledAt = it.clock.after(3_600_000).toISOString();
  const created = await it.create(
    { text: 'One' },
    { text: 'Two', scheduledAt },
    { text: 'Three', draft: true },
  );
  expect(created.ok && created.value.map(({ text }) => text)).toEqual(['One', 'Two', 'Three']);
  expect(await it.stored()).toEqual(['Three', 'Two', 'One']);
  expect(it.jobs()).toHaveLength(1);
  expect(it.events().map(({ type }) => type)).toEqual([
    'post.created',
    'post.created',
    'post.scheduled',
    'post.created',
  ]);
});

describe('nothing is stored', () => {
  test('when some are invalid, and every problem is reported with its path', async () => {
    const it = await scene();
    const refused = await it.create(
      { text: 'Fine' },
      { text: 'x'.repeat(21) },
      { text: 'Fine', targets: [{ connectionId: it.connection.id, text: 'y'.repeat(22) }] },
    );
    expect(refused).toMatchObject({ failure: { code: 'post.invalid' } });
    expect(!refused.ok && refused.failure.problems?.map(({ path, code }) => [path, code])).toEqual([
      ['posts.1.text', 'text.too_long'],
      ['posts.2.targets.0.text', 'text.too_long'],
    ]);
    expect([await it.stored(), it.jobs(), it.events()]).toEqual([[], [], []]);
  });

  test('when one names a missing resource, which is reported before invalid posts', async () => {
    const it = await scene();
    const refused = await it.create(
      { text: 'x'.repeat(21) },
      { text: 'Fine', targets: [{ connectionId: it.ids.next('con') }] },
    );
    expect(refused).toMatchObject({ failure: { code: 'connection.not_found' } });
    expect(!refused.ok && refused.failure.problems?.map(({ path }) => path)).toEqual([
      'posts.0.text',
      'posts.1',
    ]);
    expect(await it.stored()).toEqual([]);
  });

  test('when one duplicates another of the same batch', async () => {
    const it = await scene();
    const refused = await it.create({ text: 'Same' }, { text: 'Same' });
    expect(refused).toMatchObject({
      failure: { code: 'post.possible_duplicate', problems: [{ path: 'posts.1' }] },
    });
    // The other one is rolled back, too: it cannot be read (finding 45).
    expect(refused).not.toHaveProperty('failure.next');
    expect(refused).not.toHaveProperty('failure.details');
    expect(!refused.ok && refused.failure.message).toContain('posts.0');
    expect(await it.stored()).toEqual([]);
    expect(await it.create({ text: 'Same' }, { text: 'Same', allowDuplicate: true })).toMatchObject({
      ok: true,
    });
  });
});
