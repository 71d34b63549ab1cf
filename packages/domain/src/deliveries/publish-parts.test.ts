import { describe, expect, test } from '@jest/globals';
import { memorySocial, type SimulatedOutcome } from '../../testing/environment/memory-social.js';
import { createTestEnvironment } from '../../testing/environment/test-environment.js';
import type { DeliveryId } from '../ids.js';
import { createPost } from '../posts/create-post.js';
import { deliver } from './deliver.js';
import type { DraftPost } from '../posts/draft-post.js';
import { readBackDelivery } from './read-back-delivery.js';
import { resolveDelivery } from './resolve-delivery.js';
import { retryPost } from './retry-post.js';
import { statusOf } from '../posts/post-status.js';
import { unpublishPost } from './unpublish-post.js';

const never = new AbortController().signal;
const five: Partial<DraftPost> = {
  text: 'One',
  thread: ['Two', 'Three', 'Four', 'Five'].map((text) => ({ text })),
};
const fine: SimulatedOutcome = { takesEffect: true, response: 'ok' };
/** The third request ends like this. */
const third = (ending: Partial<SimulatedOutcome>): SimulatedOutcome[] => [
  fine,
  fine,
  { takesEffect: false, response: 'ok', ...ending },
];

async function scene(draft: Partial<DraftPost> = five, endings: readonly SimulatedOutcome[] = []) {
  const social = memorySocial();
  social.publishOutcomes.push(...endings);
  const it = await createTestEnvironment([social]);
  await it.connect();
  const created = await it.atomic((ports) => createPost(ports, it.call(), { text: 'One', ...draft }));
  if (!created.ok) throw new Error(created.failure.code);
  const post = created.value;
  const id = post.deliveries[0]?.id as DeliveryId;
  const work = { workspaceId: it.workspace.id, deliveryId: id };
  const whole = async () => {
    const found = await it.repositories.posts.find(it.workspace.id, post.id);
    if (!found) throw new Error('a post is gone');
    return found;
  };
  const read = async () => {
    const [delivery] = (await whole()).deliveries;
    if (!delivery) throw new Error('a delivery is gone');
    return delivery;
  };
  return {
    ...it,
    social,
    post,
    id,
    read,
    deliver: () => deliver(it.ports, work, never),
    /** Runs all due work until nothing is due. */
    async settle() {
      for (let rounds = 0; rounds < 20; rounds++) {
        const { status, nextAttemptAt } = await read();
        if (!['pending', 'retrying', 'unknown', 'sending'].includes(status)) return;
        it.clock.advance(Math.max(0, (nextAttemptAt?.getTime() ?? 0) - it.clock.now().getTime()));
        if (status === 'sending') it.clock.advance(3_600_000);
        await (status === 'unknown' || status === 'sending' ? readBackDelivery : deliver)(
          it.ports,
          work,
          never,
        );
      }
    },
    status: async () => statusOf(await whole(), it.clock.now()),
    parts: async () => (await read()).parts.map(({ status }) => status),
    history: async () =>
      (await it.repositories.deliveries.listHistory(it.workspace.id, post.id)).map(
        ({ kind, outcome }) => `${kind} ${outcome}`,
      ),
  };
}
type Scene = Awaited<ReturnType<typeof scene>>;

const references = ({ id }: Scene) => [0, 1, 2, 3, 4].map((index) => `${id}.${index}`);

describe('a thread', () => {
  test('is published in order, each part as a reply to the previous one', async () => {
    const it = await scene();
    await it.deliver();
    expect(it.social.texts).toEqual(['One', 'Two', 'Three', 'Four', 'Five']);
    const [first, ...rest] = it.social.publishRequests;
    expect(first?.replyTo).toBeNull();
    const externalIds = references(it).map((reference) => `remote ${reference}`);
    expect(rest.map(({ replyTo }) => replyTo?.parent.externalId)).toEqual(externalIds.slice(0, -1));
    expect(new Set(rest.map(({ replyTo }) => replyTo?.root.externalId))).toEqual(new Set([externalIds[0]]));
    expect(await it.read()).toMatchObject({ status: 'published', externalId: externalIds[0], attempts: 1 });
    expect((await it.read()).parts.map(({ externalId }) => externalId)).toEqual(externalIds);
  });

  test('stores every part before the next is sent', async () => {
    const seen: string[][] = [];
    const it = await scene(five, []);
    for (let part = 0; part < 5; part++) {
      it.social.publishOutcomes.push({ ...fine, duringRequest: async () => seen.push(await it.parts()) });
    }
    await it.deliver();
    expect(seen.map((parts) => parts.filter((status) => status === 'published').length)).toEqual([
      0, 1, 2, 3, 4,
    ]);
    expect(await it.history()).toEqual([
      'attempt begun',
      ...Array.from({ length: 4 }, () => 'attempt part_published'),
      'attempt published',
    ]);
  });

  test.each<[string, Partial<SimulatedOutcome>]>([
    ['is lost before it arrives', { response: 'platform.outcome_unknown' }],
    ['takes effect without a response', { takesEffect: true, response: 'platform.outcome_unknown' }],
    ['is postponed', { response: 'platform.rate_limited', retryAfterSeconds: 90 }],
    ['crashes its worker', { response: 'throws' }],
    ['takes effect and crashes its worker', { takesEffect: true, response: 'throws' }],
  ])('whose third part %s continues there: every part once, in order (N43)', async (_, ending) => {
    const it = await scene(five, third(ending));
    await it.deliver().catch(() => undefined);
    expect((await it.parts()).slice(0, 3)).toEqual(['published', 'published', 'pending']);
    await it.settle();
    expect(it.social.published).toEqual(references(it));
    expect(await it.read()).toMatchObject({ status: 'published', error: null });
    expect(await it.status()).toBe('published');
  });

  test('whose third part is rejected has failed and is partially published; a retry sends only the rest', async () => {
    const it = await scene(five, third({ response: 'platform.refused' }));
    await it.settle();
    expect(await it.read()).toMatchObject({ status: 'failed', externalId: `remote ${it.id}.0` });
    expect(await it.status()).toBe('partially_published');
    await it.atomic((ports) => retryPost(ports, it.call(), { id: it.post.id }));
    await it.settle();
    expect(it.social.published).toEqual(references(it));
    expect(await it.status()).toBe('published');
  });

  test('that is partially published can be deleted, last part first', async () => {
    const it = await scene(five, third({ response: 'platform.refused' }));
    await it.settle();
    expect(await unpublishPost(it.ports, it.call(), { id: it.post.id })).toMatchObject({ ok: true });
    expect(it.social.removed).toEqual([`remote ${it.id}.1`, `remote ${it.id}.0`]);
    expect(await it.parts()).toEqual(['deleted', 'deleted', 'pending', 'pending', 'pending']);
    expect(await it.status()).toBe('deleted');
  });

  test('stops where another worker has claimed the delivery: only that worker writes', async () => {
    const it = await scene();
    const resolve = () =>
      it.atomic(async (tx) => {
        const { id, epoch } = await it.read();
        await tx.deliveries.settle([{ id, epoch, changes: { status: 'failed', epoch: epoch + 1 } }]);
        return { ok: true, value: undefined };
      });
    it.social.publishOutcomes.push(fine, { ...fine, duringRequest: resolve });
    await it.deliver();
    expect(it.social.texts).toEqual(['One', 'Two']);
    expect(await it.read()).toMatchObject({ status: 'failed', epoch: 2 });
    expect((await it.parts()).slice(0, 2)).toEqual(['published', 'pending']);
  });

  test('with an unknown outcome that a person resolves as published is complete, with the URL of the uncertain part', async () => {
    const it = await scene(five, third({ response: 'platform.outcome_unknown' }));
    await it.deliver();
    const url = 'https://social.example/three';
    const decision = {
      id: it.post.id,
      deliveryId: it.id,
      outcome: 'published',
      url,
      note: 'I looked.',
    } as const;
    await it.atomic((ports) => resolveDelivery(ports, it.call(), decision));
    const { parts, ...delivery } = await it.read();
    expect(delivery).toMatchObject({ status: 'published', url: `https://social.example/${it.id}.0` });
    expect(parts[2]).toMatchObject({ status: 'published', url });
    expect(new Set(parts.map(({ status }) => status))).toEqual(new Set(['published']));
  });
});

test('a first comment replies to the post itself, after its thread', async () => {
  const it = await scene({ thread: [{ text: 'Two' }], firstComment: { text: 'Links below' } });
  await it.deliver();
  expect(it.social.publishRequests.map(({ kind, text }) => [kind, text])).toEqual([
    ['post', 'One'],
    ['thread', 'Two'],
    ['comment', 'Links below'],
  ]);
  expect(it.social.publishRequests[2]?.replyTo?.parent.externalId).toBe(`remote ${it.id}.0`);
});

test('a saved receipt is stored before its request, and available to every later read-back and attempt', async () => {
  const remembers = { container: 'c 1' };
  const it = await scene({}, [
    { takesEffect: false, response: 'platform.unavailable', savesReceipt: remembers },
  ]);
  await it.deliver();
  expect((await it.read()).parts[0]).toMatchObject({ status: 'pending', receipt: remembers });
  await it.settle();
  expect(it.social.publishRequests.map(({ receipt }) => receipt)).toEqual([{}, remembers]);
});

test('nothing is sent when the claim was lost while the receipt was saved', async () => {
  const it = await scene({}, [{ ...fine, savesReceipt: { container: 'c 1' } }]);
  const { deliveries } = it.repositories;
  const late = { ...it.ports.transactions };
  const ports = {
    ...it.ports,
    transactions: {
      run: (async (work) =>
        late.run(async (tx) =>
          work({ ...tx, deliveries: { ...tx.deliveries, recordParts: async () => false } }),
        )) as typeof late.run,
    },
  };
  await deliver(ports, { workspaceId: it.workspace.id, deliveryId: it.id }, never);
  expect(it.social.published).toEqual([]);
  expect(await deliveries.find(it.workspace.id, it.id)).toMatchObject({ status: 'unknown' });
});
