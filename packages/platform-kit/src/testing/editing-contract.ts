import { expect, test } from '@jest/globals';
import type { PublishedPart, PublishItem, Publishing } from '@switchboard/domain/ports';
import { discardReceipt } from './calls.js';
import type { ContractContext } from './contract-context.js';
import { imageOf } from './test-media.js';
import { lookupOf } from './world.js';

/** An edit replaces the content of a published part, may be repeated, and never creates a second post. */
export function editingContract(
  { platform, world, open, post, value, code }: ContractContext,
  publishing: Publishing,
): void {
  const edit = publishing.edit?.bind(publishing);
  const isEdited = publishing.isEdited?.bind(publishing);
  if (!edit) return;
  const { text: textFacts, title, media, thread, firstComment } = platform.manifest;
  const publish = async (item: PublishItem): Promise<PublishedPart> =>
    value(await publishing.publish(open(), item, discardReceipt));
  /** The item of an edit, as the service passes it: without the bytes of its media. */
  const withText = (item: PublishItem, text: string): PublishItem => ({
    ...item,
    text,
    media: [],
    card: null,
  });
  const shown = ({ externalId }: PublishedPart) => world().textOf(externalId);
  const edits = () => {
    const count = world().edits;
    if (!count) throw new Error('the world does not count edits, although its platform can edit');
    return count();
  };

  test('an edit replaces the text of a published post, and creates no other', async () => {
    const item = post('With a tpyo');
    const part = await publish(item);
    const [effects, made] = [world().effects(), edits()];
    const corrected = withText(item, 'Without a typo');
    if (isEdited) expect(value(await isEdited(open(), part, corrected))).toBe(false);
    expect(code(await edit(open(), part, corrected))).toBe('ok');
    expect(await shown(part)).toBe(publishing.finalText(corrected));
    if (isEdited) {
      expect(value(await isEdited(open(), part, corrected))).toBe(true);
      expect(value(await isEdited(open(), part, item))).toBe(false);
    }
    expect([world().effects(), edits()]).toEqual([effects, made + 1]);
  });

  test('an edit that is repeated succeeds and leaves the same post', async () => {
    const item = post('Once');
    const part = await publish(item);
    const effects = world().effects();
    const changed = withText(item, 'Twice');
    for (const _ of [1, 2]) expect(code(await edit(open(), part, changed))).toBe('ok');
    expect(await shown(part)).toBe(publishing.finalText(changed));
    expect(world().effects()).toBe(effects);
  });

  test('a text that the platform does not take is refused, and changes nothing', async () => {
    const item = post('Short enough');
    const part = await publish(item);
    const made = edits();
    const longer = withText(item, 'a'.repeat((textFacts?.max ?? 0) + 1));
    expect(code(await edit(open(), part, longer))).toBe('platform.refused');
    expect(await shown(part)).toBe(publishing.finalText(item));
    expect(edits()).toBe(made);
  });

  for (const how of ['500-after', 'reset-after-effect', '2xx-truncated', 'garbage'] as const) {
    test(`an edit whose response is lost to a ${how} has an unknown outcome, is found, and may be repeated`, async () => {
      if (how === 'garbage' && world().emptyEditResponse) return;
      const item = post(`Edit lost to ${how}`);
      const part = await publish(item);
      const effects = world().effects();
      const changed = withText(item, `Edited before ${how}`);
      world().break(how, world().requestsBefore?.edit);
      expect(code(await edit(open(), part, changed))).toBe('platform.outcome_unknown');
      expect(await shown(part)).toBe(publishing.finalText(changed));
      if (isEdited) expect(value(await isEdited(open(), part, changed))).toBe(true);
      expect(code(await edit(open(), part, changed))).toBe('ok');
      expect(await shown(part)).toBe(publishing.finalText(changed));
      expect(world().effects()).toBe(effects);
    });
  }

  test('an edit that was lost on the way is not found, and can be repeated', async () => {
    const item = post('Edit lost on the way');
    const part = await publish(item);
    const changed = withText(item, 'Sent again');
    world().break('reset-before-effect', world().requestsBefore?.edit);
    expect(code(await edit(open(), part, changed))).toBe('platform.outcome_unknown');
    expect(await shown(part)).toBe(publishing.finalText(item));
    if (isEdited) expect(value(await isEdited(open(), part, changed))).toBe(false);
    expect(code(await edit(open(), part, changed))).toBe('ok');
    expect(await shown(part)).toBe(publishing.finalText(changed));
  });

  async function deletePart(part: PublishedPart): Promise<void> {
    const { deletePost } = world();
    if (deletePost) deletePost(part.externalId);
    else if (publishing.remove) value(await publishing.remove(open(), part));
    else throw new Error('the world has no deletePost, and its platform removes nothing');
  }

  test('what was deleted is not edited, and not published again', async () => {
    const item = post('Deleted before its edit');
    const part = await publish(item);
    await deletePart(part);
    const [effects, made] = [world().effects(), edits()];
    expect(code(await edit(open(), part, withText(item, 'Too late')))).not.toBe('ok');
    expect([world().effects(), edits()]).toEqual([effects, made]);
  });

  test('what is deleted after an edit has looked at it is not reported as edited', async () => {
    const looks = world().requestsBefore?.edit ?? 0;
    if (looks === 0) return;
    const item = post('Deleted during its edit');
    const part = await publish(item);
    const effects = world().effects();
    const session = open();
    let requests = 0;
    const racing: typeof session = {
      ...session,
      async request(request) {
        const response = await session.request(request);
        requests += 1;
        if (requests === looks) await deletePart(part);
        return response;
      },
    };
    expect(code(await edit(racing, part, withText(item, 'Too late')))).not.toBe('ok');
    expect(requests).toBeGreaterThanOrEqual(looks);
    expect(world().effects()).toBe(effects);
  });

  const replies = [...(thread ? ['thread' as const] : []), ...(firstComment ? ['comment' as const] : [])];
  for (const kind of replies) {
    test(`a ${kind} is edited on its own`, async () => {
      const rootItem = post(`Above a ${kind}`);
      const root = await publish(rootItem);
      const item = post(`The ${kind}`, { kind, replyTo: { root, parent: root } });
      const reply = await publish(item);
      const changed = withText(item, `The other ${kind}`);
      if ((publishing.checkEdit?.(item, changed) ?? []).length > 0) return;
      expect(code(await edit(open(), reply, changed))).toBe('ok');
      expect(await shown(reply)).toBe(publishing.finalText(changed));
      expect(await shown(root)).toBe(publishing.finalText(rootItem));
      if (isEdited) expect(value(await isEdited(open(), reply, changed))).toBe(true);
    });
  }

  if (title) {
    test('an edit replaces the title, or is rejected before any request', async () => {
      const item = post('Below a title', { title: 'First title' });
      const part = await publish(item);
      const changed = { ...withText(item, item.text), title: 'Second title' };
      if ((publishing.checkEdit?.(item, changed) ?? []).length > 0) return;
      expect(code(await edit(open(), part, changed))).toBe('ok');
      expect(await lookupOf(world(), 'titleOf')(part.externalId)).toBe('Second title');
    });
  }

  const images = media?.images && !media.images.coverOnly ? media.images : null;
  const type = images?.types[0];
  if (images && type !== undefined) {
    test('an edit keeps the media, or is rejected before any request', async () => {
      const item = post('With an image', { media: [imageOf({ type })], mediaCount: 1 });
      const part = await publish(item);
      const mediaOf = lookupOf(world(), 'mediaOf');
      const before = await mediaOf(part.externalId);
      const changed = withText(item, 'With the same image');
      if ((publishing.checkEdit?.(item, changed) ?? []).length > 0) return;
      if (isEdited) expect(value(await isEdited(open(), part, changed))).toBe(false);
      expect(code(await edit(open(), part, changed))).toBe('ok');
      expect(await shown(part)).toBe(publishing.finalText(changed));
      expect(await mediaOf(part.externalId)).toEqual(before);
      if (isEdited) expect(value(await isEdited(open(), part, changed))).toBe(true);
    });
  }
}
