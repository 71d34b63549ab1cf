import { describe, expect, test } from '@jest/globals';
import { memorySocial } from '../../testing/stage/memory-social.js';
import { stage } from '../../testing/stage/stage.js';
import { price } from '../price.js';
import type { DraftPost } from './draft-post.js';
import { validatePost } from './validate-post.js';

describe('what a post costs', () => {
  const perPost = price(15_000, 'USD');
  const withLink = price(200_000, 'USD');
  const dear = memorySocial({ cost: ({ link }) => (link === null ? perPost : withLink) });

  async function costs(social: ReturnType<typeof memorySocial>, draft: DraftPost) {
    const it = await stage([social]);
    await it.connect();
    const validated = await validatePost(it.ports, it.call(), draft);
    if (!validated.ok) throw new Error(validated.failure.code);
    return validated.value.targets.map(({ cost }) => cost);
  }

  test('is the sum over its parts, each by what it says', async () => {
    expect(await costs(dear, { text: 'One' })).toEqual([perPost]);
    const thread = [{ text: 'Two' }, { text: 'Three' }];
    expect(await costs(dear, { text: 'One', thread })).toEqual([price(45_000, 'USD')]);
    const long = { text: 'One', link: 'https://a', thread, firstComment: { text: 'Four' } };
    expect(await costs(dear, long)).toEqual([price(245_000, 'USD')]);
  });

  test('is unsaid where the platform takes nothing', async () => {
    expect(await costs(memorySocial(), { text: 'One' })).toEqual([null]);
    expect(await costs(memorySocial({ cost: () => null }), { text: 'One' })).toEqual([null]);
  });
});
