import { describe, expect, test } from '@jest/globals';
import { createTestEnvironment, type TestEnvironment } from '../../testing/environment/test-environment.js';
import { keyOf, type Call } from '../call.js';
import type { ApiKey } from './api-key.js';
import { authorize } from './authorize.js';
import { createKey, type CreateKey } from './create-key.js';
import { identify } from './identify.js';
import { checkKeyBounds } from './key-bounds.js';
import { unrestrictedPolicy, type KeyPolicy } from './policy.js';
import { rotateKey } from './rotate-key.js';
import type { Scope } from './scope.js';
import { updateKey, type UpdateKey } from './update-key.js';

const year = new Date('2027-01-01T00:00:00Z');
const later = new Date('2027-06-01T00:00:00Z');

/** A call of a key with these limits and the scope `keys:admin`. */
const caller = (
  it: TestEnvironment,
  policy: Partial<KeyPolicy> = {},
  scopes: readonly Scope[] = ['keys:admin', 'posts:write'],
): Call =>
  it.call({ actor: { kind: 'key', key: it.key({ scopes, policy: { ...unrestrictedPolicy, ...policy } }) } });

const codeOf = (result: { ok: boolean; failure?: { code: string } }) =>
  result.ok ? 'ok' : result.failure?.code;

const create = (it: TestEnvironment, call: Call, over: Partial<CreateKey> = {}) =>
  it.atomic((ports) => createKey(ports, call, { name: 'made', scopes: ['posts:read'], ...over }));
const update = (it: TestEnvironment, call: Call, changes: UpdateKey) =>
  it.atomic((ports) => updateKey(ports, call, changes));
const rotate = (it: TestEnvironment, call: Call, id: string, overlapSeconds: number) =>
  it.atomic((ports) => rotateKey(ports, call, { id, overlapSeconds }));
async function made(it: TestEnvironment, over: Partial<CreateKey> = {}) {
  const created = await create(it, it.operator(), over);
  if (!created.ok) throw new Error(created.failure.code);
  return { ...created.value.key, header: `Bearer ${created.value.token.reveal()}` };
}
async function created(it: TestEnvironment, call: Call): Promise<ApiKey> {
  const result = await create(it, call);
  if (!result.ok) throw new Error(result.failure.code);
  return result.value.key;
}
const knows = async (it: TestEnvironment, authorization: string, address = '192.0.2.7') =>
  (await identify(it.ports, { authorization, address })).result.ok;

const ceiling = (perRefundMinor: number, perDayMinor: number, currency = 'EUR') => ({
  currency,
  perRefundMinor,
  perDayMinor,
});
const ask = (amountMinor: number, posts: 'never' | 'always' = 'never', currency = 'EUR') => ({
  posts,
  refundsOver: [{ currency, amountMinor }],
  expiresInHours: 72,
});

type Case = [string, Partial<KeyPolicy>, Partial<KeyPolicy>, 'ok' | 'key.policy_exceeded'];
const cases: Case[] = [
  ['an earlier expiry', { expiresAt: later }, { expiresAt: year }, 'ok'],
  ['a later expiry', { expiresAt: year }, { expiresAt: later }, 'key.policy_exceeded'],
  ['no expiry', { expiresAt: year }, {}, 'key.policy_exceeded'],
  [
    'a subset of the network',
    { allowedCidrs: ['10.0.0.0/8'] },
    { allowedCidrs: ['10.1.0.0/16', '10.2.3.4'] },
    'ok',
  ],
  [
    'another network',
    { allowedCidrs: ['10.0.0.0/8'] },
    { allowedCidrs: ['10.1.0.0/16', '11.0.0.0/16'] },
    'key.policy_exceeded',
  ],
  ['every network', { allowedCidrs: ['10.0.0.0/8'] }, {}, 'key.policy_exceeded'],
  ['a lower ceiling', { refundCeilings: [ceiling(50, 500)] }, { refundCeilings: [ceiling(50, 400)] }, 'ok'],
  ['no refunds', { refundCeilings: [ceiling(50, 500)] }, { refundCeilings: [] }, 'ok'],
  [
    'a higher ceiling per refund',
    { refundCeilings: [ceiling(50, 500)] },
    { refundCeilings: [ceiling(51, 500)] },
    'key.policy_exceeded',
  ],
  [
    'a higher ceiling per day',
    { refundCeilings: [ceiling(50, 500)] },
    { refundCeilings: [ceiling(50, 501)] },
    'key.policy_exceeded',
  ],
  [
    'another currency',
    { refundCeilings: [ceiling(50, 500)] },
    { refundCeilings: [ceiling(1, 1, 'USD')] },
    'key.policy_exceeded',
  ],
  ['no ceiling', { refundCeilings: [ceiling(50, 500)] }, {}, 'key.policy_exceeded'],
  ['hidden customer data', { hidePersonalData: true }, { hidePersonalData: true }, 'ok'],
  ['visible customer data', { hidePersonalData: true }, {}, 'key.policy_exceeded'],
  [
    'approval where none was required',
    {},
    { expiresAt: later, refundCeilings: [ceiling(9, 9)], hidePersonalData: true },
    'ok',
  ],
];

test('a change that changes nothing keeps the version of a key', async () => {
  const it = await createTestEnvironment();
  const { id, name, scopes } = await made(it, { policy: { expiresAt: later } });
  for (const changes of [{}, { name, scopes, policy: { expiresAt: later, approval: null } }]) {
    expect(await update(it, it.operator(), { id, ...changes })).toMatchObject({ value: { version: 1 } });
  }
  expect(await update(it, it.operator(), { id, name: 'other' })).toMatchObject({ value: { version: 2 } });
});

test.each<[string, Partial<KeyPolicy>, Partial<KeyPolicy>, 'ok' | 'key.policy_exceeded']>([
  ['approval from a lower amount', { approval: ask(100) }, { approval: ask(90, 'always') }, 'ok'],
  ['approval from a higher amount', { approval: ask(100) }, { approval: ask(101) }, 'key.policy_exceeded'],
  ['posts without approval', { approval: ask(100, 'always') }, { approval: ask(100) }, 'key.policy_exceeded'],
  ['no approval', { approval: ask(100) }, {}, 'key.policy_exceeded'],
  [
    'approval from an amount of a currency that always needs one',
    { approval: ask(100) },
    {
      approval: {
        ...ask(100),
        refundsOver: [...ask(100).refundsOver, ...ask(1, 'never', 'USD').refundsOver],
      },
    },
    'key.policy_exceeded',
  ],
  [
    'approval of every refund in a currency',
    {
      approval: {
        ...ask(100),
        refundsOver: [...ask(100).refundsOver, ...ask(1, 'never', 'USD').refundsOver],
      },
    },
    { approval: ask(100) },
    'ok',
  ],
  [
    'refunds without approval',
    { approval: ask(100) },
    { approval: { ...ask(100), refundsOver: [] } },
    'key.policy_exceeded',
  ],
  [
    'a longer wait for the decision',
    { approval: ask(100) },
    { approval: { ...ask(100), expiresInHours: 73 } },
    'key.policy_exceeded',
  ],
  ['a policy that demands nothing', { approval: { ...ask(1), refundsOver: [] } }, {}, 'ok'],
])('compares the bounds of a key that requires approval, for %s: %s', async (_, own, policy, code) => {
  const it = await createTestEnvironment();
  const wanted = { scopes: ['posts:write'], policy: { ...unrestrictedPolicy, ...policy } } as const;
  expect(codeOf(checkKeyBounds(caller(it, own), wanted))).toBe(code);
});

describe.each(cases)('bounds of a key, %s:', (_, own, policy, code) => {
  test('apply on creation, change and rotation', async () => {
    const it = await createTestEnvironment();
    expect(codeOf(await create(it, caller(it, own), { policy }))).toBe(code);
    const alike = await made(it, { policy: own });
    expect(
      codeOf(
        await update(it, caller(it, own), { id: alike.id, policy: { ...unrestrictedPolicy, ...policy } }),
      ),
    ).toBe(code);
    const { id } = await made(it, { policy });
    expect(codeOf(await rotate(it, caller(it, own), id, 0))).toBe(code);
  });
});

test('a key cannot grant a scope it does not hold, and posts:write grants posts:read', async () => {
  const it = await createTestEnvironment();
  const call = caller(it);
  expect(await create(it, call)).toMatchObject({ ok: true });
  const refunds = { scopes: ['posts:read', 'refunds:write'] as const };
  const exceeded = { failure: { code: 'key.scope_exceeded' } };
  expect(await create(it, call, refunds)).toMatchObject(exceeded);
  const strong = await made(it, refunds);
  expect(await update(it, call, { id: (await made(it)).id, ...refunds })).toMatchObject(exceeded);
  expect(await rotate(it, call, strong.id, 0)).toMatchObject(exceeded);
});

test('a key can neither rename nor change a key with wider permissions (finding 11)', async () => {
  const it = await createTestEnvironment();
  const stronger = await made(it, { scopes: ['posts:read', 'refunds:write'] });
  expect(await update(it, caller(it), { id: stronger.id, name: 'renamed' })).toMatchObject({
    failure: { code: 'key.scope_exceeded' },
  });
  const freer = await made(it);
  const limited = caller(it, { refundCeilings: [ceiling(50, 500)] });
  expect(await update(it, limited, { id: freer.id, policy: { refundCeilings: [] } })).toMatchObject({
    failure: { code: 'key.policy_exceeded' },
  });
  expect(await update(it, caller(it), { id: freer.id, name: 'renamed' })).toMatchObject({ ok: true });
});

describe('a part of a policy that this version does not know, as a later version stores it', () => {
  const unknown = (part: object) => ({ ...unrestrictedPolicy, ...part }) as KeyPolicy;
  const parts: readonly [string, object][] = [
    ['a field', { quietHours: '22-06' }],
    ['a field of the approval', { approval: { ...ask(1), media: 'always' } }],
    ['a value', { approval: { ...ask(1), posts: 'sometimes' } }],
  ];

  test.each(parts)('%s makes the key read-only, and blocks its rotation and changes', async (_, part) => {
    const it = await createTestEnvironment();
    const key = it.key({ scopes: ['posts:write'], policy: unknown(part) });
    const code = (effect: string) => codeOf(authorize(key, { scope: 'posts:write', effect }));
    expect([code('read'), code('create'), code('irreversible')]).toEqual([
      'ok',
      'key.policy_unsupported',
      'key.policy_unsupported',
    ]);
    await it.repositories.apiKeys.insert(key, new Uint8Array());
    expect(codeOf(await rotate(it, it.operator(), key.id, 0))).toBe('key.policy_unsupported');
    expect(codeOf(await update(it, it.operator(), { id: key.id, name: 'renamed' }))).toBe(
      'key.policy_unsupported',
    );
  });

  test('a known policy is accepted', async () => {
    const it = await createTestEnvironment();
    const { id } = await made(it, { policy: { approval: ask(100, 'always') } });
    expect(codeOf(await rotate(it, it.operator(), id, 0))).toBe('ok');
  });
});

describe('the expiry of a key (findings 4 and 11)', () => {
  test('must not be in the past', async () => {
    const it = await createTestEnvironment();
    const past = {
      failure: { code: 'request.invalid', problems: [{ path: 'policy.expires_at', code: 'time.past' }] },
    };
    const expiresAt = it.clock.now();
    expect(await create(it, it.operator(), { policy: { expiresAt } })).toMatchObject(past);
    const { id } = await made(it, { policy: { expiresAt: it.clock.after(1000) } });
    expect(await update(it, it.operator(), { id, policy: { expiresAt } })).toMatchObject(past);
    it.clock.advance(2000);
    expect(await update(it, it.operator(), { id, scopes: ['orders:read'] })).toMatchObject({ ok: true });
  });

  test('cannot be moved after a rotation, regardless of the caller', async () => {
    const it = await createTestEnvironment();
    const { id, header } = await made(it);
    await rotate(it, it.operator(), id, 0);
    const rotated = { failure: { code: 'key.rotated' } };
    expect(await update(it, it.operator(), { id, policy: { expiresAt: null } })).toMatchObject(rotated);
    expect(await update(it, caller(it), { id, policy: { expiresAt: later } })).toMatchObject(rotated);
    expect(await knows(it, header)).toBe(false);
    expect(await update(it, it.operator(), { id, name: 'old' })).toMatchObject({ ok: true });
  });
});

describe('the ancestors of a key (finding 2)', () => {
  test('are the lineage of the creating key and that key’s ancestors; empty when the operator created it', async () => {
    const it = await createTestEnvironment();
    const root = it.key({ scopes: ['keys:admin', 'posts:read'] });
    const as = (key: ApiKey) => it.call({ actor: { kind: 'key', key } });
    const child = await created(it, as(root));
    const grandchild = await created(it, as({ ...child, scopes: ['keys:admin', 'posts:read'] }));
    expect([child.ancestors, grandchild.ancestors]).toEqual([[root.lineage], [child.lineage, root.lineage]]);
    expect((await made(it)).ancestors).toEqual([]);
  });

  test('include the lineage of a key that rotates it, because that key receives the new secret', async () => {
    const it = await createTestEnvironment();
    const other = await made(it);
    const call = caller(it);
    const rotated = await rotate(it, call, other.id, 60);
    const lineage = keyOf(call).lineage;
    expect(rotated).toMatchObject({ value: { key: { lineage: other.id, ancestors: [lineage] } } });
    const own = await made(it);
    const byItself = await rotate(
      it,
      it.call({ actor: { kind: 'key', key: { ...own, scopes: ['keys:admin', 'posts:read'] } } }),
      own.id,
      60,
    );
    expect(byItself).toMatchObject({ value: { key: { ancestors: [] } } });
  });

  test('are limited to eight levels', async () => {
    const it = await createTestEnvironment();
    const ancestors = Array.from({ length: 8 }, (_, index) => `key_${index}`);
    const deep = it.key({ scopes: ['keys:admin', 'posts:read'], ancestors });
    const call = it.call({ actor: { kind: 'key', key: deep } });
    expect(codeOf(await create(it, call))).toBe('key.delegation_too_deep');
    const shallow = it.key({ scopes: ['keys:admin', 'posts:read'], ancestors: ancestors.slice(1) });
    expect(codeOf(await create(it, it.call({ actor: { kind: 'key', key: shallow } })))).toBe('ok');
  });
});

describe('changing a key', () => {
  test('keeps omitted fields and the secret', async () => {
    const it = await createTestEnvironment();
    const { id, header } = await made(it, { policy: { expiresAt: later, hidePersonalData: true } });
    const changed = await update(it, it.operator(), {
      id,
      scopes: ['orders:read'],
      policy: { expiresAt: null },
    });
    expect(changed).toMatchObject({
      value: {
        name: 'made',
        scopes: ['orders:read'],
        policy: { expiresAt: null, hidePersonalData: true },
        version: 2,
      },
    });
    expect(await knows(it, header)).toBe(true);
  });

  test('is rejected for a stale version, an unknown key and unknown profiles', async () => {
    const it = await createTestEnvironment();
    const { id } = await made(it);
    expect(await update(it, { ...it.operator(), ifMatch: '"2"' }, { id, name: 'a' })).toMatchObject({
      failure: { code: 'request.precondition_failed' },
    });
    expect(await update(it, it.operator(), { id: it.ids.next('key'), name: 'a' })).toMatchObject({
      failure: { code: 'key.not_found' },
    });
    for (const profileIds of [['nonsense'], [it.ids.next('prf')]]) {
      expect(await update(it, it.operator(), { id, policy: { profileIds } })).toMatchObject({
        failure: { code: 'profile.not_found' },
      });
    }
  });
});

describe('rotating a key', () => {
  test('gives the old key an overlap, and the new key its family, scopes and policy', async () => {
    const it = await createTestEnvironment();
    const { header, ...old } = await made(it, { policy: { hidePersonalData: true } });
    const rotated = await rotate(it, it.operator(), old.id, 60);
    if (!rotated.ok) throw new Error(rotated.failure.code);
    const { key, token } = rotated.value;
    expect(key).toMatchObject({ lineage: old.id, name: old.name, scopes: old.scopes, policy: old.policy });
    expect(await it.repositories.apiKeys.find(it.workspace.id, old.id)).toMatchObject({ replacedBy: key.id });
    const both = async () => [await knows(it, header), await knows(it, `Bearer ${token.reveal()}`)];
    expect(await both()).toEqual([true, true]);
    it.clock.advance(60_000);
    expect(await both()).toEqual([false, true]);
    expect(it.events().map(({ type }) => type)).toEqual(['key.created', 'key.rotated']);
  });

  test('never extends the life of the old key, and succeeds only once', async () => {
    const it = await createTestEnvironment();
    const { id } = await made(it, { policy: { expiresAt: it.clock.after(1000) } });
    await rotate(it, it.operator(), id, 3600);
    const old = await it.repositories.apiKeys.find(it.workspace.id, id);
    expect(old?.policy.expiresAt?.getTime()).toBeLessThan(it.clock.after(1000).getTime());
    expect(await rotate(it, it.operator(), id, 0)).toMatchObject({ failure: { code: 'key.ended' } });
  });
});

test('a key is accepted only from its networks', async () => {
  const it = await createTestEnvironment();
  const { header } = await made(it, { policy: { allowedCidrs: ['10.0.0.0/8', '2001:db8::/32'] } });
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '2001:db8::7'])
    expect(await knows(it, header, address)).toBe(true);
  for (const address of ['11.0.0.1', '::1', '']) expect(await knows(it, header, address)).toBe(false);
  expect((await identify(it.ports, { authorization: header, address: undefined })).result.ok).toBe(false);
});
