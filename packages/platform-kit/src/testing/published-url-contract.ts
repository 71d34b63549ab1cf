import { expect, test } from '@jest/globals';
import type { Publishing } from '@switchboard/domain/ports';
import { discardReceipt } from './calls.js';
import type { ContractContext } from './contract-context.js';

/** The ID and URL of a post may be reported later than it is published. */
export function publishedUrlContract(
  { platform, world, open, post, value, code }: ContractContext,
  publishing: Publishing,
): void {
  const locate = publishing.resolvePublishedUrl?.bind(publishing);
  const remove = publishing.remove?.bind(publishing);
  if (!locate) return;
  const delayUrls = (held: boolean) => {
    const { delayUrls } = world();
    if (!delayUrls) throw new Error('the world has no holdUrls, and its platform has a locate');
    delayUrls(held);
  };

  test('a post has no URL before the platform reports it, and is resolved afterwards', async () => {
    const item = post('Where am I?');
    delayUrls(true);
    try {
      const posted = value(await publishing.publish(open(), item, discardReceipt));
      expect(posted.url).toBeNull();
      expect(value(await locate(open(), posted))?.url ?? null).toBeNull();
      delayUrls(false);
      const located = value(await locate(open(), posted));
      if (!located) throw new Error('it is not located');
      expect(URL.canParse(located.url ?? '')).toBe(true);
      expect(await world().textOf(located.externalId)).toBe(publishing.finalText(item));
      const read = await platform.analytics?.ofPosts?.(open(), [located.externalId]);
      const numbers = read && value(read);
      expect(numbers?.has(located.externalId) ?? true).toBe(true);
      if (remove) expect(code(await remove(open(), located))).toBe('ok');
    } finally {
      delayUrls(false);
    }
  });
}
