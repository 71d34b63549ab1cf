import type { AuthorizedClient, ClientEndReason } from '../../src/clients/authorized-client.js';
import type {
  AccessTokens,
  Clients,
  Clock,
  Invitations,
  OAuthRecordKind,
  OAuthRecords,
} from '../../src/ports/index.js';
import type { MemoryState } from './memory-state.js';
import { assertUnique, findOwned, ofWorkspace, pageOf, sameBytes, insertNew } from './rows.js';

export const memoryInvitations = (state: MemoryState, clock: Clock): Invitations => ({
  insert: async (invitation, codeDigest) => {
    const taken = [...state.invitations.values()].some((row) => sameBytes(row.codeDigest, codeDigest));
    assertUnique(!taken, invitation.id);
    state.invitations.set(invitation.id, { ...invitation, codeDigest });
  },
  findByCode: async (codeDigest) => {
    const row = [...state.invitations.values()].find((one) => sameBytes(one.codeDigest, codeDigest));
    return row ? withoutDigest(row) : null;
  },
  find: async (id) => {
    const row = state.invitations.get(id);
    return row ? withoutDigest(row) : null;
  },
  use: async (id) => {
    const row = state.invitations.get(id);
    if (!row || row.uses >= row.maxClients || row.expiresAt <= clock.now()) return null;
    const used = { ...row, uses: row.uses + 1 };
    state.invitations.set(id, used);
    return withoutDigest(used);
  },
});

const withoutDigest = <Row extends { readonly codeDigest: Uint8Array }>({
  codeDigest: _,
  ...row
}: Row): Omit<Row, 'codeDigest'> => row;

export const memoryClients = (state: MemoryState, clock: Clock): Clients => {
  const end = (row: AuthorizedClient, endReason: ClientEndReason) => {
    const ended = { ...row, revokedAt: clock.now(), endReason };
    state.clients.set(row.id, ended);
    for (const [name, { clientId }] of state.oauthRecords)
      if (clientId === row.id) state.oauthRecords.delete(name);
    return ended;
  };
  const ofLineage = (workspaceId: AuthorizedClient['workspaceId'], lineage: string) =>
    ofWorkspace(state.clients, workspaceId).filter((row) => row.lineage === lineage);
  return {
    find: async (workspaceId, id) => findOwned(state.clients, workspaceId, id),
    findById: async (id) => state.clients.get(id) ?? null,
    list: async (workspaceId, lineage, page) => pageOf(ofLineage(workspaceId, lineage).reverse(), page),
    insert: async (client) => insertNew(state.clients, client),
    end: async (workspaceId, id, reason) => {
      const row = findOwned(state.clients, workspaceId, id);
      return row && row.revokedAt === null ? end(row, reason) : null;
    },
    endAll: async (workspaceId, lineage, reason) =>
      ofLineage(workspaceId, lineage)
        .filter(({ revokedAt }) => revokedAt === null)
        .map((row) => end(row, reason)),
    touch: async (uses) => {
      for (const { id, at } of uses) {
        const row = state.clients.get(id);
        if (row && (!row.lastUsedAt || row.lastUsedAt < at))
          state.clients.set(id, { ...row, lastUsedAt: at });
      }
    },
  };
};

const nameOf = (kind: OAuthRecordKind, digest: Uint8Array) => `${kind} ${digest.join()}`;

export const memoryAccessTokens = (state: MemoryState): AccessTokens => {
  const find = (digest: Uint8Array) => {
    const record = state.oauthRecords.get(nameOf('access_token', digest));
    const client = record?.clientId && state.clients.get(record.clientId);
    if (!record?.token || !record.expiresAt || !client) return null;
    const key = [...state.apiKeys.values()]
      .map((row) => row.key)
      .find(
        ({ workspaceId, lineage, replacedBy }) =>
          workspaceId === client.workspaceId && lineage === client.lineage && replacedBy === null,
      );
    return key ? { client, key, ...record.token, expiresAt: record.expiresAt } : null;
  };
  return { find: async (digest) => find(digest), findAll: async (digests) => digests.map(find) };
};

export const memoryOAuthRecords = (state: MemoryState, clock: Clock): OAuthRecords => ({
  find: async (kind, digest) => {
    const row = state.oauthRecords.get(nameOf(kind, digest));
    if (!row) return null;
    const { workspaceId: _, ...record } = row;
    return record;
  },
  store: async (record) => {
    const client = record.clientId === null ? null : state.clients.get(record.clientId);
    if (client === undefined || (client && client.revokedAt !== null)) return false;
    const name = nameOf(record.kind, record.digest);
    state.oauthRecords.set(name, { ...record, consumedAt: null, workspaceId: client?.workspaceId ?? null });
    return true;
  },
  consume: async (kind, digest) => {
    const record = state.oauthRecords.get(nameOf(kind, digest));
    if (!record || record.consumedAt !== null) return false;
    state.oauthRecords.set(nameOf(kind, digest), { ...record, consumedAt: clock.now() });
    return true;
  },
  delete: async (kind, digest) => void state.oauthRecords.delete(nameOf(kind, digest)),
});
