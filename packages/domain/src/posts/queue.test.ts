import { describe, expect, test } from '@jest/globals';
import { createTestEnvironment } from '../../testing/environment/test-environment.js';
import { cancelPost } from './cancel-post.js';
import { createPost, type CreatePost } from './create-post.js';
import { createPosts } from './create-posts.js';
import { getQueue } from './get-queue.js';
import { comingSlots, type QueueSlot } from './queue.js';
import { updatePost, type UpdatePost } from './update-post.js';
import { updateQueue } from './update-queue.js';
import { validatePost } from './validate-post.js';

const mondays = (...times: string[]): QueueSlot[] => times.map((time) => ({ weekday: 'monday', time }));
const sundays = (...times: string[]): QueueSlot[] => times.map((time) => ({ weekday: 'sunday', time }));

describe('coming slots', () => {
  const list = (timezone: string, slots: readonly QueueSlot[], from: string, count = 2) => {
    const found: string[] = [];
    for (const at of comingSlots({ timezone, slots }, new Date(from))) {
      if (found.push(at.toISOString()) === count) break;
    }
    return found;
  };

  test('are ascending instants of the local times, later than the time from which they are counted', () => {
    const slots: QueueSlot[] = [{ weekday: 'tuesday', time: '18:30' }, ...mondays('09:00', '08:00')];
    expect(list('Europe/Madrid', slots, '2026-11-23T08:00:00Z', 4)).toEqual([
      '2026-11-24T17:30:00.000Z',
      '2026-11-30T07:00:00.000Z',
      '2026-11-30T08:00:00.000Z',
      '2026-12-01T17:30:00.000Z',
    ]);
  });

  test.each([
    [
      'a local time keeps its hour across the change',
      sundays('09:00'),
      '2026-03-22T12:00:00Z',
      '2026-03-29T07:00:00.000Z',
      '2026-04-05T07:00:00.000Z',
    ],
    [
      'a skipped time has the offset before the change',
      sundays('02:30'),
      '2026-03-22T12:00:00Z',
      '2026-03-29T01:30:00.000Z',
      '2026-04-05T00:30:00.000Z',
    ],
    [
      'a skipped time and the time that it becomes are one slot',
      sundays('02:30', '03:30'),
      '2026-03-22T12:00:00Z',
      '2026-03-29T01:30:00.000Z',
      '2026-04-05T00:30:00.000Z',
    ],
    [
      'of a repeated time the first counts',
      sundays('02:30'),
      '2026-10-18T12:00:00Z',
      '2026-10-25T00:30:00.000Z',
      '2026-11-01T01:30:00.000Z',
    ],
  ])('when the clock changes: %s', (_, slots, from, ...expected) =>
    expect(list('Europe/Madrid', slots, from)).toEqual(expected),
  );

  test('end after two years, and without slots there are none', () => {
    const all = [
      ...comingSlots({ timezone: 'UTC', slots: mondays('09:00') }, new Date('2026-11-23T09:00:00Z')),
    ];
    expect([all.length, all.at(-1)?.toISOString()]).toEqual([104, '2028-11-20T09:00:00.000Z']);
    expect([...comingSlots({ timezone: 'UTC', slots: [] }, new Date())]).toEqual([]);
  });
});

/** An account whose queue has slots on Mondays at 9 and 10 UTC; it is Thursday. */
async function scene() {
  const it = await createTestEnvironment();
  await it.connect();
  it.clock.advance(Date.parse('2026-11-26T12:00:00Z') - it.clock.now().getTime());
  const set = (slots: readonly QueueSlot[], more: { reassign?: boolean; timezone?: string } = {}) =>
    it.atomic((ports) => updateQueue(ports, it.call(), { id: it.profile.id, slots, ...more }));
  await set(mondays('09:00', '10:00'));
  const create = async (command: Partial<CreatePost> = {}) => {
    const draft = { text: 'Queued', queue: 'next', allowDuplicate: true, ...command } as const;
    const created = await it.atomic((ports) => createPost(ports, it.call(), draft));
    if (!created.ok) throw new Error(`${created.failure.code}: ${created.failure.message}`);
    return created.value;
  };
  const change = async (id: string, changes: Omit<UpdatePost, 'id'>) => {
    const updated = await it.atomic((ports) =>
      updatePost(ports, it.call(), { id, allowDuplicate: true, ...changes }),
    );
    if (!updated.ok) throw new Error(`${updated.failure.code}: ${updated.failure.message}`);
    return updated.value;
  };
  const coming = async () => {
    const found = await getQueue(it.ports, it.call(), { id: it.profile.id, limit: 4 });
    if (!found.ok) throw new Error(found.failure.code);
    return found.value.coming.map(({ at, postId }) => [at.toISOString(), postId]);
  };
  return { ...it, set, create, change, coming };
}
const [NOV_30_9, NOV_30_10, DEC_7_9, DEC_7_10] = [
  '2026-11-30T09:00:00.000Z',
  '2026-11-30T10:00:00.000Z',
  '2026-12-07T09:00:00.000Z',
  '2026-12-07T10:00:00.000Z',
];

test('a post takes the next free slot, and the queue lists it', async () => {
  const it = await scene();
  const [first, second] = [await it.create(), await it.create()];
  expect([first.scheduledAt.toISOString(), second.scheduledAt.toISOString()]).toEqual([NOV_30_9, NOV_30_10]);
  expect(first.deliveries.map(({ scheduledAt }) => scheduledAt.toISOString())).toEqual([NOV_30_9]);
  expect(await it.coming()).toEqual([
    [NOV_30_9, first.id],
    [NOV_30_10, second.id],
    [DEC_7_9, null],
    [DEC_7_10, null],
  ]);
});

test('the posts of a batch take slots one after another', async () => {
  const it = await scene();
  const posts = ['One', 'Two', 'Three'].map((text) => ({ text, queue: 'next' as const }));
  const created = await it.atomic((ports) => createPosts(ports, it.call(), { posts }));
  expect(created.ok && created.value.map(({ scheduledAt }) => scheduledAt.toISOString())).toEqual([
    NOV_30_9,
    NOV_30_10,
    DEC_7_9,
  ]);
});

test('a validation states the slot and takes none', async () => {
  const it = await scene();
  for (const _ of [1, 2]) {
    const validated = await validatePost(it.ports, it.call(), { text: 'Queued', queue: 'next' });
    expect(validated.ok && validated.value.targets.map(({ when }) => when.at.toISOString())).toEqual([
      NOV_30_9,
    ]);
  }
});

test('a draft takes a slot when it stops being a draft', async () => {
  const it = await scene();
  const draft = await it.create({ draft: true });
  expect([draft.queueSlot, (await it.create()).scheduledAt.toISOString()]).toEqual([null, NOV_30_9]);
  expect((await it.change(draft.id, { draft: false })).scheduledAt.toISOString()).toBe(NOV_30_10);
});

describe('a slot is free again', () => {
  test('when its post is cancelled', async () => {
    const it = await scene();
    const { id } = await it.create();
    await it.atomic((ports) => cancelPost(ports, it.call(), { id }));
    expect((await it.create()).scheduledAt.toISOString()).toBe(NOV_30_9);
  });

  test('when its post gets another time', async () => {
    const it = await scene();
    const { id } = await it.create();
    expect((await it.change(id, { scheduledAt: '2026-11-29T12:00:00Z' })).queueSlot).toBeNull();
    expect((await it.create()).scheduledAt.toISOString()).toBe(NOV_30_9);
  });
});

test('a post keeps its slot when something else changes, or when it asks for the next slot again', async () => {
  const it = await scene();
  const { id } = await it.create();
  await it.create();
  expect((await it.change(id, { text: 'Changed' })).queueSlot?.toISOString()).toBe(NOV_30_9);
  expect((await it.change(id, { queue: 'next' })).scheduledAt.toISOString()).toBe(NOV_30_9);
});

test('a scheduled post moves into the queue', async () => {
  const it = await scene();
  const { id } = await it.create({ queue: undefined, scheduledAt: '2026-11-28T12:00:00Z' });
  const moved = await it.change(id, { queue: 'next' });
  expect([moved.scheduledAt.toISOString(), moved.queueSlot?.toISOString()]).toEqual([NOV_30_9, NOV_30_9]);
});

describe('when the slots change', () => {
  test('queued posts keep their times, and the next ones take the new slots', async () => {
    const it = await scene();
    const { id } = await it.create();
    await it.set(mondays('08:00'), { timezone: 'Europe/Madrid' });
    expect(await it.coming()).toEqual([
      ['2026-11-30T07:00:00.000Z', null],
      [NOV_30_9, id],
      ['2026-12-07T07:00:00.000Z', null],
      ['2026-12-14T07:00:00.000Z', null],
    ]);
    expect((await it.create()).scheduledAt.toISOString()).toBe('2026-11-30T07:00:00.000Z');
  });

  test('reassign moves the queued posts in their order, and no others', async () => {
    const it = await scene();
    const [first, second] = [await it.create(), await it.create()];
    const other = await it.create({ queue: undefined, scheduledAt: '2026-11-28T12:00:00Z' });
    expect(await it.set(mondays('10:00'), { reassign: true })).toMatchObject({ ok: true });
    expect(await it.coming()).toEqual([
      [NOV_30_10, first.id],
      [DEC_7_10, second.id],
      ['2026-12-14T10:00:00.000Z', null],
      ['2026-12-21T10:00:00.000Z', null],
    ]);
    const read = async (id: typeof first.id) => it.repositories.posts.find(it.workspace.id, id);
    expect((await read(first.id))?.deliveries[0]?.scheduledAt.toISOString()).toBe(NOV_30_10);
    expect((await read(other.id))?.scheduledAt).toEqual(other.scheduledAt);
  });

  test('reassign to slots that do not suffice changes nothing', async () => {
    const it = await scene();
    const { id } = await it.create();
    expect(await it.set([], { reassign: true })).toMatchObject({ failure: { code: 'post.queue_empty' } });
    expect((await it.coming())[0]).toEqual([NOV_30_9, id]);
    expect(await it.set([])).toMatchObject({ ok: true });
    expect(await it.coming()).toEqual([[NOV_30_9, id]]);
  });

  test('only the version that the caller has read', async () => {
    const it = await scene();
    const change = (ifMatch: string) =>
      it.atomic((ports) =>
        updateQueue(ports, it.call({ ifMatch }), { id: it.profile.id, slots: mondays('11:00') }),
      );
    expect(await change('"1"')).toMatchObject({ ok: true, value: { version: 2 } });
    expect(await change('"1"')).toMatchObject({ failure: { code: 'request.precondition_failed' } });
  });
});

describe('is refused:', () => {
  const codeOf = async (
    command: Partial<CreatePost>,
    prepare?: (it: Awaited<ReturnType<typeof scene>>) => unknown,
  ) => {
    const it = await scene();
    await prepare?.(it);
    const draft = { text: 'Queued', queue: 'next', ...command } as const;
    const created = await it.atomic((ports) => createPost(ports, it.call(), draft));
    return created.ok ? 'ok' : created.failure;
  };

  test('a profile without slots, with the call that reads its queue', async () => {
    expect(await codeOf({}, (it) => it.set([]))).toMatchObject({
      code: 'post.queue_empty',
      next: { operation: 'getQueue' },
    });
  });

  test('a queue and a time', async () => {
    expect(await codeOf({ scheduledAt: '2026-11-28T12:00:00Z' })).toMatchObject({
      code: 'request.invalid',
      problems: [{ path: 'queue' }],
    });
  });

  test('a profile out of reach', async () => {
    const it = await scene();
    const other = it.ids.next('prf');
    const call = it.call({}, { profileIds: [other] });
    expect(await getQueue(it.ports, call, { id: it.profile.id })).toMatchObject({
      failure: { code: 'profile.not_found' },
    });
    expect(
      await it.atomic((ports) => updateQueue(ports, call, { id: it.profile.id, slots: [] })),
    ).toMatchObject({ failure: { code: 'profile.not_found' } });
  });
});
