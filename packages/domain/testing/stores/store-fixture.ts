import { createHash } from 'node:crypto';
import type { ApiKey } from '../../src/access/api-key.js';
import { unrestrictedPolicy, type KeyPolicy } from '../../src/access/policy.js';
import type { Call } from '../../src/call.js';
import type { Connection } from '../../src/connections/connection.js';
import { refuse } from '../../src/failure.js';
import type { Clock, Ports, RemoteOrderKey, Session, TokenUse } from '../../src/ports/index.js';
import { ok } from '../../src/result.js';
import { builders } from '../builders.js';
import { fakeApprovalLinks } from '../environment/fake-media.js';
import { plaintextCursors } from '../environment/plaintext-cursors.js';
import { memoryPorts } from '../memory/memory-ports.js';
import { polledChanges } from '../memory/memory-waiting.js';
import type { MemoryStore } from './memory-store.js';
import { virtualClock } from './virtual-clock.js';

type AdvanceableClock = Clock & { advance(ms: number): void };

/**
 * A workspace with one profile, connected to in-memory stores: everything that the use cases of orders and
 * refunds need.
 */
export function createStoreFixture<Time extends AdvanceableClock = ReturnType<typeof virtualClock>>(
  clock?: Time,
) {
  const memory = memoryPorts(clock ?? virtualClock());
  const { ids, repositories, transactions } = memory;
  const build = builders(memory);
  const workspace = build.workspace();
  const profile = build.profile(workspace);
  // Connecting a store in a test does not wait; the first lookup does.
  const pendingInserts: Promise<void>[] = [
    repositories.workspaces.insert(workspace),
    repositories.profiles.insert(profile),
  ];
  const stores = new Map<string, MemoryStore>();
  const connections: Connection[] = [];
  const closed = new Set<string>();

  const awaitingConnections: Pick<Ports['connections'], 'find' | 'listAll'> = {
    find: async (...which) => {
      await Promise.all(pendingInserts);
      return repositories.connections.find(...which);
    },
    listAll: async (...which) => {
      await Promise.all(pendingInserts);
      return repositories.connections.listAll(...which);
    },
  };

  const ports = {
    ...repositories,
    connections: awaitingConnections,
    transactions,
    clock: memory.clock,
    changes: polledChanges(memory.clock),
    ids,
    tokens: { digestHex: (text: string) => createHash('sha256').update(text).digest('hex') },
    cursors: plaintextCursors,
    approvalLinks: fakeApprovalLinks,
    platforms: { find: (id: string) => stores.get(id)?.platform ?? null, list: () => [] },
    manifests: {
      find: (id: string) => stores.get(id)?.platform.manifest ?? null,
      list: () => [...stores.values()].map(({ platform }) => platform.manifest),
    },
    sessions: {
      open: async (connection: Connection, _use: TokenUse, signal: AbortSignal) =>
        closed.has(connection.id)
          ? refuse('connection.needs_reauth', 'Connect it again.')
          : ok({ account: connection.account, signal } as Session),
    },
  } as unknown as Ports;

  return {
    ports,
    clock: memory.clock,
    build,
    workspace,
    profile,
    connections,
    /** Connections whose grant has ended. */
    closed,
    events: () => memory.events(),
    auditRows: () => memory.auditRows(),
    jobs: () => memory.jobs(),
    refunds: async () =>
      [...(await repositories.refunds.list(workspace.id, { reach: null }, { limit: 1000 })).items].reverse(),
    accountOf: async (order: RemoteOrderKey) => {
      const entry = await transactions.run(async (tx) => ok(await tx.ledger.lock(order, 'EUR')));
      if (!entry.ok) throw new Error('a ledger always exists');
      const { reservedMinor, refundedMinor, inFlight } = entry.value;
      return { reservedMinor, refundedMinor, inFlight };
    },
    connect(store: MemoryStore, over: Partial<Connection> = {}): Connection {
      const platform = store.platform.manifest.id;
      const connection = build.connection(profile, { platform, kind: 'commerce', ...over });
      stores.set(platform, store);
      connections.push(connection);
      pendingInserts.push(repositories.connections.insert(connection));
      return connection;
    },
    disconnect: ({ workspaceId, id }: Connection) => repositories.connections.delete(workspaceId, id),
    key: (policy: Partial<KeyPolicy> = {}) =>
      build.apiKey(workspace, { policy: { ...unrestrictedPolicy, ...policy } }),
    /** Stores a key with its siblings and ancestors. */
    store: (key: ApiKey) => repositories.apiKeys.insert(key, new Uint8Array()),
    call: (key: ApiKey, over: Partial<Call> = {}): Call => build.call(key, { waitSeconds: 20, ...over }),
    withKey: (key: ApiKey, idempotencyKey: string, fingerprint = 'the same') => ({
      idempotency: { key: idempotencyKey, fingerprint, lineage: key.lineage },
    }),
  };
}

export type StoreFixture = ReturnType<typeof createStoreFixture>;
