import { describe, expect, test } from '@jest/globals';
import { toApprovalState, type Approval } from '../../src/approvals/approval.js';
import type { ProfileId } from '../../src/ids.js';
import type { ApprovalFilter } from '../../src/ports/index.js';
import type { Post } from '../../src/posts/post.js';
import type { Refund } from '../../src/refunds/refund.js';
import { ledgerKeyOf } from '../../src/refunds/refund-record.js';
import { type CreateStorage, useStorageWorld } from './storage-world.js';

export function approvalsContract(make: CreateStorage): void {
  describe('Approvals', () => {
    const world = useStorageWorld(make);

    async function storedPost(): Promise<Post> {
      const { profile, connection } = world.ours;
      const post = world.build.post(profile, [connection], {}, { status: 'awaiting_approval' });
      await world.insert(post);
      return post;
    }
    async function storedRefund(over: Partial<Refund> = {}, ...lineages: readonly string[]) {
      const refund = world.build.refund(world.ours.connection, { status: 'awaiting_approval', ...over });
      await world.refunds.insert(refund);
      await world.ledger.charge(refund, lineages);
      return refund;
    }
    async function stored(subject: Post | Refund, over: Partial<Approval> = {}): Promise<Approval> {
      const { profile } = world.ours;
      const approval = world.build.approval(subject, { profileId: profile.id, ...over });
      await world.insert(approval);
      return approval;
    }
    const find = ({ workspaceId, id }: Approval) => world.approvals.find(workspaceId, id);
    const approve = {
      status: 'approved',
      decidedBy: 'key_other',
      decidedAt: new Date('2026-11-22T09:00:00.123Z'),
      note: 'Go ahead.',
    } as const;
    const settle = (
      { workspaceId, id }: Approval,
      outcome: Parameters<typeof world.approvals.settle>[2] = approve,
    ) => world.approvals.settle(workspaceId, id, outcome);

    test('is read as it was stored, in its workspace only', async () => {
      const post = await storedPost();
      const approval = await stored(post);
      expect(await find(approval)).toEqual(approval);
      expect(await world.approvals.find(world.theirs.workspace.id, approval.id)).toBeNull();
      expect(await world.approvals.listByIds(approval.workspaceId, [approval.id])).toEqual([approval]);
      expect(await world.approvals.listByIds(world.theirs.workspace.id, [approval.id])).toEqual([]);
      const refundPreview = {
        orderNumber: '1001',
        lines: [{ title: 'Cup', quantity: 2, amountMinor: null, restock: true }],
        shippingMinor: 5,
        refundableAfterMinor: 7,
      };
      const ofRefund = await stored(await storedRefund(), { refundPreview });
      expect(await find(ofRefund)).toEqual(ofRefund);
    });

    test('one of twenty decides', async () => {
      const approval = await stored(await storedPost());
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          settle(approval, {
            ...approve,
            status: n % 2 === 0 ? 'approved' : 'rejected',
            decidedBy: `key_${n}`,
          }),
        ),
      );
      expect(outcomes.filter(Boolean)).toHaveLength(1);
      const decider = `key_${outcomes.indexOf(true)}`;
      expect(await find(approval)).toMatchObject({ decidedBy: decider, note: 'Go ahead.' });
    });

    test('a post and a refund show their latest approval, and have one pending at most', async () => {
      for (const subject of [await storedPost(), await storedRefund()]) {
        const read = () =>
          'profileId' in subject
            ? world.posts.find(subject.workspaceId, subject.id)
            : world.refunds.find(subject.workspaceId, subject.id);
        expect((await read())?.approval).toBeNull();
        const first = await stored(subject);
        expect((await read())?.approval).toEqual(toApprovalState(first));
        await expect(stored(subject)).rejects.toThrow();
        await settle(first, { ...approve, status: 'withdrawn', decidedBy: null, note: null });
        const second = await stored(subject);
        expect((await read())?.approval).toEqual(toApprovalState(second));
        await settle(second);
        expect((await read())?.approval).toEqual({ ...toApprovalState(second), ...approve });
        const listed = await world.approvals.listOf([subject.id]);
        expect(listed.map(({ id, status }) => [id, status])).toEqual([
          [second.id, 'approved'],
          [first.id, 'withdrawn'],
        ]);
        if ('profileId' in subject) {
          await world.posts.rewrite({ ...subject, text: 'Changed', approval: null });
          expect((await read())?.approval).toMatchObject({ id: second.id, status: 'approved' });
        }
      }
    });

    test('a claimed delivery says whether its post needs an approval', async () => {
      const claim = async (post: Post) => {
        const [delivery] = post.deliveries;
        if (!delivery) throw new Error('the post has no delivery');
        await world.deliveries.settle([{ id: delivery.id, epoch: 0, changes: { status: 'pending' } }]);
        return world.deliveries.claim('deliver', { id: delivery.id }, 5);
      };
      const held = await storedPost();
      const [delivery] = held.deliveries;
      expect(await world.deliveries.claim('deliver', { id: delivery!.id }, 5)).toEqual([]);
      expect(await claim(held)).toMatchObject([{ needsApproval: false }]);
      const approved = await storedPost();
      await stored(approved);
      expect(await claim(approved)).toMatchObject([{ needsApproval: true }]);
    });

    test('deliveries that wait for an approval are cancelled like others that were not sent', async () => {
      const post = await storedPost();
      const ids = post.deliveries.map(({ id }) => id);
      expect(await world.deliveries.cancelUnsent(post.workspaceId, post.id, ids)).toEqual(ids);
      const other = await storedPost();
      const cancelled = await world.deliveries.cancelUnsentOf(other.workspaceId, world.ours.connection.id);
      expect(cancelled.map(({ postId }) => postId)).toContain(other.id);
    });

    test('lists by status, kind, subject and reach, newest first, in pages', async () => {
      const { workspace, profile } = world.theirs;
      const connection = world.build.connection(profile);
      const [post, ofOther] = [world.build.post(profile, []), world.build.post(profile, [])];
      const refund = world.build.refund(connection, { status: 'awaiting_approval' });
      const approvals = [post, refund, ofOther].map((subject) =>
        world.build.approval(subject, { profileId: profile.id }),
      );
      await world.insert(connection, post, ofOther, refund, ...approvals);
      const [first, second, third] = approvals.map(({ id }) => id);
      const list = async (filter: Partial<ApprovalFilter> = {}) =>
        (await world.approvals.list(workspace.id, { reach: null, ...filter }, { limit: 10 })).items.map(
          ({ id }) => id,
        );
      expect(await list()).toEqual([third, second, first]);
      expect(await list({ kinds: ['refund'] })).toEqual([second]);
      expect(await list({ postId: post.id })).toEqual([first]);
      expect(await list({ refundId: refund.id, statuses: ['pending'] })).toEqual([second]);
      expect(await list({ statuses: ['approved'] })).toEqual([]);
      expect(await list({ reach: [profile.id] })).toEqual([third, second, first]);
      expect(await list({ reach: ['prf_none' as ProfileId] })).toEqual([]);
      const page = await world.approvals.list(workspace.id, { reach: null }, { limit: 2 });
      expect(page.items.map(({ id }) => id)).toEqual([third, second]);
      const rest = await world.approvals.list(workspace.id, { reach: null }, { limit: 2, after: page.next });
      expect(rest).toEqual({ items: [approvals[0]] });
    });

    test('the profile of a refund’s approval is that of its connection, also after that was moved or deleted', async () => {
      const { workspace } = world.ours;
      const [from, to] = [world.build.profile(workspace), world.build.profile(workspace)];
      const connection = world.build.connection(from);
      const refund = world.build.refund(connection, { status: 'awaiting_approval' });
      const approval = world.build.approval(refund, { profileId: from.id });
      await world.insert(from, to, connection, refund, approval);
      expect(await find(approval)).toMatchObject({ profileId: from.id });
      await world.connections.update(workspace.id, connection.id, { profileId: to.id });
      expect(await find(approval)).toMatchObject({ profileId: to.id });
      await world.connections.delete(workspace.id, connection.id);
      expect(await find(approval)).toMatchObject({ profileId: null });
    });

    test('finds the pending approvals of posts to a connection', async () => {
      const post = await storedPost();
      const approval = await stored(post);
      const pending = async () =>
        (await world.approvals.listPendingOf(post.workspaceId, world.ours.connection.id)).map(({ id }) => id);
      expect(await pending()).toContain(approval.id);
      await settle(approval);
      expect(await pending()).not.toContain(approval.id);
    });

    test('expired ones are pending and past, and pending ones are counted', async () => {
      const pending = async () =>
        (await world.approvals.countPending()).reduce((sum, { count }) => sum + count, 0);
      const before = await pending();
      const late = await stored(await storedPost(), { expiresAt: world.clock.after(-1000) });
      const early = await stored(await storedRefund());
      const isExpired = async ({ id }: Approval) =>
        (await world.approvals.listExpired(1000)).some((one) => one.id === id);
      expect([await isExpired(late), await isExpired(early)]).toEqual([true, false]);
      expect(await pending()).toBe(before + 2);
      await settle(late, { ...approve, status: 'expired', decidedBy: null, note: null });
      expect(await isExpired(late)).toBe(false);
    });

    test('a refund that waits for an approval counts against a ceiling on every day until it is sent, and then on that day', async () => {
      const { id: workspaceId } = world.ours.workspace;
      const lineage = 'key_waits';
      const refund = await storedRefund(
        { keyLineage: lineage, createdAt: new Date('2026-01-01T12:00:00Z') },
        lineage,
      );
      await stored(refund);
      const sum = async (since: Date) =>
        (await world.refunds.sumCharges(workspaceId, [lineage], since)).map(({ amountMinor }) => amountMinor);
      const later = world.clock.after(86_400_000);
      expect([await sum(new Date(0)), await sum(later)]).toEqual([[1200], [1200]]);
      await world.refunds.settle(refund.id, 0, { status: 'pending' });
      expect(await sum(later)).toEqual([1200]);
      const claimed = await world.refunds.claim(refund.id, 30);
      await world.refunds.markSent(refund.id, claimed?.epoch ?? 0);
      const sent = await world.refunds.find(workspaceId, refund.id);
      expect(sent?.firstSentAt).toEqual(sent?.sentAt);
      expect([await sum(later), await sum(world.clock.after(-60_000))]).toEqual([[], [1200]]);
      await world.clock.sleep(10);
      await world.refunds.markSent(refund.id, claimed?.epoch ?? 0);
      const again = await world.refunds.find(workspaceId, refund.id);
      expect(again?.firstSentAt).toEqual(sent?.firstSentAt);
      expect(again?.sentAt).not.toEqual(sent?.sentAt);
    });

    test('a refund that waited for no approval counts on the day of its creation, also when it is sent later', async () => {
      const { id: workspaceId } = world.ours.workspace;
      const lineage = 'key_sends';
      const created = { keyLineage: lineage, createdAt: new Date('2026-01-01T12:00:00Z') };
      const refund = await storedRefund({ ...created, status: 'pending' }, lineage);
      const claimed = await world.refunds.claim(refund.id, 30);
      await world.refunds.markSent(refund.id, claimed?.epoch ?? 0);
      const sum = async (since: Date) =>
        (await world.refunds.sumCharges(workspaceId, [lineage], since)).map(({ amountMinor }) => amountMinor);
      expect([await sum(new Date('2026-01-01')), await sum(new Date('2026-01-02'))]).toEqual([[1200], []]);
    });

    test('sums what lineages refunded of an order without an approval', async () => {
      const refund = await storedRefund({ status: 'succeeded' }, 'key_a', 'key_b');
      const { orderExternalId } = refund;
      await storedRefund({ status: 'failed', orderExternalId }, 'key_a');
      const approved = await storedRefund({ status: 'succeeded', orderExternalId }, 'key_a');
      await stored(approved);
      await storedRefund({ status: 'succeeded' }, 'key_a');
      const sums = await world.refunds.sumUnapproved(ledgerKeyOf(refund), ['key_a', 'key_b', 'key_c']);
      expect([...sums].sort()).toEqual([
        ['key_a', 1200],
        ['key_b', 1200],
      ]);
    });
  });
}
