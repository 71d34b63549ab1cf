import { describe, expect, test } from '@jest/globals';
import { memorySocial } from '../../testing/environment/memory-social.js';
import { createTestEnvironment } from '../../testing/environment/test-environment.js';
import type { Call } from '../call.js';
import { cancelPost } from './cancel-post.js';
import { createPost, type CreatePost } from './create-post.js';
import { deliver } from '../deliveries/deliver.js';
import type { Post } from './post.js';
import type { Delivery, DeliveryStatus } from '../deliveries/delivery.js';
import { statusOf } from './post-status.js';
import { updatePost, type UpdatePost } from './update-post.js';

const never = new AbortController().signal;
const HOUR_MS = 3_600_000;

/** A post that is due in an hour, on one account; the tests make every change and delivery. */
async function scene(command: Partial<CreatePost> = {}, connections = 1) {
  const social = memorySocial();
  const it = await createTestEnvironment([social]);
  for (let count = 0; count < connections; count++) await it.connect();
  const create = async (more: Partial<CreatePost> = {}) => {
    const draft = { text: 'Old', scheduledAt: it.clock.after(HOUR_MS).toISOString(), ...command, ...more };
    const created = await it.atomic((ports) => createPost(ports, it.call(), draft));
    if (!created.ok) throw new Error(created.failure.code);
    return created.value;
  };
  const post = await create();
  const change = (changes: Omit<UpdatePost, 'id'>, call: Call = it.call(), id: string = post.id) =>
    it.atomic((ports) => updatePost(ports, call, { id, ...changes }));
  return {
    ...it,
    social,
    post,
    create,
    change,
    changed: async (changes: Omit<UpdatePost, 'id'>): Promise<Post> => {
      const result = await change(changes);
      if (!result.ok) throw new Error(`${result.failure.code}: ${result.failure.message}`);
      return result.value;
    },
    code: async (changes: Omit<UpdatePost, 'id'>, call?: Call) => {
      const result = await change(changes, call);
      return result.ok ? 'ok' : result.failure.code;
    },
    read: async () => (await it.repositories.posts.find(it.workspace.id, post.id)) as Post,
    /** Attempts every delivery, due or not. */
    work: async () => {
      const { workspaceId, deliveries } = (await it.repositories.posts.find(
        it.workspace.id,
        post.id,
      )) as Post;
      for (const { id: deliveryId } of deliveries)
        await deliver(it.ports, { workspaceId, deliveryId }, never);
    },
    statusIs: async () =>
      statusOf((await it.repositories.posts.find(it.workspace.id, post.id)) as Post, it.clock.now()),
  };
}

test('only the new text is published, once, also by the job of the old version', async () => {
  const it = await scene();
  await it.changed({ text: 'New' });
  it.clock.advance(HOUR_MS);
  await it.work();
  expect(it.social.texts).toEqual(['New']);
});

test('a postponed post is not published at its old time', async () => {
  const it = await scene();
  const changed = await it.changed({ scheduledAt: it.clock.after(2 * HOUR_MS).toISOString() });
  it.clock.advance(HOUR_MS + 1000);
  await it.work();
  expect(it.social.texts).toEqual([]);
  expect(changed.notAfter.getTime() - changed.scheduledAt.getTime()).toBe(6 * HOUR_MS);
  it.clock.advance(HOUR_MS);
  await it.work();
  expect(it.social.texts).toEqual(['Old']);
});

describe('an edit that requests what the post already is', () => {
  test.each<[string, (post: Post) => Omit<UpdatePost, 'id'>]>([
    ['nothing', () => ({})],
    ['the same values', ({ text, metadata, link }) => ({ text, metadata, link, draft: false })],
    [
      'the same time in another offset',
      ({ scheduledAt }) => ({
        scheduledAt: new Date(scheduledAt.getTime() + HOUR_MS).toISOString().replace('Z', '+01:00'),
      }),
    ],
    ['the same targets', ({ requested }) => ({ targets: requested.targets as UpdatePost['targets'] })],
  ])('keeps its version, its time and its history: %s', async (_what, changesOf) => {
    const it = await scene();
    const [first] = it.post.deliveries;
    const { version } = await it.changed({ targets: [{ connectionId: first?.connectionId }] });
    const before = await it.read();
    const history = await it.repositories.deliveries.listHistory(it.workspace.id, it.post.id);
    it.clock.advance(1000);
    expect(await it.changed(changesOf(before))).toMatchObject({ version });
    expect(await it.read()).toEqual(before);
    expect(await it.repositories.deliveries.listHistory(it.workspace.id, it.post.id)).toEqual(history);
    expect(await it.code(changesOf(before), it.call({ ifMatch: '"1"' }))).toBe('request.precondition_failed');
  });

  test('that names the targets revives a delivery that was cancelled on its own', async () => {
    const it = await scene({}, 2);
    const targets = it.post.deliveries.map(({ connectionId }) => ({ connectionId }));
    await it.changed({ targets });
    const deliveryIds = it.post.deliveries.slice(0, 1).map(({ id }) => id);
    await it.atomic((ports) => cancelPost(ports, it.call(), { id: it.post.id, deliveryIds }));
    const { deliveries } = await it.changed({ targets });
    expect(deliveries.map(({ status }) => status)).toEqual(['pending', 'pending']);
  });
});

test('omitted fields stay as requested, and null resets them', async () => {
  const it = await scene({ link: 'https://a', externalId: 'mine', metadata: { campaign: 'spring' } });
  const { scheduledAt, deliveries } = it.post;
  expect(await it.changed({ text: 'New' })).toMatchObject({
    text: 'New',
    link: 'https://a',
    externalId: 'mine',
    metadata: { campaign: 'spring' },
    scheduledAt,
    version: 2,
    deliveries: [
      { id: deliveries[0]?.id, parts: [{ text: 'New', link: 'https://a' }], epoch: 1, status: 'pending' },
    ],
  });
  const bare = await it.changed({ link: null, externalId: null, scheduledAt: null });
  expect(bare).toMatchObject({ link: null, externalId: null, version: 3 });
  expect(bare.scheduledAt.getTime()).toBeLessThan(scheduledAt.getTime());
  expect(bare.createdAt).toEqual(it.post.createdAt);
});

test('a target’s own text survives a change of the post’s', async () => {
  const it = await scene({}, 2);
  const [one, two] = it.post.deliveries.map(({ connectionId }) => connectionId);
  await it.changed({ targets: [{ connectionId: one, text: 'Own' }, { connectionId: two }] });
  const { deliveries } = await it.changed({ text: 'New' });
  expect(deliveries.map(({ parts }) => parts[0]?.text)).toEqual(['Own', 'New']);
});

test('a removed account gets no post, an added one does, and a remaining one keeps its delivery', async () => {
  const it = await scene({}, 2);
  const third = await it.connect();
  const [kept, dropped] = it.post.deliveries as [Delivery, Delivery];
  const { deliveries } = await it.changed({
    targets: [{ connectionId: third.id }, { connectionId: kept.connectionId }],
  });
  expect(deliveries.map(({ connectionId }) => connectionId)).toEqual([third.id, kept.connectionId]);
  expect(deliveries[1]?.id).toBe(kept.id);
  it.clock.advance(HOUR_MS);
  await it.work();
  const went = it.social.published.map((reference) => reference.replace('.0', '')).sort();
  expect(went).toEqual(deliveries.map(({ id }) => String(id)).sort());
  expect(went).not.toContain(dropped.id);
});

test('the history names the actor of a change', async () => {
  const it = await scene();
  await it.changed({ text: 'New' });
  const history = await it.repositories.deliveries.listHistory(it.workspace.id, it.post.id);
  expect(history).toMatchObject([
    { kind: 'decision', outcome: 'updated', actor: expect.stringMatching(/^key_/) },
  ]);
});

describe('a change is rejected and changes nothing', () => {
  test('when it is invalid for a target', async () => {
    const it = await scene();
    expect(await it.change({ text: 'x'.repeat(21) })).toMatchObject({
      failure: { code: 'post.invalid', problems: [{ path: 'text', code: 'text.too_long' }] },
    });
    expect(await it.read()).toEqual(it.post);
  });

  test.each(['2026-37-40T39:05:62Z', '2027-02-30T10:00:00Z', '2026-12-01T09:00:00-81:38'])(
    'when a time does not exist: %s',
    async (scheduledAt) => {
      const it = await scene({ scheduledAt: '2027-03-02T10:00:00Z' });
      const connectionId = it.post.deliveries[0]?.connectionId;
      expect(await it.code({ scheduledAt })).toBe('request.invalid');
      expect(await it.code({ targets: [{ connectionId, scheduledAt }] })).toBe('request.invalid');
      expect(await it.read()).toEqual(it.post);
    },
  );

  test('when the caller read another version', async () => {
    const it = await scene();
    await it.changed({ text: 'New' });
    expect(await it.code({ text: 'Newer' }, it.call({ ifMatch: '"1"' }))).toBe('request.precondition_failed');
    expect(await it.code({ text: 'Newer' }, it.call({ ifMatch: '"2"' }))).toBe('ok');
  });

  test('when it duplicates another post, which is never the post itself', async () => {
    const it = await scene();
    await it.create({ text: 'Other' });
    expect(await it.code({ metadata: { a: 'b' } })).toBe('ok');
    expect(await it.code({ text: 'Other' })).toBe('post.possible_duplicate');
    expect(await it.code({ text: 'Other', allowDuplicate: true })).toBe('ok');
  });

  test('when the key does not reach it', async () => {
    const it = await scene();
    const elsewhere = it.call({}, { profileIds: [it.ids.next('prf')] });
    expect(await it.code({ text: 'New' }, elsewhere)).toBe('post.not_found');
  });

  test.each<DeliveryStatus>([
    'sending',
    'published',
    'failed',
    'retrying',
    'unknown',
    'needs_review',
    'missed',
    'cancelled',
    'deleted',
  ])('when a delivery is %s', async (status) => {
    const it = await scene();
    await it.ports.transactions.run(async (tx) => {
      const id = it.post.deliveries[0]?.id ?? it.ids.next('dlv');
      await tx.deliveries.settle([{ id, epoch: 0, changes: { status } }]);
      return { ok: true, value: undefined };
    });
    expect(await it.code({ text: 'New' })).toBe(
      status === 'cancelled' ? 'post.cancelled' : 'post.already_published',
    );
    expect(await it.read()).toMatchObject({
      text: 'Old',
      version: 2,
      deliveries: [{ parts: [{ text: 'Old' }], status }],
    });
  });

  test('while it is being sent: the published text is that of the post', async () => {
    const it = await scene();
    it.clock.advance(HOUR_MS);
    let code = '';
    it.social.publishOutcomes.push({
      takesEffect: true,
      response: 'ok',
      duringRequest: async () => (code = await it.code({ text: 'New' })),
    });
    await it.work();
    expect(code).toBe('post.already_published');
    expect([it.social.texts, (await it.read()).text]).toEqual([['Old'], 'Old']);
  });
});

test('a post that waits for its account beyond its time can still be changed, and is published when the account is reconnected', async () => {
  const it = await scene();
  const [{ connectionId }] = it.post.deliveries as [Delivery];
  await it.repositories.connections.update(it.workspace.id, connectionId, { status: 'needs_reauth' });
  it.clock.advance(HOUR_MS);
  await it.work();
  expect(await it.read()).toMatchObject({ deliveries: [{ status: 'blocked' }] });
  await it.repositories.connections.update(it.workspace.id, connectionId, { status: 'active' });
  await it.changed({ text: 'New' });
  await it.work();
  expect(it.social.texts).toEqual(['New']);
});

describe('a draft', () => {
  test('is not published until it stops being one, and then once', async () => {
    const it = await scene({ draft: true });
    expect(it.post).toMatchObject({ draft: true, deliveries: [] });
    expect(it.jobs()).toEqual([]);
    expect(it.events()).toMatchObject([{ type: 'post.created', data: { status: 'draft', deliveries: [] } }]);
    it.clock.advance(HOUR_MS / 2);
    await it.changed({ draft: false });
    expect(await it.statusIs()).toBe('scheduled');
    expect(it.events().map(({ type }) => type)).toEqual(['post.created', 'post.updated', 'post.scheduled']);
    it.clock.advance(HOUR_MS);
    await it.work();
    expect(it.social.texts).toEqual(['Old']);
  });

  test('without a time is published when it stops being one', async () => {
    const it = await scene({ draft: true, scheduledAt: undefined });
    it.clock.advance(30 * 24 * HOUR_MS);
    await it.changed({ draft: false });
    await it.work();
    expect(await it.statusIs()).toBe('published');
  });

  test('may be created without an account and with any text; both are validated when it is scheduled', async () => {
    const it = await scene({ draft: true, text: 'x'.repeat(21) }, 0);
    expect(await it.code({ draft: false })).toBe('post.no_targets');
    await it.connect();
    expect(await it.code({ draft: false })).toBe('post.invalid');
    expect(await it.code({ draft: false, text: 'Short' })).toBe('ok');
  });

  test('must name an existing account', async () => {
    const it = await scene();
    const targets = [{ connectionId: it.ids.next('con') }];
    const made = await it.atomic((ports) =>
      createPost(ports, it.call(), { text: 'x', draft: true, targets }),
    );
    expect(made).toMatchObject({ failure: { code: 'connection.not_found' } });
  });

  test('whose time has passed is not published late unintentionally', async () => {
    const it = await scene({ draft: true });
    it.clock.advance(2 * HOUR_MS);
    expect(await it.code({ draft: false })).toBe('post.time_past');
    expect(await it.code({ draft: false, scheduledAt: null })).toBe('ok');
  });

  test('can be created from a scheduled post, and the existing job sends nothing', async () => {
    const it = await scene();
    await it.changed({ draft: true });
    it.clock.advance(HOUR_MS);
    await it.work();
    expect(it.social.texts).toEqual([]);
    expect(await it.statusIs()).toBe('draft');
  });

  test('that is cancelled stays cancelled', async () => {
    const it = await scene({ draft: true });
    const cancelled = await it.atomic((ports) => cancelPost(ports, it.call(), { id: it.post.id }));
    expect(cancelled.ok && statusOf(cancelled.value, it.clock.now())).toBe('cancelled');
    expect(it.events().map(({ type }) => type)).toEqual(['post.created', 'post.cancelled']);
    expect(await it.code({ draft: false })).toBe('post.cancelled');
  });
});

test('a delivery that was cancelled on its own stays cancelled, unless the edit names it (finding 41)', async () => {
  const it = await scene({}, 2);
  const [first] = it.post.deliveries as [Delivery];
  await it.atomic((ports) => cancelPost(ports, it.call(), { id: it.post.id, deliveryIds: [first.id] }));
  const statuses = async () => (await it.read()).deliveries.map(({ status }) => status);
  await it.changed({ text: 'New' });
  expect(await statuses()).toEqual(['cancelled', 'pending']);
  it.clock.advance(HOUR_MS);
  await it.work();
  expect([it.social.texts, await statuses()]).toEqual([['New'], ['cancelled', 'published']]);
  const other = await scene({}, 2);
  const [one] = other.post.deliveries as [Delivery];
  await other.atomic((ports) =>
    cancelPost(ports, other.call(), { id: other.post.id, deliveryIds: [one.id] }),
  );
  await other.changed({ targets: [{ connectionId: one.connectionId }] });
  expect((await other.read()).deliveries.map(({ status }) => status)).toEqual(['pending']);
});

describe('a target’s own time', () => {
  test('applies to that target, and the post’s time to the others', async () => {
    const it = await scene({}, 2);
    const [one, two] = it.post.deliveries.map(({ connectionId }) => connectionId);
    const early = it.clock.after(HOUR_MS / 2);
    const { deliveries, scheduledAt } = await it.changed({
      targets: [{ connectionId: one }, { connectionId: two, scheduledAt: early.toISOString() }],
    });
    expect(deliveries.map((delivery) => delivery.scheduledAt)).toEqual([it.post.scheduledAt, early]);
    expect(scheduledAt).toEqual(early);
    it.clock.advance(HOUR_MS / 2 + 1000);
    await it.work();
    expect((await it.read()).deliveries.map(({ status }) => status)).toEqual(['pending', 'published']);
  });

  test('that is invalid is reported with its path', async () => {
    const it = await scene();
    const [{ connectionId }] = it.post.deliveries as [Delivery];
    expect(
      await it.change({ targets: [{ connectionId, scheduledAt: '2020-01-01T00:00:00Z' }] }),
    ).toMatchObject({
      failure: { code: 'post.time_past', problems: [{ path: 'targets.0.scheduled_at' }] },
    });
  });
});

test('a new local time requires a chosen time zone, a stored one keeps its own (finding 43)', async () => {
  const it = await scene();
  await it.repositories.profiles.update(it.workspace.id, it.profile.id, { isTimezoneSet: false });
  const local = it.clock
    .after(3 * HOUR_MS)
    .toISOString()
    .slice(0, 19);
  expect(await it.code({ scheduledAt: local })).toBe('post.timezone_required');
  expect((await it.changed({ scheduledAt: local, timezone: 'UTC' })).scheduledAt.toISOString()).toContain(
    local,
  );
  expect(await it.code({ text: 'New' })).toBe('ok');
  const later = it.clock
    .after(4 * HOUR_MS)
    .toISOString()
    .slice(0, 19);
  expect(await it.code({ scheduledAt: later })).toBe('ok');
});
