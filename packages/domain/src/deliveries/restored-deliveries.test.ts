import { expect, test } from '@jest/globals';
import { memorySocial } from '../../testing/environment/memory-social.js';
import { createTestEnvironment } from '../../testing/environment/test-environment.js';
import type { DeliveryId } from '../ids.js';
import { deliver } from './deliver.js';
import type { Delivery } from './delivery.js';
import { nextPart, publishItemOf } from './publish-item.js';
import { readBackDelivery } from './read-back-delivery.js';
import { resolveDelivery } from './resolve-delivery.js';
import { retryPost } from './retry-post.js';

const never = new AbortController().signal;
const MINUTE_MS = 60_000;

/** A delivery of a backup, of whose original nothing else is known. */
async function restored({ readBack = true, parts = 1, minutesAgo = 0, isOverdue = true } = {}) {
  const social = memorySocial({ readBack });
  const at = await createTestEnvironment([social]);
  const connection = await at.connect();
  const restoredAt = at.clock.after(-minutesAgo * MINUTE_MS);
  const scheduledAt = new Date(restoredAt.getTime() + (isOverdue ? -1 : 1));
  at.clock.advance(1);
  const post = at.build.post(
    at.profile,
    [connection],
    {},
    {
      restoredAt,
      scheduledAt,
      notAfter: at.clock.after(360 * MINUTE_MS),
      parts: Array.from({ length: parts }, (_, index) =>
        at.build.part({ index, kind: index === 0 ? 'post' : 'thread', text: `Part ${index}` }),
      ),
    },
  );
  await at.repositories.posts.insert(post);
  const id = post.deliveries[0]?.id as DeliveryId;
  const task = { workspaceId: at.workspace.id, deliveryId: id };
  const read = async () => (await at.repositories.deliveries.find(at.workspace.id, id)) as Delivery;
  return {
    ...at,
    social,
    post,
    id,
    read,
    /** What a worker does until nothing is due at once. */
    async work() {
      for (let epoch = -1; epoch !== (await read()).epoch;) {
        ({ epoch } = await read());
        await deliver(at.ports, task, never);
        const { status, nextAttemptAt } = await read();
        const isDue = (nextAttemptAt?.getTime() ?? 0) <= at.clock.now().getTime();
        if (status !== 'unknown' || isDue) await readBackDelivery(at.ports, task, never);
      }
    },
    untilDue: async () => {
      const dueMs = (await read()).nextAttemptAt?.getTime() ?? 0;
      at.clock.advance(Math.max(0, dueMs - at.clock.now().getTime()));
    },
    /** The original published this part after the backup. */
    publishedElsewhere: (part: number) => social.published.push(`${id}.${part}`),
  };
}

test('what the original published is found and not sent', async () => {
  const it = await restored();
  it.publishedElsewhere(0);
  await it.work();
  expect(await it.read()).toMatchObject({ status: 'published', attempts: 0, restoredAt: null });
  expect([it.social.published, it.social.publishRequests]).toEqual([[`${it.id}.0`], []]);
});

test('of a thread only the parts are sent that the original did not publish', async () => {
  const it = await restored({ parts: 3, minutesAgo: 60 });
  for (const part of [0, 1]) it.publishedElsewhere(part);
  for (let turn = 0; turn < 4; turn++) {
    await it.work();
    await it.untilDue();
  }
  expect(await it.read()).toMatchObject({ status: 'published', restoredAt: null });
  expect(it.social.publishRequests.map(({ text }) => text)).toEqual(['Part 2']);
});

test('what is absent is sent once: after a second look just after the restore, later after one', async () => {
  for (const minutesAgo of [0, 60]) {
    const it = await restored({ minutesAgo });
    await it.work();
    const { status } = await it.read();
    expect([minutesAgo, status]).toEqual([minutesAgo, minutesAgo === 0 ? 'unknown' : 'retrying']);
    for (let turn = 0; turn < 3; turn++) {
      await it.untilDue();
      await it.work();
    }
    expect(await it.read()).toMatchObject({ status: 'published', attempts: 1, restoredAt: null });
    expect(it.social.published).toHaveLength(1);
  }
});

test('the platform is asked with a receipt that may be outdated', async () => {
  const it = await restored();
  const delivery = await it.read();
  const part = nextPart(delivery);
  if (!part) throw new Error('nothing is left to publish');
  expect(publishItemOf(delivery, part).isReceiptOutdated).toBe(true);
  expect(publishItemOf({ ...delivery, restoredAt: null }, part).isReceiptOutdated).toBe(false);
});

test('without read-back, what was overdue requires a person, whose decision is final; what was not is sent', async () => {
  const it = await restored({ readBack: false });
  await it.work();
  expect([(await it.read()).status, it.social.published]).toEqual(['needs_review', []]);
  await it.atomic((ports) =>
    resolveDelivery(ports, it.call(), {
      id: it.post.id,
      deliveryId: it.id,
      outcome: 'not_published',
      note: 'Checked at the platform.',
    }),
  );
  await it.atomic((ports) => retryPost(ports, it.call(), { id: it.post.id, allowDuplicate: true }));
  await it.work();
  expect([(await it.read()).status, it.social.published]).toEqual(['published', [`${it.id}.0`]]);

  const later = await restored({ readBack: false, isOverdue: false });
  for (let turn = 0; turn < 2; turn++) {
    await later.work();
    await later.untilDue();
  }
  await later.work();
  expect(await later.read()).toMatchObject({ status: 'published' });
});
