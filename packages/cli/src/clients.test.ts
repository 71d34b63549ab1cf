import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startService, type Service } from '@switchboard/bootstrap';
import type { Scope } from '@switchboard/domain/access';
import { authorizeClient, findInvitation } from '@switchboard/domain/clients';
import { testDatabase } from '@switchboard/persistence/testing';
import { createInstallation, type Installation } from './testing/installation.js';

let installation: Installation;
let service: Service;
beforeAll(async () => {
  installation = await createInstallation({ DATABASE_URL: await testDatabase('cli_clients') });
  service = await startService({ app: 'cli', logTo: 'stderr', env: installation.env });
});
afterAll(async () => {
  await service.close();
  await installation.remove();
});

interface Invitation {
  readonly id: string;
  readonly key_id: string;
  readonly code: string;
  readonly mcp_url: string;
}

interface Client {
  readonly id: string;
  readonly key_id: string;
  readonly revoked_at: string | null;
  readonly end_reason: string | null;
}

const newKey = async (name: string, ...options: readonly string[]) =>
  (await installation.json<{ id: string }>('keys', 'create', '--name', name, ...options)).id;

/** What the consent page does with a code. */
async function connectClient(code: string, name: string, scopes: readonly Scope[] = ['posts:read']) {
  const invitation = await findInvitation(service.ports, code);
  if (!invitation.ok) return invitation;
  const identity = { oauthClientId: 'reg_1', name, host: 'claude.ai' };
  return authorizeClient(service.ports, 'req_1', { ...identity, invitationId: invitation.value.id, scopes });
}

describe('keys invite', () => {
  test('prints the code of a new key alone on standard output, with the address to enter beside it', async () => {
    const { code, stdout, stderr } = await installation.run(
      ...['keys', 'invite', '--name', 'claude', '--preset', 'agent', '--expires-in-minutes', '5'],
    );
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^([0-9A-Z]{4}-){3}[0-9A-Z]{4}\n$/)]);
    expect(stderr).toContain(service.ports.settings.mcpUrl);
    expect(stderr).toContain('5 minutes');
    expect(await connectClient(stdout.trim(), 'Claude')).toMatchObject({
      ok: true,
      value: { name: 'Claude' },
    });
    expect(await connectClient(stdout.trim(), 'Claude')).toMatchObject({
      failure: { code: 'invitation.not_found' },
    });
  });

  test('invites to an existing key, as many clients as stated', async () => {
    const id = await newKey('shared', '--preset', 'reader');
    const invitation = await installation.json<Invitation>('keys', 'invite', id, '--max-clients', '2');
    expect(invitation).toMatchObject({ key_id: id, mcp_url: service.ports.settings.mcpUrl, max_clients: 2 });
    for (const expected of [true, true, false])
      expect((await connectClient(invitation.code, 'Claude')).ok).toBe(expected);
  });

  test.each([
    ['neither a key nor a name', [], 2, /Name an existing key/],
    ['a name without scopes', ['--name', 'x'], 2, /--preset/],
    ['a code that lasts a year', ['--name', 'x', '--expires-in-minutes', '525600'], 2, /5 to 10080/],
    ['an unknown key', ['key_01kah3v5w8e2m6r9t0x4y7z1ab'], 1, /no key with this id/],
    ['a key of only administration', ['--name', 'x', '--scopes', 'keys:admin'], 1, /no scope that a client/],
  ])('rejects %s', async (_, options, exit, reason) => {
    const { code, stdout, stderr } = await installation.run('keys', 'invite', ...options);
    expect([code, stdout, stderr]).toEqual([exit, '', expect.stringMatching(reason)]);
  });
});

describe('keys clients', () => {
  test('lists the clients of one key or all, and ends the access of one', async () => {
    const ids = [
      await newKey('first', '--preset', 'reader'),
      await newKey('second', '--preset', 'reader'),
    ] as const;
    for (const [index, id] of ids.entries()) {
      const { code } = await installation.json<Invitation>('keys', 'invite', id);
      await connectClient(code, `client of key ${index}`);
    }
    const listed = async (...of: readonly string[]) =>
      (await installation.json<{ data: readonly Client[] }>('keys', 'clients', ...of)).data;
    const [client] = await listed(ids[0]);
    expect(client).toMatchObject({ key_id: ids[0], name: 'client of key 0', revoked_at: null });
    expect((await listed()).map(({ key_id }) => key_id)).toEqual(expect.arrayContaining([...ids]));

    const foreign = await installation.run('keys', 'clients', ids[1], '--revoke', client?.id ?? '');
    expect([foreign.code, foreign.stderr]).toEqual([1, expect.stringContaining('no client with this id')]);
    const revoked = await installation.run('keys', 'clients', '--revoke', client?.id ?? '');
    expect([revoked.code, revoked.stdout]).toEqual([0, 'Ended the access of client of key 0 (claude.ai).\n']);
    expect(await listed(ids[0])).toMatchObject([{ end_reason: 'revoked' }]);
    const { stdout } = await installation.run('keys', 'clients');
    expect(stdout).toMatch(new RegExp(`${client?.id} +client of key 0 +claude\\.ai +revoked, 20`));
    expect(stdout).toMatch(/client of key 1 +claude\.ai +connected +never used +second +posts:read/);
  });

  test('survives the rotation of the key, and ends with its revocation', async () => {
    const old = await newKey('rotating', '--preset', 'reader');
    const { code } = await installation.json<Invitation>('keys', 'invite', old);
    await connectClient(code, 'Claude');
    const next = await installation.json<{ id: string }>('keys', 'rotate', old);
    const listed = async (id: string) =>
      (await installation.json<{ data: readonly Client[] }>('keys', 'clients', id)).data;
    expect(await listed(next.id)).toMatchObject([{ revoked_at: null }]);
    await installation.run('keys', 'revoke', next.id);
    expect(await listed(next.id)).toMatchObject([{ end_reason: 'key_revoked' }]);
  });
});
