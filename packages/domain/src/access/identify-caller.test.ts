import { describe, expect, test } from '@jest/globals';
import { createTestEnvironment, type TestEnvironment } from '../../testing/environment/test-environment.js';
import type { Surface } from '../call.js';
import type { AuthorizedClient } from '../clients/authorized-client.js';
import type { OAuthRecord } from '../ports/index.js';
import { createToken, isAccessToken } from './access-token.js';
import type { ApiKey } from './api-key.js';
import { identifyCaller } from './identify-caller.js';
import { unrestrictedPolicy, type KeyPolicy } from './policy.js';

const MCP = 'https://mcp.example/mcp';
const ADDRESS = '192.0.2.7';

/** A token as the authorization server issues it: its text begins with the prefix of its kind. */
const textOf = (letter: string) => createToken('access_token', { random: () => letter.repeat(43) });

async function scene(
  over: { key?: Partial<ApiKey>; policy?: Partial<KeyPolicy>; client?: Partial<AuthorizedClient> } = {},
) {
  const it = await createTestEnvironment();
  const key = it.build.apiKey(it.workspace, {
    scopes: ['posts:read', 'orders:read'],
    policy: { ...unrestrictedPolicy, ...over.policy },
    ...over.key,
  });
  const client = it.build.client(key, { scopes: ['posts:read', 'orders:read'], ...over.client });
  await it.repositories.apiKeys.insert(key, new Uint8Array([1]));
  await it.repositories.clients.insert(client);
  return { it, key, client };
}
const issue = (
  it: TestEnvironment,
  client: AuthorizedClient,
  text: string,
  over: Partial<OAuthRecord> = {},
) =>
  it.repositories.oauthRecords.store({
    kind: 'access_token',
    digest: it.ports.tokens.digest(text),
    clientId: client.id,
    payload: {},
    token: { scopes: client.scopes, audience: MCP },
    expiresAt: it.clock.after(3_600_000),
    ...over,
  });
const identified = (it: TestEnvironment, text: string, surface: Surface = 'mcp', address = ADDRESS) =>
  identifyCaller(it.ports, { authorization: `Bearer ${text}`, address, surface });

describe('an access token', () => {
  test('represents the key of its client, with the consented scopes', async () => {
    const { it, key, client } = await scene({ client: { scopes: ['posts:read'] } });
    await issue(it, client, textOf('a'));
    const caller = { ...key, scopes: ['posts:read'], client: client.id };
    expect(await identified(it, textOf('a'))).toEqual({
      result: { ok: true, value: caller },
      namedKey: caller,
    });
  });

  test('loses a scope that its key has lost, and never has one that was not consented', async () => {
    const { it, key, client } = await scene({ client: { scopes: ['posts:read', 'orders:read'] } });
    await issue(it, client, textOf('a'), {
      token: { scopes: ['posts:read', 'orders:read', 'connections:read'], audience: MCP },
    });
    await it.repositories.apiKeys.update(it.workspace.id, key.id, {
      scopes: ['orders:read', 'connections:read'],
    });
    expect((await identified(it, textOf('a'))).result).toMatchObject({ value: { scopes: ['orders:read'] } });
  });

  test.each(['rest', 'cli', 'hosted_page', 'worker'] as const)(
    'is refused on %s like an invalid key',
    async (surface) => {
      const { it, client } = await scene();
      await issue(it, client, textOf('a'));
      const refused = await identified(it, textOf('a'), surface);
      expect(refused).toEqual(await identified(it, 'swb_nothing', surface));
      expect(refused.result).toMatchObject({ failure: { code: 'auth.invalid_key' } });
    },
  );

  test('is refused with one refusal when unknown, of another resource, or of a revoked client', async () => {
    const { it, client } = await scene();
    await issue(it, client, textOf('b'), {
      token: { scopes: client.scopes, audience: 'https://other.example/mcp' },
    });
    const unknown = await identified(it, textOf('a'));
    const elsewhere = await identified(it, textOf('b'));
    await issue(it, client, textOf('c'));
    await it.repositories.clients.end(it.workspace.id, client.id, 'revoked');
    for (const each of [unknown, elsewhere, await identified(it, textOf('c'))])
      expect(each.result).toEqual((await identified(it, 'swb_nothing')).result);
    expect([unknown.namedKey, elsewhere.reason]).toEqual([null, 'elsewhere']);
  });

  test('is refused after an hour, and its address is not throttled for that', async () => {
    const { it, client } = await scene();
    let failures = 0;
    const ports = {
      ...it.ports,
      addressThrottle: {
        ...it.ports.addressThrottle,
        recordFailure: async () => (++failures > 0 ? null : null),
      },
    };
    const present = (text: string) =>
      identifyCaller(ports, { authorization: `Bearer ${text}`, address: ADDRESS, surface: 'mcp' });
    await issue(it, client, textOf('a'));
    it.clock.advance(3_600_000);
    expect(await present(textOf('a'))).toMatchObject({
      result: { failure: { code: 'auth.invalid_key' } },
      reason: 'expired',
    });
    expect(failures).toBe(0);
    await present(textOf('b'));
    expect(failures).toBe(1);
  });

  test.each([
    ['revoked', { key: { revokedAt: new Date(0) } }],
    ['expired', { policy: { expiresAt: new Date(0) } }],
    ['elsewhere', { policy: { allowedCidrs: ['198.51.100.0/24'] } }],
  ] as const)('ends with its key: %s', async (reason, over) => {
    const { it, client } = await scene(over);
    await issue(it, client, textOf('a'));
    expect(await identified(it, textOf('a'))).toMatchObject({
      result: { failure: { code: 'auth.invalid_key' } },
      namedKey: { client: client.id },
      reason,
    });
  });

  test('follows a rotation of its key', async () => {
    const { it, key, client } = await scene();
    const next = it.build.apiKey(it.workspace, { lineage: key.lineage, scopes: key.scopes });
    await it.repositories.apiKeys.insert(next, new Uint8Array([2]));
    await it.repositories.apiKeys.update(it.workspace.id, key.id, { replacedBy: next.id });
    await issue(it, client, textOf('a'));
    expect((await identified(it, textOf('a'))).result).toMatchObject({ value: { id: next.id } });
  });

  test('that is malformed costs no lookup', async () => {
    const { it, client } = await scene();
    const text = textOf('a');
    await issue(it, client, text);
    const lookups: Uint8Array[] = [];
    const find = async (digest: Uint8Array) => {
      lookups.push(digest);
      return it.ports.accessTokens.find(digest);
    };
    const ports = { ...it.ports, accessTokens: { ...it.ports.accessTokens, find } };
    const typed = text.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x'));
    for (const wrong of [
      typed,
      text.slice(0, -1),
      `${text}0`,
      text.replace('swb_at_', 'swb_rt_'),
      'a'.repeat(43),
    ]) {
      const refused = await identifyCaller(ports, {
        authorization: `Bearer ${wrong}`,
        address: ADDRESS,
        surface: 'mcp',
      });
      expect(refused.result).toMatchObject({ failure: { code: 'auth.invalid_key' } });
    }
    expect(lookups).toHaveLength(0);
    expect([isAccessToken(text), isAccessToken(typed)]).toEqual([true, false]);
  });
});
