import { describe, expect, test } from '@jest/globals';
import { createTestEnvironment, type TestEnvironment } from '../../testing/environment/test-environment.js';
import type { ApiKey } from '../access/api-key.js';
import { unrestrictedPolicy, type KeyPolicy } from '../access/policy.js';
import { revokeKey } from '../access/revoke-key.js';
import { rotateKey } from '../access/rotate-key.js';
import type { Call } from '../call.js';
import { authorizeClient } from './authorize-client.js';
import { createInvitation } from './create-invitation.js';
import { endClient } from './end-client.js';
import { findActiveClient } from './find-active-client.js';
import { findConsent, findInvitation } from './find-consent.js';
import { listClients } from './list-clients.js';
import { revokeClient } from './revoke-client.js';

const ceiling = { refundCeilings: [{ currency: 'EUR', perRefundMinor: 5000, perDayMinor: 50_000 }] };

async function keyOf(it: TestEnvironment, over: Partial<ApiKey> = {}, policy: Partial<KeyPolicy> = {}) {
  const key = it.build.apiKey(it.workspace, {
    scopes: ['posts:read', 'posts:write', 'orders:read', 'refunds:write', 'keys:admin'],
    policy: { ...unrestrictedPolicy, ...policy },
    ...over,
  });
  await it.repositories.apiKeys.insert(key, new Uint8Array([1]));
  return key;
}
const invite = (it: TestEnvironment, key: ApiKey, call: Call = it.operator(), maxClients = 1) =>
  it.atomic((ports) => createInvitation(ports, call, { id: key.id, expiresInMinutes: 60, maxClients }));
async function codeFor(it: TestEnvironment, key: ApiKey, maxClients = 1) {
  const invited = await invite(it, key, it.operator(), maxClients);
  if (!invited.ok) throw new Error(invited.failure.code);
  return { code: invited.value.code.reveal(), invitation: invited.value.invitation };
}
const client = { oauthClientId: 'https://claude.example/meta.json', name: 'Claude', host: 'claude.example' };
async function authorized(it: TestEnvironment, key: ApiKey, scopes: ApiKey['scopes'] = ['posts:read']) {
  const { invitation } = await codeFor(it, key);
  const done = await authorizeClient(it.ports, 'req_1', { ...client, invitationId: invitation.id, scopes });
  if (!done.ok) throw new Error(done.failure.code);
  return done.value;
}
const types = (it: TestEnvironment) => it.events().map(({ type }) => type);

describe('an invitation', () => {
  test('is found by its code, however a person types it, until it expires', async () => {
    const it = await createTestEnvironment();
    const { code, invitation } = await codeFor(it, await keyOf(it));
    expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/);
    const typed = [
      code,
      code.toLowerCase(),
      code.replaceAll('-', ' '),
      ` ${code.replaceAll('-', '–')}\u200b`,
    ];
    for (const one of [...typed, code.replaceAll('0', 'o').replaceAll('1', 'l')])
      expect(await findInvitation(it.ports, one)).toEqual({ ok: true, value: invitation });
    for (const wrong of [
      '',
      code.slice(1),
      `${code}X`,
      code.replace(/^./, (first) => (first === 'Z' ? 'Y' : 'Z')),
    ])
      expect(await findInvitation(it.ports, wrong)).toMatchObject({
        failure: { code: 'invitation.not_found' },
      });
    it.clock.advance(3_600_000);
    expect(await findInvitation(it.ports, code)).toMatchObject({ ok: false });
    expect(await findConsent(it.ports, invitation.id)).toMatchObject({ ok: false });
  });

  test('stores only a digest of its code', async () => {
    const it = await createTestEnvironment();
    const { code, invitation } = await codeFor(it, await keyOf(it));
    const stored = JSON.stringify([await it.repositories.invitations.find(invitation.id), it.events()]);
    expect(stored).not.toContain(code);
    expect(stored).not.toContain(code.replaceAll('-', ''));
  });

  test('needs a key that may be used, is not rotated, and holds a scope that can be granted', async () => {
    const it = await createTestEnvironment();
    const revoked = await keyOf(it, { revokedAt: it.clock.now() });
    const expired = await keyOf(it, {}, { expiresAt: it.clock.now() });
    const next = await keyOf(it);
    const rotated = await keyOf(it, { replacedBy: next.id });
    for (const key of [revoked, expired, rotated])
      expect(await invite(it, key)).toMatchObject({ failure: { code: 'key.ended' } });
    const admin = await keyOf(it, {
      scopes: ['keys:admin', 'workspace:admin', 'approvals:write', 'audit:read'],
    });
    const refunds = await keyOf(it, { scopes: ['refunds:write'] });
    for (const key of [admin, refunds])
      expect(await invite(it, key)).toMatchObject({ failure: { code: 'key.nothing_to_grant' } });
    expect(await invite(it, await keyOf(it, { scopes: ['refunds:write'] }, ceiling))).toMatchObject({
      ok: true,
    });
    const foreign = it.build.apiKey(it.build.workspace());
    expect(await invite(it, foreign)).toMatchObject({ failure: { code: 'key.not_found' } });
  });

  test('of a key to a wider key is refused, and to another key makes it an ancestor', async () => {
    const it = await createTestEnvironment();
    const narrow = await keyOf(it, { scopes: ['posts:read', 'keys:admin'] });
    const limited = await keyOf(it, {}, ceiling);
    const other = await keyOf(it, {}, ceiling);
    const by = (key: ApiKey): Call => ({ ...it.operator(), actor: { kind: 'key', key } });
    expect(await invite(it, other, by(narrow))).toMatchObject({ failure: { code: 'key.scope_exceeded' } });
    expect(await invite(it, await keyOf(it), by(limited))).toMatchObject({
      failure: { code: 'key.policy_exceeded' },
    });
    expect(await invite(it, other, by(limited))).toMatchObject({
      value: { key: { id: other.id, ancestors: [limited.lineage] } },
    });
    expect((await it.repositories.apiKeys.find(it.workspace.id, other.id))?.ancestors).toEqual([
      limited.lineage,
    ]);
    expect(await invite(it, limited, by(limited))).toMatchObject({ value: { key: limited } });
  });
});

describe('the consent page', () => {
  test('offers what the key holds and a client can be granted, with its workspace and profiles', async () => {
    const it = await createTestEnvironment();
    const key = await keyOf(it, { scopes: ['posts:write', 'orders:read', 'keys:admin', 'audit:read'] });
    const { invitation } = await codeFor(it, key);
    expect(await findConsent(it.ports, invitation.id)).toEqual({
      ok: true,
      value: {
        invitation,
        key,
        workspace: it.workspace,
        profiles: [it.profile],
        scopes: ['posts:write', 'orders:read'],
        ceilings: null,
      },
    });
  });

  test('offers refunds only with a ceiling, and only the profiles of the key', async () => {
    const it = await createTestEnvironment();
    const own = it.build.profile(it.workspace);
    await it.repositories.profiles.insert(own);
    const bound = { ...ceiling, profileIds: [own.id] };
    const key = await keyOf(it, { scopes: ['orders:read', 'refunds:write'] }, bound);
    const { invitation } = await codeFor(it, key);
    expect(await findConsent(it.ports, invitation.id)).toMatchObject({
      value: {
        profiles: [own],
        scopes: ['orders:read', 'refunds:write'],
        ceilings: [{ currency: 'EUR', perRefundMinor: 5000, perDayLeftMinor: 50_000 }],
      },
    });
    const unlimited = await keyOf(it, { scopes: ['orders:read', 'refunds:write'] });
    const second = await codeFor(it, unlimited);
    expect(await findConsent(it.ports, second.invitation.id)).toMatchObject({
      value: { scopes: ['orders:read'], ceilings: null },
    });
  });
});

describe('authorizing a client', () => {
  test('uses the invitation, with an event and an audit row', async () => {
    const it = await createTestEnvironment();
    const key = await keyOf(it);
    const { invitation, code } = await codeFor(it, key);
    const command = {
      ...client,
      invitationId: invitation.id,
      scopes: ['posts:read', 'orders:read'] as const,
    };
    const done = await authorizeClient(it.ports, 'req_1', command);
    if (!done.ok) throw new Error(done.failure.code);
    const { id } = done.value;
    expect(done.value).toMatchObject({ ...client, lineage: key.lineage, revokedAt: null });
    expect(it.events()).toMatchObject([
      { type: 'client.authorized', data: { client_id: id, key_id: key.id, host: 'claude.example' } },
    ]);
    expect(it.auditRows()).toMatchObject([
      { actor: 'system:consent_page', action: 'authorizeClient', object: id, details: { key: key.id } },
    ]);
    expect(await findInvitation(it.ports, code)).toMatchObject({ ok: false });
    expect(await authorizeClient(it.ports, 'req_2', command)).toMatchObject({
      failure: { code: 'invitation.not_found' },
    });
  });

  test('happens once for one use, however many visitors submit at once', async () => {
    const it = await createTestEnvironment();
    const { invitation } = await codeFor(it, await keyOf(it), 2);
    const command = { ...client, invitationId: invitation.id, scopes: ['posts:read'] as const };
    const all = await Promise.all(
      Array.from({ length: 6 }, (_, at) => authorizeClient(it.ports, `req_${at}`, command)),
    );
    expect(all.filter(({ ok }) => ok)).toHaveLength(2);
    expect(types(it)).toEqual(['client.authorized', 'client.authorized']);
  });

  test.each([
    ['that the key does not hold', ['connections:write']],
    ['that is never granted', ['posts:read', 'keys:admin']],
    ['for refunds without a ceiling', ['refunds:write']],
    ['at all', []],
  ] as const)('with no scope %s, and a refusal uses nothing', async (_, scopes) => {
    const it = await createTestEnvironment();
    const { invitation, code } = await codeFor(it, await keyOf(it));
    const command = { ...client, invitationId: invitation.id, scopes };
    expect(await authorizeClient(it.ports, 'req_1', command)).toMatchObject({ ok: false });
    expect(await findInvitation(it.ports, code)).toMatchObject({ ok: true });
    expect([types(it), it.auditRows()]).toEqual([[], []]);
  });

  test('is refused when the key has been narrowed or revoked since the page was shown', async () => {
    const it = await createTestEnvironment();
    const key = await keyOf(it);
    const { invitation } = await codeFor(it, key, 2);
    const command = { ...client, invitationId: invitation.id, scopes: ['orders:read'] as const };
    await it.repositories.apiKeys.update(it.workspace.id, key.id, { scopes: ['posts:read'] });
    expect(await authorizeClient(it.ports, 'req_1', command)).toMatchObject({
      failure: { code: 'key.scope_exceeded' },
    });
    await it.repositories.apiKeys.revoke(it.workspace.id, key.id);
    expect(await authorizeClient(it.ports, 'req_1', command)).toMatchObject({
      failure: { code: 'invitation.not_found' },
    });
  });
});

describe('an authorized client', () => {
  test('is listed with its key, before and after a rotation', async () => {
    const it = await createTestEnvironment();
    const key = await keyOf(it);
    const first = await authorized(it, key);
    const rotated = await it.atomic((ports) =>
      rotateKey(ports, it.operator(), { id: key.id, overlapSeconds: 0 }),
    );
    if (!rotated.ok) throw new Error(rotated.failure.code);
    expect(await findActiveClient(it.ports, first.id)).toEqual(first);
    for (const id of [key.id, rotated.value.key.id])
      expect(await listClients(it.ports, it.operator(), { id, limit: 10 })).toMatchObject({
        value: { items: [first], nextCursor: null },
      });
    expect(await listClients(it.ports, it.operator(), { id: 'key_x', limit: 10 })).toMatchObject({
      failure: { code: 'key.not_found' },
    });
  });

  test('is revoked once, with one event, by its own key’s path only', async () => {
    const it = await createTestEnvironment();
    const [key, other] = [await keyOf(it), await keyOf(it)];
    const { id } = await authorized(it, key);
    const revoke = (keyId: string, clientId: string) =>
      it.atomic((ports) => revokeClient(ports, it.operator(), { id: keyId, clientId }));
    for (const [keyId, clientId] of [
      [other.id, id],
      [key.id, it.ids.next('cli')],
      [key.id, 'cli_x'],
    ] as const)
      expect(await revoke(keyId, clientId)).toMatchObject({ failure: { code: 'client.not_found' } });
    expect(await revoke(other.id, 'x')).toMatchObject({ failure: { code: 'client.not_found' } });
    expect(await revoke('key_x', id)).toMatchObject({ failure: { code: 'key.not_found' } });
    const first = await revoke(key.id, id);
    expect(first).toMatchObject({ value: { endReason: 'revoked' } });
    expect(await revoke(key.id, id)).toEqual(first);
    expect(types(it)).toEqual(['client.authorized', 'client.revoked']);
    expect(await findActiveClient(it.ports, id)).toBeNull();
  });

  test('ends when the authorization server says so, with an event and an audit row, once', async () => {
    const it = await createTestEnvironment();
    const { id } = await authorized(it, await keyOf(it));
    for (const reason of ['token_reused', 'signed_out'] as const)
      await endClient(it.ports, 'req_2', id, reason);
    await endClient(it.ports, 'req_3', it.ids.next('cli'), 'signed_out');
    expect(it.events().slice(1)).toMatchObject([
      { type: 'client.revoked', data: { client_id: id, reason: 'token_reused' } },
    ]);
    expect(it.auditRows().slice(1)).toMatchObject([
      { actor: 'system:authorization_server', action: 'revokeClient', object: id },
    ]);
  });

  test('ends with the current key of its lineage, and not with a rotated one', async () => {
    const it = await createTestEnvironment();
    const key = await keyOf(it);
    const { id } = await authorized(it, key);
    const rotated = await it.atomic((ports) =>
      rotateKey(ports, it.operator(), { id: key.id, overlapSeconds: 60 }),
    );
    if (!rotated.ok) throw new Error(rotated.failure.code);
    const revoke = (keyId: string) => it.atomic((ports) => revokeKey(ports, it.operator(), { id: keyId }));
    await revoke(key.id);
    expect(await findActiveClient(it.ports, id)).not.toBeNull();
    await revoke(rotated.value.key.id);
    expect(await findActiveClient(it.ports, id)).toBeNull();
    expect(await it.repositories.clients.findById(id)).toMatchObject({ endReason: 'key_revoked' });
    expect(types(it).slice(-2)).toEqual(['key.revoked', 'client.revoked']);
  });

  test('cannot obtain tokens once its key has expired', async () => {
    const it = await createTestEnvironment();
    const { id } = await authorized(it, await keyOf(it, {}, { expiresAt: it.clock.after(60_000) }));
    expect(await findActiveClient(it.ports, id)).not.toBeNull();
    it.clock.advance(60_000);
    expect(await findActiveClient(it.ports, id)).toBeNull();
  });
});
