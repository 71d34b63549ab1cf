import { describe, expect, test } from '@jest/globals';
import { openedDownload, chunksOf } from '../../testing/environment/fake-media.js';
import { memorySocial } from '../../testing/environment/memory-social.js';
import { createTestEnvironment } from '../../testing/environment/test-environment.js';
import type { ApiKey } from '../access/api-key.js';
import { unrestrictedPolicy } from '../access/policy.js';
import type { Call } from '../call.js';
import { listAttention } from '../attention/list-attention.js';
import { disconnect } from '../connections/disconnect.js';
import { updateConnection } from '../connections/update-connection.js';
import { deliver } from '../deliveries/deliver.js';
import { retryPost } from '../deliveries/retry-post.js';
import { fetchMedia } from '../media/fetch-media.js';
import type { MediaRules } from '../connections/connection.js';
import { cancelPost } from '../posts/cancel-post.js';
import { createPost, type CreatePost } from '../posts/create-post.js';
import { createPosts } from '../posts/create-posts.js';
import type { Post } from '../posts/post.js';
import { statusOf } from '../posts/post-status.js';
import { updatePost, type UpdatePost } from '../posts/update-post.js';
import { approveApproval } from './approve-approval.js';
import { expireApprovals } from './expire-approvals.js';
import { rejectApproval } from './reject-approval.js';

const HOUR_MS = 3_600_000;
const never = new AbortController().signal;
const imageRules: MediaRules = {
  max: 1,
  mixed: false,
  required: false,
  images: { max: 1, types: ['image/png'], maxBytes: 500 },
  videos: null,
  documents: null,
  altTextMax: 10,
  fetches: false,
};
const always = { posts: 'always', refundsOver: [], expiresInHours: 72 } as const;

/** An agent whose posts need an approval, and a key of another family that may decide. */
async function scene(connections = 1, social = memorySocial()) {
  const it = await createTestEnvironment([social]);
  const accounts = [];
  for (let count = 0; count < connections; count++) accounts.push(await it.connect());
  const store = async (key: ApiKey) => {
    await it.repositories.apiKeys.insert(key, new Uint8Array());
    return key;
  };
  const agent = await store(it.key({ policy: { ...unrestrictedPolicy, approval: always } }));
  const person = await store(it.key({ scopes: ['approvals:write'] }));
  const as = (key: ApiKey): Call => it.call({ actor: { kind: 'key', key } });
  const create = async (draft: Partial<CreatePost> = {}, call = as(agent)): Promise<Post> => {
    const created = await it.atomic((ports) => createPost(ports, call, { text: 'Hello', ...draft }));
    if (!created.ok) throw new Error(created.failure.code);
    return created.value;
  };
  const read = async ({ id }: Pick<Post, 'id'>): Promise<Post> => {
    const post = await it.repositories.posts.find(it.workspace.id, id);
    if (!post) throw new Error('the post is gone');
    return post;
  };
  const work = async (of: Pick<Post, 'id'>) => {
    const { workspaceId, deliveries } = await read(of);
    for (const { id: deliveryId } of deliveries) await deliver(it.ports, { workspaceId, deliveryId }, never);
  };
  return {
    ...it,
    social,
    accounts,
    agent,
    person,
    as,
    store,
    create,
    read,
    work,
    status: async (of: Pick<Post, 'id'>) => statusOf(await read(of), it.clock.now()),
    change: (of: Post, changes: Omit<UpdatePost, 'id'>, call = as(agent)) =>
      it.atomic((ports) => updatePost(ports, call, { id: of.id, ...changes })),
    approve: (of: Post, call = as(person)) =>
      it.atomic((ports) => approveApproval(ports, call, { id: of.approval?.id ?? '' })),
    reject: (of: Post, note = 'The price is wrong.', call = as(person)) =>
      it.atomic((ports) => rejectApproval(ports, call, { id: of.approval?.id ?? '', note })),
    approvalsOf: async ({ id }: Pick<Post, 'id'>) =>
      (await it.repositories.approvals.listOf([id])).map(({ status }) => status),
    types: () => it.events().map(({ type }) => type),
  };
}

test('a post of a key that needs approvals waits, also at its time, and is published once a person approved it', async () => {
  const t = await scene();
  const post = await t.create();
  expect(await t.status(post)).toBe('awaiting_approval');
  expect(post.approval).toMatchObject({ status: 'pending', note: null });
  t.clock.advance(HOUR_MS);
  await t.work(post);
  expect(t.social.published).toHaveLength(0);
  expect(await t.approve(post)).toMatchObject({
    ok: true,
    value: { status: 'approved', decidedBy: t.person.id },
  });
  await t.work(post);
  expect(t.social.published).toHaveLength(1);
  expect(await t.read(post)).toMatchObject({ approval: { status: 'approved', decidedBy: t.person.id } });
  expect(t.types().filter((type) => type.startsWith('approval.'))).toEqual([
    'approval.requested',
    'approval.decided',
  ]);
});

test('the events of a request name what waits, and no link', async () => {
  const t = await scene();
  const post = await t.create({ scheduledAt: '2026-12-01T09:00:00+01:00', timezone: 'Europe/Madrid' });
  const requested = t.events().find(({ type }) => type === 'approval.requested');
  expect(requested).toMatchObject({
    profileId: t.profile.id,
    data: {
      approval_id: post.approval?.id,
      kind: 'post',
      status: 'pending',
      post_id: post.id,
      requested_by: t.agent.id,
      summary:
        'Publish a post on @ada (sandbox_social) at 2026-12-01 09:00 Europe/Madrid (2026-12-01T08:00:00Z).',
    },
  });
  expect(JSON.stringify(requested)).not.toContain('http');
  expect(t.types()).not.toContain('post.scheduled');
  await t.approve(post);
  expect(t.types()).toContain('post.scheduled');
});

test('a rejected post fails with the note, and is never published', async () => {
  const t = await scene();
  const post = await t.create();
  expect(await t.reject(post)).toMatchObject({ ok: true, value: { status: 'rejected' } });
  await t.work(post);
  expect(t.social.published).toHaveLength(0);
  expect(await t.status(post)).toBe('failed');
  expect(await t.read(post)).toMatchObject({
    approval: { status: 'rejected', note: 'The price is wrong.' },
    deliveries: [{ error: { code: 'approval.rejected' } }],
  });
  expect(t.types()).toContain('post.failed');
});

test('an approval that no person decides expires, and the post fails', async () => {
  const t = await scene();
  const post = await t.create({ scheduledAt: t.clock.after(100 * HOUR_MS).toISOString() });
  t.clock.advance(72 * HOUR_MS - 60_000);
  const expire = () => expireApprovals(t.ports, never);
  await expire();
  expect(await t.status(post)).toBe('awaiting_approval');
  t.clock.advance(60_000);
  expect(await t.approve(post)).toMatchObject({
    failure: { code: 'approval.decided', details: { status: 'expired' } },
  });
  await expire();
  expect(await t.status(post)).toBe('failed');
  expect(await t.read(post)).toMatchObject({ deliveries: [{ error: { code: 'approval.expired' } }] });
  expect(await t.approve(post)).toMatchObject({ failure: { code: 'approval.decided' } });
});

describe('a post approved after its publish time', () => {
  test('is published at once while not_after allows', async () => {
    const t = await scene();
    const post = await t.create({ scheduledAt: t.clock.after(HOUR_MS).toISOString() });
    t.clock.advance(6 * HOUR_MS);
    await t.approve(post);
    await t.work(post);
    expect(await t.status(post)).toBe('published');
  });

  test('is missed after that', async () => {
    const t = await scene();
    const post = await t.create({ scheduledAt: t.clock.after(HOUR_MS).toISOString() });
    t.clock.advance(8 * HOUR_MS);
    await t.work(post);
    expect(await t.status(post)).toBe('awaiting_approval');
    await t.approve(post);
    await t.work(post);
    expect(await t.status(post)).toBe('missed');
    expect(t.social.published).toHaveLength(0);
  });
});

describe('an edit', () => {
  test('withdraws a pending approval and requests a new one, and only the new one counts', async () => {
    const t = await scene();
    const post = await t.create();
    const edited = await t.change(post, { text: 'Changed' });
    if (!edited.ok) throw new Error(edited.failure.code);
    expect(await t.approvalsOf(post)).toEqual(['pending', 'withdrawn']);
    expect(await t.approve(post)).toMatchObject({
      failure: { code: 'approval.decided', details: { status: 'withdrawn' } },
    });
    await t.work(post);
    expect(t.social.published).toHaveLength(0);
    expect(await t.approve(edited.value)).toMatchObject({ ok: true });
    await t.work(post);
    expect(t.social.texts).toEqual(['Changed']);
  });

  test('of an approved post needs another approval, by any key', async () => {
    const t = await scene();
    const editor = await t.store(t.key());
    for (const call of [t.as(t.agent), t.as(editor)]) {
      const post = await t.create({
        scheduledAt: t.clock.after(HOUR_MS).toISOString(),
        allowDuplicate: true,
      });
      await t.approve(post);
      expect(await t.status(post)).toBe('scheduled');
      const edited = await t.change(post, { text: 'Changed', allowDuplicate: true }, call);
      expect(edited).toMatchObject({ value: { approval: { status: 'pending' } } });
      t.clock.advance(HOUR_MS);
      await t.work(post);
      expect(t.social.published).toHaveLength(0);
    }
  });

  test('makes its key a requester: neither the author nor the editor may decide', async () => {
    const t = await scene();
    const editor = await t.store(t.key({ scopes: ['posts:write', 'approvals:write'] }));
    const post = await t.create();
    expect(await t.approve(post, t.as(editor))).toMatchObject({ ok: true });
    const other = await t.create({ text: 'Other' });
    const edited = await t.change(other, { text: 'Changed' }, t.as(editor));
    if (!edited.ok) throw new Error(edited.failure.code);
    expect(await t.approve(edited.value, t.as(editor))).toMatchObject({
      failure: { code: 'approval.not_permitted' },
    });
    expect(await t.approve(edited.value)).toMatchObject({ ok: true });
  });

  test('that changes nothing of what is published keeps the approval', async () => {
    const t = await scene();
    const post = await t.create({ scheduledAt: t.clock.after(HOUR_MS).toISOString() });
    await t.change(post, { metadata: { campaign: 'spring' } });
    expect(await t.approvalsOf(post)).toEqual(['pending']);
    await t.approve(post);
    await t.change(post, { metadata: { campaign: 'summer' } });
    expect(await t.approvalsOf(post)).toEqual(['approved']);
    expect(await t.status(post)).toBe('scheduled');
  });

  test('of a rejected post requests an approval of the new content', async () => {
    const t = await scene();
    const post = await t.create();
    await t.reject(post);
    const edited = await t.change(post, { text: 'Corrected' });
    expect(edited).toMatchObject({ value: { approval: { status: 'pending' } } });
    expect(await t.status(post)).toBe('awaiting_approval');
  });

  test('that makes it a draft withdraws the approval, and publishing the draft requests one', async () => {
    const t = await scene();
    const post = await t.create();
    await t.change(post, { draft: true });
    expect(await t.approvalsOf(post)).toEqual(['withdrawn']);
    await t.change(post, { draft: false });
    expect(await t.approvalsOf(post)).toEqual(['pending', 'withdrawn']);
    const draft = await t.create({ text: 'Another', draft: true });
    expect(draft.approval).toBeNull();
    expect(await t.change(draft, { draft: false })).toMatchObject({
      value: { approval: { status: 'pending' } },
    });
  });
});

describe('a cancellation', () => {
  test('of the post withdraws the approval', async () => {
    const t = await scene();
    const post = await t.create();
    await t.atomic((ports) => cancelPost(ports, t.as(t.agent), { id: post.id }));
    expect(await t.approvalsOf(post)).toEqual(['withdrawn']);
    expect(await t.approve(post)).toMatchObject({ failure: { code: 'approval.decided' } });
    expect(await t.status(post)).toBe('cancelled');
  });

  test('of one delivery requests an approval of the rest, by the same requesters', async () => {
    const t = await scene(2);
    const post = await t.create();
    const [delivery] = post.deliveries;
    await t.atomic((ports) =>
      cancelPost(ports, t.as(t.person), { id: post.id, deliveryIds: [delivery?.id ?? ''] }),
    );
    expect(await t.approvalsOf(post)).toEqual(['pending', 'withdrawn']);
    expect(await t.approve(await t.read(post))).toMatchObject({ value: { requestedBy: t.agent.id } });
    await t.work(post);
    expect(t.social.published).toHaveLength(1);
  });

  test('by disconnecting the account is one as well', async () => {
    const t = await scene(2);
    const post = await t.create();
    const disconnectAt = (n: number) =>
      t.atomic((ports) => disconnect(ports, t.operator(), { id: t.accounts[n]?.id ?? '' }));
    await disconnectAt(0);
    expect(await t.approvalsOf(post)).toEqual(['pending', 'withdrawn']);
    await disconnectAt(1);
    expect(await t.approvalsOf(post)).toEqual(['withdrawn', 'withdrawn']);
    expect(await t.status(post)).toBe('cancelled');
  });
});

describe('a retry', () => {
  test('of a rejected or expired post requests another approval, also by a key without a policy', async () => {
    const t = await scene();
    const other = await t.store(t.key());
    for (const call of [t.as(t.agent), t.as(other)]) {
      const post = await t.create({ allowDuplicate: true });
      await t.reject(post);
      const retried = await t.atomic((ports) =>
        retryPost(ports, call, { id: post.id, allowDuplicate: true }),
      );
      expect(retried).toMatchObject({ value: { approval: { status: 'pending' } } });
      await t.work(post);
      expect(t.social.published).toHaveLength(0);
    }
  });

  test('of an approved delivery that failed needs none within its publish window, and one after it', async () => {
    const t = await scene();
    const post = await t.create();
    await t.approve(post);
    const refused = { takesEffect: false, response: 'platform.refused' } as const;
    t.social.publishOutcomes.push(refused, refused);
    await t.work(post);
    expect(await t.status(post)).toBe('failed');
    const retry = () => t.atomic((ports) => retryPost(ports, t.as(t.agent), { id: post.id }));
    expect(await retry()).toMatchObject({ value: { approval: { status: 'approved' } } });
    await t.work(post);
    expect(await t.status(post)).toBe('failed');
    t.clock.advance(7 * HOUR_MS);
    expect(await retry()).toMatchObject({ value: { approval: { status: 'pending' } } });
    await t.work(post);
    expect(t.social.published).toHaveLength(0);
  });
});

test('a post cannot be approved before its media is what will be published, and can be rejected', async () => {
  const t = await scene(1, memorySocial({ manifest: { media: imageRules } }));
  const url = 'https://files.example/cat.png';
  const [post, other] = [
    await t.create({ media: [{ url }] }),
    await t.create({ media: [{ url }], text: 'Other' }),
  ];
  expect(await t.approve(post)).toMatchObject({ failure: { code: 'approval.media_not_ready' } });
  expect(await t.approvalsOf(post)).toEqual(['pending']);
  expect(await t.reject(other)).toMatchObject({ ok: true });
  t.downloads.responses.set(url, () => openedDownload(chunksOf('image/png 640x480 cat')));
  for (const { mediaId } of post.media)
    await fetchMedia(t.ports, { workspaceId: t.workspace.id, mediaId }, never);
  expect(await t.approve(post)).toMatchObject({ ok: true });
});

test('a request that waits is an item for keys that may decide, until it is decided', async () => {
  const t = await scene();
  const post = await t.create();
  const read = async (key: ApiKey) => {
    const page = await listAttention(t.ports, t.as(key), { limit: 9 });
    return page.ok ? page.value.items : [];
  };
  expect(await read(t.agent)).toEqual([]);
  const [item] = await read(t.person);
  expect(item).toMatchObject({
    kind: 'approval_pending',
    postId: post.id,
    approvalId: post.approval?.id,
    next: { operation: 'listApprovals', arguments: { post_id: post.id } },
  });
  expect(item?.summary).toContain('Publish a post on');
  const reader = await t.store(t.key({ scopes: ['approvals:write', 'posts:read'] }));
  expect(await read(reader)).toMatchObject([{ next: { operation: 'getPost', arguments: { id: post.id } } }]);
  await t.approve(post);
  expect(await read(t.person)).toEqual([]);
});

test('a batch requests one approval for each post', async () => {
  const t = await scene();
  const posts = [{ text: 'One' }, { text: 'Two' }, { text: 'Draft', draft: true }];
  const created = await t.atomic((ports) => createPosts(ports, t.as(t.agent), { posts }));
  if (!created.ok) throw new Error(created.failure.code);
  expect(created.value.map(({ approval }) => approval?.status)).toEqual(['pending', 'pending', undefined]);
});

test('a policy of an ancestor, or of the key that replaced this one, applies as well', async () => {
  const t = await scene();
  const root = await t.store(t.key({ policy: { ...unrestrictedPolicy, approval: always } }));
  const child = await t.store(t.key({ ancestors: [root.lineage] }));
  const successor = await t.store(t.key({ policy: { ...unrestrictedPolicy, approval: always } }));
  const replaced = { ...t.key(), lineage: successor.lineage, replacedBy: successor.id };
  await t.store(replaced);
  for (const [n, key] of [child, replaced].entries()) {
    const post = await t.create({ text: `Post ${n}` }, t.as(key));
    expect(post.approval).toMatchObject({ status: 'pending' });
  }
});

test('an approval that does not cover exactly what is about to leave sends nothing', async () => {
  const t = await scene();
  const post = await t.create();
  await t.approve(post);
  const [delivery] = (await t.read(post)).deliveries;
  if (!delivery) throw new Error('the post has no delivery');
  // No operation can do this. It represents every way in which content could change after the decision.
  const parts = delivery.parts.map((part) => ({ ...part, text: 'Smuggled' }));
  await t.transactions.run(async (tx) => {
    await tx.deliveries.settle([{ id: delivery.id, epoch: delivery.epoch, changes: { parts } }]);
    return { ok: true, value: undefined };
  });
  await t.work(post);
  expect(t.social.published).toHaveLength(0);
  expect(await t.read(post)).toMatchObject({ deliveries: [{ error: { code: 'approval.required' } }] });
});

test('an account that was moved to another profile after the decision publishes nothing', async () => {
  const t = await scene();
  const other = t.build.profile(t.workspace);
  await t.repositories.profiles.insert(other);
  const post = await t.create({ profileId: t.profile.id });
  await t.approve(post);
  const id = t.accounts[0]?.id ?? '';
  await t.atomic((ports) => updateConnection(ports, t.operator(), { id, profileId: other.id }));
  await t.work(post);
  expect(t.social.published).toHaveLength(0);
});

test('the same decision again changes nothing, and another one is refused', async () => {
  const t = await scene();
  const post = await t.create();
  const first = await t.approve(post);
  const rows = () => t.auditRows().filter(({ action }) => action === 'approveApproval');
  expect(await t.approve(post)).toEqual(first);
  expect(rows()).toHaveLength(1);
  expect(await t.reject(post)).toMatchObject({
    failure: { code: 'approval.decided', details: { status: 'approved' } },
  });
});

test('the audit row says who decided, from where, and what exactly', async () => {
  const t = await scene();
  const post = await t.create();
  await t.approve(post, { ...t.as(t.person), address: '192.0.2.7' });
  expect(t.auditRows().find(({ action }) => action === 'approveApproval')).toMatchObject({
    actor: t.person.id,
    object: post.approval?.id,
    details: {
      surface: 'rest',
      address: '192.0.2.7',
      kind: 'post',
      subject: post.id,
      digests: { [post.deliveries[0]?.id ?? '']: expect.stringMatching(/^[0-9a-f]{64}$/) },
    },
  });
});
