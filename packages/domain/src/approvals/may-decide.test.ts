import { expect, test } from '@jest/globals';
import { createTestEnvironment } from '../../testing/environment/test-environment.js';
import type { ApiKey } from '../access/api-key.js';
import { createKey } from '../access/create-key.js';
import { revokeKey } from '../access/revoke-key.js';
import { rotateKey } from '../access/rotate-key.js';
import { updateKey } from '../access/update-key.js';
import { unrestrictedPolicy, type KeyPolicy } from '../access/policy.js';
import type { Call } from '../call.js';
import { createPost } from '../posts/create-post.js';
import { approveApproval } from './approve-approval.js';

const always: Partial<KeyPolicy> = { approval: { posts: 'always', refundsOver: [], expiresInHours: 72 } };
const scopes = ['posts:write', 'approvals:write', 'keys:admin'] as const;

/** Keys that the operator and other keys create, and a post that one of them requests. */
async function scene() {
  const it = await createTestEnvironment();
  await it.connect();
  const as = (key: ApiKey): Call => it.call({ actor: { kind: 'key', key } });
  const create = async (by: Call, policy: Partial<KeyPolicy> = {}): Promise<ApiKey> => {
    const created = await it.atomic((ports) => createKey(ports, by, { name: 'key', scopes, policy }));
    if (!created.ok) throw new Error(created.failure.code);
    return created.value.key;
  };
  let count = 0;
  const requestBy = async (key: ApiKey): Promise<string> => {
    const created = await it.atomic((ports) => createPost(ports, as(key), { text: `Post ${++count}` }));
    if (!created.ok) throw new Error(created.failure.code);
    return created.value.approval?.id ?? '';
  };
  const codeOf = (result: { ok: boolean; failure?: { code: string } }) => result.failure?.code ?? 'ok';
  return {
    ...it,
    as,
    create,
    requestBy,
    decide: async (key: ApiKey, id: string) =>
      codeOf(await it.atomic((ports) => approveApproval(ports, as(key), { id }))),
  };
}

const refused = 'approval.not_permitted';

test('neither the requesting key, its descendants, nor its ancestors below the first decide', async () => {
  const t = await scene();
  const root = await t.create(t.operator());
  const parent = await t.create(t.as(root));
  const agent = await t.create(t.as(parent), always);
  const child = await t.create(t.as(agent), always);
  const grandchild = await t.create(t.as(child), always);
  const id = await t.requestBy(agent);
  for (const key of [agent, child, grandchild, parent]) expect(await t.decide(key, id)).toBe(refused);
  // The secret of a nephew is its creator's, who may not decide.
  const nephew = await t.create(t.as(parent), always);
  expect(await t.decide(nephew, id)).toBe(refused);
  const sibling = await t.create(t.as(root));
  const unrelated = await t.create(t.operator());
  for (const key of [sibling, unrelated, root]) {
    const fresh = await t.requestBy(agent);
    expect(await t.decide(key, fresh)).toBe('ok');
  }
});

test('a key that was rotated, before or after the request, stays in its family', async () => {
  const t = await scene();
  const agent = await t.create(t.operator(), always);
  const id = await t.requestBy(agent);
  const rotated = await t.atomic((ports) =>
    rotateKey(ports, t.operator(), { id: agent.id, overlapSeconds: 60 }),
  );
  if (!rotated.ok) throw new Error(rotated.failure.code);
  expect(await t.decide(rotated.value.key, id)).toBe(refused);
  expect(await t.decide(agent, id)).toBe(refused);
});

test('a key that rotates another key of the operator becomes its ancestor: what that key requests, it does not decide', async () => {
  const t = await scene();
  const admin = await t.create(t.operator());
  const agent = await t.create(t.operator(), always);
  const rotated = await t.atomic((ports) =>
    rotateKey(ports, t.as(admin), { id: agent.id, overlapSeconds: 0 }),
  );
  if (!rotated.ok) throw new Error(rotated.failure.code);
  const id = await t.requestBy(rotated.value.key);
  // The first key of its line is the one that the operator created.
  expect(await t.decide(admin, id)).toBe('ok');
  const second = await t.requestBy(rotated.value.key);
  expect(await t.decide(rotated.value.key, second)).toBe(refused);
});

test('a first key whose own policy demands the approval does not decide about its descendants', async () => {
  const t = await scene();
  const root = await t.create(t.operator(), always);
  const agent = await t.create(t.as(root), always);
  const sibling = await t.create(t.as(root), always);
  const id = await t.requestBy(agent);
  for (const key of [root, sibling]) expect(await t.decide(key, id)).toBe(refused);
});

test('two families that each need approvals decide about each other', async () => {
  const t = await scene();
  const [one, other] = [await t.create(t.operator(), always), await t.create(t.operator(), always)];
  expect(await t.decide(other, await t.requestBy(one))).toBe('ok');
  expect(await t.decide(one, await t.requestBy(other))).toBe('ok');
});

test('a key decides by what is stored about it at the moment of the decision', async () => {
  const t = await scene();
  const agent = await t.create(t.operator(), always);
  const id = await t.requestBy(agent);
  const revoked = await t.create(t.operator());
  await t.atomic((ports) => revokeKey(ports, t.operator(), { id: revoked.id }));
  const expired = await t.create(t.operator(), { expiresAt: t.clock.after(60_000) });
  t.clock.advance(60_000);
  const narrowed = await t.create(t.operator());
  await t.atomic((ports) => updateKey(ports, t.operator(), { id: narrowed.id, scopes: ['posts:read'] }));
  for (const key of [revoked, expired, narrowed]) expect(await t.decide(key, id)).toBe(refused);
  const moved = await t.create(t.operator());
  const elsewhere = t.build.profile(t.workspace);
  await t.repositories.profiles.insert(elsewhere);
  const policy = { profileIds: [elsewhere.id] };
  const allowed = { id: moved.id, scopes: ['approvals:write'] as const, policy };
  expect(await t.atomic((ports) => updateKey(ports, t.operator(), allowed))).toMatchObject({ ok: true });
  expect(await t.decide(moved, id)).toBe('approval.not_found');
});

test('a key that is bound to profiles decides only about theirs', async () => {
  const t = await scene();
  const agent = await t.create(t.operator(), always);
  const id = await t.requestBy(agent);
  const bound = (profileIds: KeyPolicy['profileIds']) =>
    t.key({ scopes: ['approvals:write'], policy: { ...unrestrictedPolicy, profileIds } });
  const elsewhere = t.build.profile(t.workspace);
  await t.repositories.profiles.insert(elsewhere);
  const keys = [bound([elsewhere.id]), bound([t.profile.id])] as const;
  for (const key of keys) await t.repositories.apiKeys.insert(key, new Uint8Array());
  expect(await t.decide(keys[0], id)).toBe('approval.not_found');
  expect(await t.decide(keys[1], id)).toBe('ok');
});

test('foreign, malformed and missing approvals are not found', async () => {
  const t = await scene();
  const key = await t.create(t.operator());
  for (const id of ['apr_01kah3v5w8e2m6r9t0x4y7z1ab', 'apr_', 'pst_01kah3v5w8e2m6r9t0x4y7z1ab', ''])
    expect(await t.decide(key, id)).toBe('approval.not_found');
});
