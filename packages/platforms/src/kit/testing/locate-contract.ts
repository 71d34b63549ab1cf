import { expect, test } from '@jest/globals';
import type { Publishing } from '@switchboard/domain';
import { nothingKept } from './calls.js';
import type { Bench } from './bench.js';

/** What a post is called and where it is may be said later than it is published. */
export function locateContract(
  { platform, world, open, post, value, code }: Bench,
  publishing: Publishing,
): void {
  const locate = publishing.locate?.bind(publishing);
  const remove = publishing.remove?.bind(publishing);
  if (!locate) return;
  const hold = (held: boolean) => {
    const { holdUrls } = world();
    if (!holdUrls) throw new Error('the world has no holdUrls, and its platform has a locate');
    holdUrls(held);
  };

  test('a post has no URL before the platform tells it, and is located when it does', async () => {
    const item = post('Where am I?');
    hold(true);
    try {
      const posted = value(await publishing.publish(open(), item, nothingKept));
      expect(posted.url).toBeNull();
      expect(value(await locate(open(), posted))?.url ?? null).toBeNull();
      hold(false);
      const located = value(await locate(open(), posted));
      if (!located) throw new Error('it is not located');
      expect(URL.canParse(located.url ?? '')).toBe(true);
      expect(await world().textOf(located.externalId)).toBe(publishing.finalText(item));
      const numbers =
        platform.analytics && value(await platform.analytics.ofPosts(open(), [located.externalId]));
      expect(numbers?.has(located.externalId) ?? true).toBe(true);
      if (remove) expect(code(await remove(open(), located))).toBe('ok');
    } finally {
      hold(false);
    }
  });
}
