import { describe, expect, test } from '@jest/globals';
import { createTestEnvironment } from '../../testing/environment/test-environment.js';
import { createRefundFixture } from '../../testing/stores/refund-fixture.js';
import type { ApiKey } from '../access/api-key.js';
import { createKey } from '../access/create-key.js';
import { unrestrictedPolicy, type KeyPolicy } from '../access/policy.js';
import { revokeKey } from '../access/revoke-key.js';
import { updateKey } from '../access/update-key.js';
import { sendNotifications } from '../attention/send-notifications.js';
import type { Notification } from '../attention/compose-notification.js';
import type { Call } from '../call.js';
import { listEvents } from '../events/list-events.js';
import { createPost } from '../posts/create-post.js';
import type { Post } from '../posts/post.js';
import { updatePost } from '../posts/update-post.js';
import { ok } from '../result.js';
import { updateWorkspace } from '../workspaces/update-workspace.js';
import { formatWebhookBody } from '../webhooks/webhook-payload.js';
import { approveApproval } from './approve-approval.js';
import { decideOnPage } from './decide-on-page.js';
import { findDecisionUrl, mayReceiveLink } from './decision-link.js';
import { decisionPageCall, openDecision, type Decision } from './open-decision.js';

const HOUR_MS = 3_600_000;
const never = new AbortController().signal;
const always: Partial<KeyPolicy> = { approval: { posts: 'always', refundsOver: [], expiresInHours: 72 } };
const scopes = ['posts:write', 'approvals:write', 'keys:admin', 'events:read'] as const;

/** A post that an agent requests, and the page of its link. */
async function scene() {
  const it = await createTestEnvironment();
  await it.connect();
  const as = (key: ApiKey): Call => it.call({ actor: { kind: 'key', key } });
  const create = async (by: Call = it.operator(), policy: Partial<KeyPolicy> = {}): Promise<ApiKey> => {
    const created = await it.atomic((ports) => createKey(ports, by, { name: 'Writer', scopes, policy }));
    if (!created.ok) throw new Error(created.failure.code);
    return created.value.key;
  };
  const agent = await create(undefined, always);
  const person = await create();
  let count = 0;
  const request = async (): Promise<Post> => {
    const draft = { text: `Post ${++count}`, scheduledAt: it.clock.after(HOUR_MS).toISOString() };
    const created = await it.atomic((ports) => createPost(ports, as(agent), draft));
    if (!created.ok) throw new Error(created.failure.code);
    return created.value;
  };
  const tokenOf = ({ approval }: Pick<Post, 'approval'>) => `${it.workspace.id}.${approval?.id}`;
  const open = async (post: Post): Promise<Decision> => {
    const decision = await openDecision(it.ports, tokenOf(post));
    if (!decision) throw new Error('the link is not known');
    return decision;
  };
  const callOf = ({ approval }: Decision) =>
    decisionPageCall(approval, { requestId: 'req_page', address: '203.0.113.7', signal: never });
  const decide = (
    decision: Decision,
    status: 'approved' | 'rejected' = 'approved',
    note: string | null = null,
  ) => decideOnPage(it.ports, callOf(decision), decision.approval, { digest: decision.digest, status, note });
  const approvalOf = async (post: Post) => {
    const [latest] = await it.repositories.approvals.listOf([post.id]);
    if (!latest) throw new Error('no approval');
    return latest;
  };
  return { ...it, as, create, agent, person, request, tokenOf, open, decide, approvalOf };
}

const codeOf = (result: { ok: boolean; failure?: { code: string } }) => result.failure?.code ?? 'ok';

describe('the decision', () => {
  test('shows exactly what is published, and is recorded with who, when, from where and what', async () => {
    const t = await scene();
    const post = await t.request();
    const page = await t.open(post);
    expect(page).toMatchObject({
      requestedBy: 'Writer',
      profile: { id: t.profile.id },
      subject: {
        kind: 'post',
        timezone: post.timezone,
        deliveries: [
          {
            isDue: false,
            scheduledAt: post.scheduledAt,
            parts: [{ kind: 'post', text: 'Post 1', length: { used: 6 }, media: [] }],
          },
        ],
      },
    });
    expect(await t.decide(page)).toMatchObject({
      ok: true,
      value: { status: 'approved', decidedBy: 'system:decision_page', decidedAt: expect.any(Date) },
    });
    expect(t.auditRows().at(-1)).toMatchObject({
      actor: 'system:decision_page',
      action: 'approveApproval',
      object: page.approval.id,
      details: { surface: 'hosted_page', address: '203.0.113.7', digests: page.approval.digests },
    });
    expect((await t.open(post)).subject).toBeNull();
  });

  test('is made once: neither another one nor the same one counts after it, also at the same time', async () => {
    const t = await scene();
    const page = await t.open(await t.request());
    expect(codeOf(await t.decide(page, 'rejected', 'No.'))).toBe('ok');
    expect(codeOf(await t.decide(page, 'rejected', 'No.'))).toBe('approval.decided');
    expect(codeOf(await t.decide(page))).toBe('approval.decided');
    const other = await t.open(await t.request());
    const both = await Promise.all([t.decide(other), t.decide(other, 'rejected', 'No.'), t.decide(other)]);
    expect(both.map(codeOf).sort()).toEqual(['approval.decided', 'approval.decided', 'ok']);
    const third = await t.request();
    const [byKey, onPage] = await Promise.all([
      t.atomic((ports) => approveApproval(ports, t.as(t.person), { id: third.approval?.id ?? '' })),
      t.open(third).then((opened) => t.decide(opened, 'rejected', 'No.')),
    ]);
    expect([codeOf(byKey), codeOf(onPage)].sort()).toEqual(['approval.decided', 'ok']);
  });

  test('is refused for content other than the page showed: after an edit, and after a change of the rows', async () => {
    const t = await scene();
    const post = await t.request();
    const before = await t.open(post);
    await t.atomic((ports) => updatePost(ports, t.as(t.agent), { id: post.id, text: 'Edited' }));
    expect(codeOf(await t.decide(before))).toBe('approval.decided');
    expect(await t.open(post)).toMatchObject({ approval: { status: 'withdrawn' }, subject: null });
    const after = await t.approvalOf(post);
    expect(after.id).not.toBe(before.approval.id);

    const altered = await t.request();
    const page = await t.open(altered);
    const [delivery] = altered.deliveries;
    if (!delivery) throw new Error('no delivery');
    await t.transactions.run(async (tx) =>
      ok(
        await tx.posts.rewrite({
          ...altered,
          deliveries: [{ ...delivery, status: 'awaiting_approval', options: { visibility: 'public' } }],
        }),
      ),
    );
    expect((await t.open(altered)).subject).toBeNull();
    expect(codeOf(await t.decide(page))).toBe('request.precondition_failed');
    expect(await t.approvalOf(altered)).toMatchObject({ status: 'pending' });
  });

  test('is refused with the digest of another page, and after the time to decide', async () => {
    const t = await scene();
    const [one, other] = [await t.open(await t.request()), await t.open(await t.request())];
    expect(codeOf(await t.decide({ ...one, digest: other.digest }))).toBe('request.precondition_failed');
    t.clock.advance(72 * HOUR_MS);
    expect(codeOf(await t.decide(one))).toBe('approval.decided');
    expect(await openDecision(t.ports, `${t.workspace.id}.${one.approval.id}`)).toMatchObject({
      subject: null,
    });
  });

  test('an unknown link opens nothing', async () => {
    const t = await scene();
    for (const token of ['', 'x', `${t.workspace.id}.apr_01kah3v5w8e2m6r9t0x4y7z1ab`])
      expect(await openDecision(t.ports, token)).toBeNull();
  });
});

test('a refund is shown with its lines and what remains, is sent once approved, and fails when rejected', async () => {
  const policy: Partial<KeyPolicy> = {
    approval: { posts: 'never', refundsOver: [{ currency: 'EUR', amountMinor: 0 }], expiresInHours: 72 },
  };
  for (const status of ['approved', 'rejected'] as const) {
    const t = createRefundFixture({}, policy);
    await t.s.store(t.key);
    const refund = await t.made({ lineItems: [{ id: 'mug', quantity: 1, restock: true }] });
    const link = t.s.ports.approvalLinks.urlOf({
      workspaceId: refund.workspaceId,
      id: refund.approval?.id as never,
    });
    const page = await openDecision(t.s.ports, link.split('/').at(-1) ?? '');
    expect(page?.subject).toMatchObject({
      kind: 'refund',
      refund: { amount: refund.amount },
      preview: { lines: [{ quantity: 1, restock: true }] },
    });
    if (!page) throw new Error('no page');
    const call = decisionPageCall(page.approval, { requestId: 'req_page', signal: never });
    const note = status === 'rejected' ? 'Too much.' : null;
    const decided = await decideOnPage(t.s.ports, call, page.approval, { digest: page.digest, status, note });
    expect(codeOf(decided)).toBe('ok');
    await t.work();
    expect(t.store.refunds).toHaveLength(status === 'approved' ? 1 : 0);
  }
});

describe('the link', () => {
  test('is found by keys that may decide, not over MCP, and while there is something to decide', async () => {
    const t = await scene();
    const post = await t.request();
    const approval = await t.approvalOf(post);
    const urlFor = (call: Call) => findDecisionUrl(t.ports, call, approval);
    const url = `https://switchboard.example/approvals/${t.tokenOf(post)}`;
    expect(urlFor(t.as(t.person))).toBe(url);
    const child = await t.create(t.as(t.agent), always);
    const unscoped = t.key({ scopes: ['posts:write', 'events:read'] });
    const elsewhere = t.key({
      scopes: ['approvals:write'],
      policy: { ...unrestrictedPolicy, profileIds: [t.build.profile(t.workspace).id] },
    });
    for (const key of [t.agent, child, unscoped, elsewhere]) expect(urlFor(t.as(key))).toBeNull();
    expect(urlFor(t.operator())).toBeNull();
    expect(urlFor({ ...t.as(t.person), surface: 'mcp' })).toBeNull();
    t.clock.advance(72 * HOUR_MS);
    expect(urlFor(t.as(t.person))).toBeNull();
  });

  test('is in the events of a key that may decide, never in stored ones, and no longer once decided', async () => {
    const t = await scene();
    const post = await t.request();
    const list = async (key: ApiKey) => {
      const listed = await listEvents(t.ports, t.as(key), { limit: 100, wait: 0 });
      if (!listed.ok) throw new Error(listed.failure.code);
      return listed.value.items.filter(({ type }) => type.startsWith('approval.')).map(({ data }) => data);
    };
    const url = `https://switchboard.example/approvals/${t.tokenOf(post)}`;
    expect(await list(t.person)).toMatchObject([{ approval_id: post.approval?.id, decision_url: url }]);
    expect(JSON.stringify([await list(t.agent), t.events(), t.auditRows()])).not.toContain('/approvals/');
    await t.decide(await t.open(post));
    const [requested, decided] = await list(t.person);
    expect([requested, decided]).toMatchObject([{ status: 'pending' }, { status: 'approved' }]);
    expect([requested, decided].some((data) => data && 'decision_url' in data)).toBe(false);
  });

  test('is received where the operator, or a key that may decide at this time, set the receiver', async () => {
    const t = await scene();
    const approval = await t.approvalOf(await t.request());
    const receives = (setBy: string | null) => mayReceiveLink(t.ports, approval, setBy);
    expect(await receives('system:operator')).toBe(true);
    expect(await receives(t.person.lineage)).toBe(true);
    const child = await t.create(t.as(t.agent), always);
    for (const setBy of [t.agent.lineage, child.lineage, null, 'system:worker', 'unknown'])
      expect([setBy, await receives(setBy)]).toEqual([setBy, false]);
    const narrowed = await t.create();
    expect(await receives(narrowed.lineage)).toBe(true);
    await t.atomic((ports) => updateKey(ports, t.operator(), { id: narrowed.id, scopes: ['posts:read'] }));
    expect(await receives(narrowed.lineage)).toBe(false);
    await t.atomic((ports) => revokeKey(ports, t.operator(), { id: t.person.id }));
    expect(await receives(t.person.lineage)).toBe(false);
  });

  test('is in an e-mail to addresses that the operator set, and not to those that the requesting key set', async () => {
    const t = await scene();
    const sent: Notification[] = [];
    const mailer = { send: async (_to: readonly string[], mail: Notification) => void sent.push(mail) };
    const observer = {
      onSent: () => {},
      onError: (error: unknown) => {
        throw error;
      },
    };
    const sweep = () => sendNotifications(t.ports, mailer, never, observer);
    const setBy = (call: Call, notifyEmails: readonly string[]) =>
      t.atomic((ports) => updateWorkspace(ports, call, { notifyEmails }));
    await setBy(t.operator(), ['team@lumen.example']);
    const post = await t.request();
    await sweep();
    const url = `https://switchboard.example/approvals/${t.tokenOf(post)}`;
    expect(sent[0]?.items).toMatchObject([{ link: { label: 'Look at it and decide', url } }]);

    await setBy(t.as(t.agent), ['team@lumen.example', 'agent@evil.example']);
    t.clock.advance(HOUR_MS / 2);
    await t.request();
    await sweep();
    expect(sent[1]?.items).toMatchObject([
      { link: null, text: expect.stringContaining('switchboard approvals') },
    ]);
    // The same addresses again, by another key, change nothing.
    await setBy(t.as(t.person), ['team@lumen.example', 'agent@evil.example']);
    expect(await t.repositories.workspaces.find(t.workspace.id)).toMatchObject({
      notifyEmailsSetBy: t.agent.lineage,
    });
  });

  test('fits the body of a webhook whatever is cut from it', () => {
    const body = formatWebhookBody(
      {
        id: 'evt_1' as never,
        workspaceId: 'wsp_1' as never,
        type: 'approval.requested',
        profileId: null,
        createdAt: new Date(0),
        sequence: 1,
        data: { summary: 'é'.repeat(30_000), decision_url: 'https://switchboard.example/approvals/x' },
      },
      { hidePersonalData: false },
    );
    expect(JSON.parse(body)).toMatchObject({
      data: { decision_url: 'https://switchboard.example/approvals/x', truncated: true },
    });
  });
});
