import { beforeEach, describe, expect, test } from '@jest/globals';
import type { ApiKey } from '../../src/access/api-key.js';
import type { AuthorizedClient } from '../../src/clients/authorized-client.js';
import type { OAuthRecord } from '../../src/ports/index.js';
import { type CreateStorage, useStorageWorld } from './storage-world.js';

const AUDIENCE = 'https://mcp.example/mcp';
const digestOf = (text: string) => new TextEncoder().encode(text);

export function clientsContract(make: CreateStorage): void {
  describe('clients of a key', () => {
    const world = useStorageWorld(make, beforeEach);
    let key: ApiKey;
    let client: AuthorizedClient;
    beforeEach(async () => {
      key = world.build.apiKey(world.ours.workspace);
      client = world.build.client(key, { scopes: ['posts:read', 'orders:read'] });
      await world.apiKeys.insert(key, new Uint8Array([1]));
      await world.clients.insert(client);
    });
    const us = () => world.ours.workspace.id;
    const token = (name: string, over: Partial<OAuthRecord> = {}) => ({
      kind: 'access_token' as const,
      digest: digestOf(name),
      clientId: client.id,
      payload: { client_id: 'x', aud: AUDIENCE },
      token: { scopes: ['posts:read' as const], audience: AUDIENCE },
      expiresAt: world.clock.after(3_600_000),
      ...over,
    });
    const store = (record: Omit<OAuthRecord, 'consumedAt'>) => world.oauthRecords.store(record);
    const listed = async () => (await world.clients.list(us(), key.lineage, { limit: 10 })).items;

    test('an invitation is found by its code, is used as often as it allows, and not after it expired', async () => {
      const invitation = world.build.invitation(key, { maxClients: 2 });
      const expired = world.build.invitation(key, { expiresAt: world.clock.after(-1000) });
      await world.invitations.insert(invitation, digestOf('code'));
      await world.invitations.insert(expired, digestOf('old code'));
      expect(await world.invitations.findByCode(digestOf('code'))).toEqual(invitation);
      expect(await world.invitations.find(invitation.id)).toEqual(invitation);
      expect(await world.invitations.findByCode(digestOf('other'))).toBeNull();
      const use = (id = invitation.id) => world.invitations.use(id);
      const uses = await Promise.all(Array.from({ length: 6 }, () => use()));
      expect(uses.filter((used) => used !== null)).toHaveLength(2);
      expect(await world.invitations.find(invitation.id)).toMatchObject({ uses: 2 });
      expect(await use(expired.id)).toBeNull();
      await expect(world.invitations.insert(world.build.invitation(key), digestOf('code'))).rejects.toThrow();
    });

    test('is listed with its lineage only, newest first', async () => {
      const second = world.build.client(key);
      const other = world.build.client(world.build.apiKey(world.ours.workspace));
      await world.clients.insert(second);
      await world.clients.insert(other);
      expect(await listed()).toEqual([second, client]);
      const first = await world.clients.list(us(), key.lineage, { limit: 1 });
      expect(first.items).toEqual([second]);
      expect(await world.clients.list(us(), key.lineage, { limit: 1, after: first.next })).toEqual({
        items: [client],
      });
      expect(await world.clients.list(world.theirs.workspace.id, key.lineage, { limit: 10 })).toEqual({
        items: [],
      });
      expect(await world.clients.find(world.theirs.workspace.id, client.id)).toBeNull();
      expect(await world.clients.find(us(), client.id)).toEqual(client);
      expect(await world.clients.findById(client.id)).toEqual(client);
    });

    test('ends once, with all its tokens, and can obtain no more', async () => {
      expect(await store(token('t'))).toBe(true);
      const end = () => world.clients.end(us(), client.id, 'revoked');
      expect(await world.clients.end(world.theirs.workspace.id, client.id, 'revoked')).toBeNull();
      expect(await end()).toMatchObject({ id: client.id, endReason: 'revoked', revokedAt: expect.any(Date) });
      expect(await end()).toBeNull();
      expect(await world.oauthRecords.find('access_token', digestOf('t'))).toBeNull();
      expect(await store(token('u'))).toBe(false);
      expect(await store(token('u', { clientId: world.ids.next('cli') }))).toBe(false);
      expect(await world.oauthRecords.find('access_token', digestOf('u'))).toBeNull();
    });

    test('ends with all others of its lineage', async () => {
      const [second, ended] = [world.build.client(key), world.build.client(key)];
      const other = world.build.client(world.build.apiKey(world.ours.workspace));
      for (const one of [second, ended, other]) await world.clients.insert(one);
      await world.clients.end(us(), ended.id, 'signed_out');
      const endedNow = await world.clients.endAll(us(), key.lineage, 'key_revoked');
      expect(endedNow.map(({ id }) => id).sort()).toEqual([client.id, second.id].sort());
      expect((await listed()).map(({ endReason }) => endReason)).toEqual([
        'signed_out',
        'key_revoked',
        'key_revoked',
      ]);
      expect((await world.clients.findById(other.id))?.revokedAt).toBeNull();
    });

    test('ends before or after a concurrent token, never with one left', async () => {
      const stores = Array.from({ length: 8 }, (_, at) => store(token(`t${at}`)));
      const end = world.clients.end(us(), client.id, 'revoked');
      await Promise.all([...stores, end]);
      for (let at = 0; at < 8; at++)
        expect(await world.oauthRecords.find('access_token', digestOf(`t${at}`))).toBeNull();
    });

    test('keeps the latest use', async () => {
      const [at, later] = [world.clock.now(), world.clock.after(60_000)];
      const touch = (time: Date) => world.clients.touch([{ id: client.id, at: time }]);
      await touch(later);
      await touch(at);
      expect((await world.clients.findById(client.id))?.lastUsedAt).toEqual(later);
      await world.clients.touch([]);
    });

    test('an access token represents the current key of the lineage, expired or not', async () => {
      const record = token('t');
      const old = token('old', { expiresAt: world.clock.after(-1000) });
      await store(record);
      await store(old);
      const found = { client, key, ...record.token, expiresAt: record.expiresAt };
      expect(await world.accessTokens.find(digestOf('t'))).toEqual(found);
      expect(await world.accessTokens.find(digestOf('nothing'))).toBeNull();
      expect(await world.accessTokens.findAll([digestOf('x'), digestOf('old'), digestOf('t')])).toEqual([
        null,
        { ...found, expiresAt: old.expiresAt },
        found,
      ]);
      expect(await world.accessTokens.findAll([])).toEqual([]);
      const next = world.build.apiKey(world.ours.workspace, { lineage: key.lineage });
      await world.apiKeys.insert(next, new Uint8Array([2]));
      await world.apiKeys.update(us(), key.id, { replacedBy: next.id });
      expect((await world.accessTokens.find(digestOf('t')))?.key).toEqual(next);
    });

    test('no other record is an access token', async () => {
      await store(token('r', { kind: 'refresh_token', token: null }));
      expect(await world.accessTokens.find(digestOf('r'))).toBeNull();
      expect(await world.oauthRecords.find('access_token', digestOf('r'))).toBeNull();
    });

    test('a record is stored, replaced, consumed once by any number of calls, and deleted', async () => {
      const digest = digestOf('code');
      const record = token('code', { kind: 'authorization_code', token: null });
      await store(record);
      expect(await world.oauthRecords.find('authorization_code', digest)).toEqual({
        ...record,
        consumedAt: null,
      });
      const changed = { ...record, payload: { nested: { list: [1, 'two'] } } };
      await store(changed);
      expect((await world.oauthRecords.find('authorization_code', digest))?.payload).toEqual(changed.payload);
      const consume = () => world.oauthRecords.consume('authorization_code', digest);
      const consumed = await Promise.all(Array.from({ length: 6 }, consume));
      expect(consumed.filter(Boolean)).toHaveLength(1);
      expect((await world.oauthRecords.find('authorization_code', digest))?.consumedAt).toEqual(
        expect.any(Date),
      );
      await world.oauthRecords.delete('authorization_code', digest);
      expect(await world.oauthRecords.find('authorization_code', digest)).toBeNull();
      expect(await consume()).toBe(false);
    });

    test('a registration belongs to no client and does not expire', async () => {
      const record = {
        kind: 'client' as const,
        digest: digestOf('registered'),
        clientId: null,
        payload: { client_name: 'Claude' },
        token: null,
        expiresAt: null,
      };
      await store(record);
      expect(await world.oauthRecords.find('client', digestOf('registered'))).toEqual({
        ...record,
        consumedAt: null,
      });
    });
  });
}
