import { beforeEach, expect, test } from '@jest/globals';
import type { ApiKey } from '@switchboard/domain/access';
import type { AuthorizedClient } from '@switchboard/domain/clients';
import type { AccessTokens } from '@switchboard/domain/ports';
import { builders, memoryPorts, type MemoryPorts } from '@switchboard/domain/testing';
import { cachedAccessTokens } from './cached-keys.js';

const DIGEST = new Uint8Array([1, 2, 255]);

let memory: MemoryPorts;
let tokens: AccessTokens;
let key: ApiKey;
let client: AuthorizedClient;
let queries: number;
let notify: (changed: string | null) => void;
const notices = {
  on: (_channel: string, handler: (payload: string | null) => void) => void (notify = handler),
  state: () => 'listening' as const,
};
beforeEach(async () => {
  memory = memoryPorts();
  const build = builders(memory);
  const workspace = build.workspace();
  const { workspaces, apiKeys, clients, oauthRecords, accessTokens } = memory.repositories;
  await workspaces.insert(workspace);
  key = build.apiKey(workspace);
  client = build.client(key);
  await apiKeys.insert(key, new Uint8Array(32));
  await clients.insert(client);
  await oauthRecords.store({
    kind: 'access_token',
    digest: DIGEST,
    clientId: client.id,
    payload: {},
    token: { scopes: client.scopes, audience: 'https://mcp.example/mcp' },
    expiresAt: memory.clock.after(3_600_000),
  });
  queries = 0;
  const counting: AccessTokens = {
    find(digest) {
      queries += 1;
      return accessTokens.find(digest);
    },
    findAll(digests) {
      queries += 1;
      return accessTokens.findAll(digests);
    },
  };
  tokens = cachedAccessTokens(counting, notices, () => 5000);
});
const find = () => tokens.find(DIGEST);

test('sends one query for a token that many requests present, and none for announcements of others', async () => {
  await Promise.all(Array.from({ length: 10 }, find));
  notify('another key');
  expect(await find()).toMatchObject({ client, key });
  expect(queries).toBe(1);
});

test('detects the end of a client, and a changed or rotated key, as soon as it is announced', async () => {
  expect((await find())?.key.scopes).toEqual(key.scopes);
  const { apiKeys, clients } = memory.repositories;
  await apiKeys.update(key.workspaceId, key.id, { scopes: ['posts:read'] });
  notify(key.publicId);
  expect((await find())?.key.scopes).toEqual(['posts:read']);
  const next = builders(memory).apiKey({ id: key.workspaceId }, { lineage: key.lineage });
  await apiKeys.insert(next, new Uint8Array(32));
  await apiKeys.update(key.workspaceId, key.id, { replacedBy: next.id });
  notify(key.publicId);
  expect((await find())?.key.id).toBe(next.id);
  await clients.end(key.workspaceId, client.id, 'revoked');
  expect(await find()).not.toBeNull();
  notify(client.id);
  expect(await find()).toBeNull();
});

test('drops everything after a gap in the announcements', async () => {
  await find();
  await memory.repositories.clients.end(key.workspaceId, client.id, 'revoked');
  notify(null);
  expect(await find()).toBeNull();
});
