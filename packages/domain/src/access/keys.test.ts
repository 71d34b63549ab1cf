import { describe, expect, test } from '@jest/globals';
import { createTestEnvironment, type TestEnvironment } from '../../testing/environment/test-environment.js';
import { createKey, type CreateKey } from './create-key.js';
import { identify } from './identify.js';
import { revokeKey } from './revoke-key.js';
import { workspaceWideScopes } from './scope.js';

const create = (it: TestEnvironment, over: Partial<CreateKey> = {}, call = it.operator()) =>
  it.atomic((ports) => createKey(ports, call, { name: 'shop', scopes: ['posts:write'], ...over }));
const revoke = (it: TestEnvironment, id: string, call = it.operator()) =>
  it.atomic((ports) => revokeKey(ports, call, { id }));
const presented = (it: TestEnvironment, authorization: string | undefined, address = '192.0.2.7') =>
  identify(it.ports, { authorization, address });
async function made(it: TestEnvironment, over: Partial<CreateKey> = {}) {
  const created = await create(it, over);
  if (!created.ok) throw new Error(created.failure.code);
  return { key: created.value.key, header: `Bearer ${created.value.token.reveal()}` };
}
const counted = (it: TestEnvironment) => it.events().length;

describe('a new key', () => {
  test('is stored as a hash, with its event', async () => {
    const it = await createTestEnvironment();
    const { key, header } = await made(it);
    expect(await it.repositories.apiKeys.find(it.workspace.id, key.id)).toEqual(key);
    expect(key).toMatchObject({ lineage: key.id, scopes: ['posts:write'], revokedAt: null });
    expect(it.events()).toMatchObject([{ type: 'key.created', data: { key_id: key.id } }]);
    const secret = header.replace(`Bearer swb_${key.publicId}`, '');
    expect(JSON.stringify([key, it.events()])).not.toContain(secret);
  });

  test.each(workspaceWideScopes)('restricted to profiles cannot hold %s', async (scope) => {
    const it = await createTestEnvironment();
    const bound = { scopes: [scope], policy: { profileIds: [it.profile.id] } };
    expect(await create(it, bound)).toMatchObject({ failure: { code: 'key.policy_exceeded' } });
    expect(await create(it, { scopes: [scope] })).toMatchObject({ ok: true });
  });

  test('can be restricted only to profiles of its own workspace, and a rejected one leaves nothing behind', async () => {
    const it = await createTestEnvironment();
    const foreignProfile = it.build.profile(it.build.workspace());
    await it.repositories.profiles.insert(foreignProfile);
    for (const profileIds of [[foreignProfile.id], [it.profile.id, it.ids.next('prf')]]) {
      expect(await create(it, { policy: { profileIds } })).toMatchObject({
        failure: { code: 'profile.not_found' },
      });
    }
    expect(counted(it)).toBe(0);
  });
});

test('revoking ends a key once, emits one event, and is limited to the key’s workspace', async () => {
  const it = await createTestEnvironment();
  const { key } = await made(it);
  const elsewhere = { ...it.operator(), workspaceId: it.build.workspace().id };
  expect(await revoke(it, key.id, elsewhere)).toMatchObject({ failure: { code: 'key.not_found' } });
  const first = await revoke(it, key.id);
  it.clock.advance(60_000);
  const second = await revoke(it, key.id);
  expect(first).toEqual(second);
  expect(it.events().map(({ type }) => type)).toEqual(['key.created', 'key.revoked']);
});

describe('identification', () => {
  test('accepts a valid key regardless of the case of the scheme', async () => {
    const it = await createTestEnvironment();
    const { key, header } = await made(it);
    for (const shown of [
      header,
      header.replace('Bearer', 'bearer'),
      header.replace(' ', '   '),
      `${header} `,
    ]) {
      expect(await presented(it, shown)).toEqual({ result: { ok: true, value: key }, namedKey: key });
    }
  });

  test('rejects a malformed key without a lookup', async () => {
    const it = await createTestEnvironment();
    const { header } = await made(it);
    const apiKeys = { ...it.ports.apiKeys, findByPublicId: () => Promise.reject(new Error('looked up')) };
    const flipped = header.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    for (const authorization of [
      undefined,
      '',
      'Bearer',
      header.slice(7),
      `Basic ${header}`,
      flipped,
      `${header},x`,
      `${header} x`,
    ]) {
      const { result, namedKey } = await identify(
        { ...it.ports, apiKeys },
        { authorization, address: undefined },
      );
      expect(result).toMatchObject({ failure: { code: 'auth.invalid_key' } });
      expect(namedKey).toBeNull();
    }
  });

  test('rejects unknown, forged, expired and revoked keys alike, and reports a known key only with the right secret', async () => {
    const it = await createTestEnvironment();
    const forged = it.ports.keyHasher.generate().token.reveal();
    const expired = await made(it, { policy: { expiresAt: it.clock.after(1000) } });
    const revoked = await made(it);
    await revoke(it, revoked.key.id);
    expect((await presented(it, expired.header)).result).toMatchObject({ ok: true });
    it.clock.advance(1000);
    const answers = [];
    for (const header of [undefined, `Bearer ${forged}`, expired.header, revoked.header]) {
      answers.push(await presented(it, header));
    }
    expect(new Set(answers.map(({ result }) => JSON.stringify(result))).size).toBe(1);
    expect(answers.map(({ namedKey }) => namedKey?.id)).toEqual([
      undefined,
      undefined,
      expired.key.id,
      revoked.key.id,
    ]);
  });

  test('rejects the public part of a key with another secret', async () => {
    const it = await createTestEnvironment();
    const { key } = await made(it);
    const other = it.ports.keyHasher.generate();
    const apiKeys = {
      ...it.ports.apiKeys,
      findByPublicId: async () => it.repositories.apiKeys.findByPublicId(key.publicId),
    };
    const identified = await identify(
      { ...it.ports, apiKeys },
      { authorization: `Bearer ${other.token.reveal()}`, address: undefined },
    );
    expect(identified).toMatchObject({ result: { ok: false }, namedKey: null });
  });
});

describe('an address with too many failures (finding 12)', () => {
  test('gets 429 with the time to wait for rejected keys, and its valid keys are still accepted', async () => {
    const it = await createTestEnvironment();
    const failures: (string | undefined)[] = [];
    const addressThrottle = {
      ...it.ports.addressThrottle,
      recordFailure: async (address: string | undefined) => (failures.push(address) > 2 ? 17 : null),
    };
    const from = (authorization: string | undefined) =>
      identify({ ...it.ports, addressThrottle }, { authorization, address: '192.0.2.7' });
    const { key, header } = await made(it);
    const revoked = await made(it);
    await revoke(it, revoked.key.id);
    const forged = `Bearer ${it.ports.keyHasher.generate().token.reveal()}`;
    const codes = [];
    for (const authorization of [undefined, forged, undefined, forged, revoked.header]) {
      const { result } = await from(authorization);
      codes.push(result.ok ? 'ok' : result.failure.code);
    }
    expect(codes).toEqual([
      ...Array<string>(2).fill('auth.invalid_key'),
      ...Array<string>(3).fill('rate_limit.exceeded'),
    ]);
    const refused = await from(revoked.header);
    expect(refused).toMatchObject({
      result: { failure: { retryAfterSeconds: 17 } },
      namedKey: { id: revoked.key.id },
      reason: 'revoked',
    });
    expect(failures).toEqual(Array<string>(6).fill('192.0.2.7'));
    expect(await from(header)).toEqual({ result: { ok: true, value: key }, namedKey: key });
    expect(failures).toHaveLength(6);
  });
});
