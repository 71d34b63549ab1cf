import { expect, test } from '@jest/globals';
import type { PublishedPart, Publishing, Session } from '@switchboard/domain/ports';
import { discardReceipt } from './calls.js';
import type { ContractContext } from './contract-context.js';

/** Whether a published part still exists: only the platform's own response may say that it was removed. */
export function existenceContract(
  { platform, world, open, post, value, code }: ContractContext,
  publishing: Publishing,
): void {
  const exists = publishing.exists?.bind(publishing);
  if (!exists) return;
  const publish = async (text: string, replyTo: PublishedPart | null = null, kind?: 'thread' | 'comment') => {
    const reply = replyTo && { replyTo: { root: replyTo, parent: replyTo } };
    const item = post(text, { ...reply, ...(kind && { kind }) });
    return value(await publishing.publish(open(), item, discardReceipt));
  };
  const deleteAtPlatform = async (part: PublishedPart) => {
    const { deletePost } = world();
    if (deletePost) return deletePost(part.externalId);
    if (!publishing.remove) throw new Error('the world has no deletePost, and its platform removes nothing');
    value(await publishing.remove(open(), part));
  };
  /** True or false where it is certain, otherwise the code of the failure. */
  const outcomeOf = async (part: PublishedPart, session = open()) => {
    const result = await exists(session, part);
    return result.ok ? result.value : code(result);
  };
  const removed = () => (world().removalUnproven === undefined ? false : 'platform.outcome_unknown');

  test('a published post exists, until it is deleted at the platform', async () => {
    const [deleted, stored] = [await publish('Not for long'), await publish('For long')];
    expect(await outcomeOf(deleted)).toBe(true);
    await deleteAtPlatform(deleted);
    expect(await outcomeOf(deleted)).toBe(removed());
    expect(await outcomeOf(stored)).toBe(true);
  });

  const { thread, firstComment } = platform.manifest;
  for (const kind of [
    ...(thread ? ['thread' as const] : []),
    ...(firstComment ? ['comment' as const] : []),
  ]) {
    test(`a ${kind} exists, until it is deleted at the platform`, async () => {
      const root = await publish(`With a ${kind}`);
      const reply = await publish(`The ${kind}`, root, kind);
      expect(await outcomeOf(reply)).toBe(true);
      await deleteAtPlatform(reply);
      const certain =
        kind === 'comment' && world().commentRemovalUnproven ? 'platform.outcome_unknown' : removed();
      expect(await outcomeOf(reply)).toBe(certain);
      expect(await outcomeOf(root)).toBe(true);
    });
  }

  test('no response of another server, such as a proxy in between, says that a post was removed', async () => {
    const part = await publish('Behind a proxy');
    for (const status of [400, 403, 404, 410]) {
      expect([status, await outcomeOf(part, withForeignResponses(open(), status))]).not.toEqual([
        status,
        false,
      ]);
    }
  });
}

const withForeignResponses = (session: Session, status: number): Session => ({
  ...session,
  request: async () => ({
    ok: true,
    value: {
      status,
      ok: false,
      headers: { 'content-type': 'text/html' },
      body: new TextEncoder().encode('<h1>Not Found</h1>'),
      json: undefined,
    },
  }),
});
