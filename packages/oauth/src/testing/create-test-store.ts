import { ok, refuse, Secret } from '@switchboard/domain';
import { auditCounter } from '@switchboard/domain/audit';
import { credentialBinding, type Connection } from '@switchboard/domain/connections';
import type { Ids, Manifest, Manifests, SealBinding, Transactions, Vault } from '@switchboard/domain/ports';
import { memoryPorts, type MovableClock } from '@switchboard/domain/testing';

/** The stored data, shared by everything that a test opens on it: several processes on one database. */
export function createTestStore() {
  const clock = movableClock();
  const ports = memoryPorts(clock);
  const { connections, credentials } = ports.repositories;
  /**
   * Awaited before and after each transaction: it throws to simulate an unavailable database, and never
   * settles to simulate a crashed process.
   */
  const transactionGate: { ask: () => void | Promise<void>; answer: () => void | Promise<void> } = {
    ask: () => undefined,
    answer: () => undefined,
  };

  const transactions: Transactions = {
    run: async (work) => {
      await new Promise((resolve) => setImmediate(resolve));
      await transactionGate.ask();
      const outcome = await ports.transactions.run(work);
      await transactionGate.answer();
      return outcome;
    },
  };

  return {
    ...ports,
    clock: { ...clock, advance: (seconds: number) => clock.advance(seconds * 1_000) },
    transactions,
    database: transactionGate,
    auditCounter: auditCounter({ transactions, clock }),
    connections,
    credentials,
    get events() {
      return ports.events();
    },
    get audit() {
      return ports.auditRows();
    },
    findCredential: ({ workspaceId, id }: Connection) => credentials.find(workspaceId, id),
    /** Stores a new connection, or replaces a reconnected one. */
    async storeConnection(
      connection: Connection,
      credential: Secret,
      accessExpiresAt: Date | null,
    ): Promise<void> {
      const { id, workspaceId } = connection;
      const before = await credentials.find(workspaceId, id);
      const generation = (before?.generation ?? 0) + 1;
      const sealed = seal(credentialBinding(id, generation), credential);
      const next = { connectionId: id, workspaceId, generation, sealed, accessExpiresAt };
      if (before) return credentials.replace(next);
      await connections.insert(connection);
      await credentials.insert(next);
    },
  };
}

export type TestStore = ReturnType<typeof createTestStore>;

/** The real time with a movable offset: a race between two processes needs real time to pass. */
function movableClock(): MovableClock {
  let aheadMs = 0;
  const after = (ms: number) => new Date(performance.timeOrigin + performance.now() + aheadMs + ms);
  return {
    now: () => after(0),
    after,
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    advance: (ms) => {
      aheadMs += ms;
    },
  };
}

const seal = (binding: SealBinding, secret: Secret): Uint8Array =>
  Buffer.from(JSON.stringify([binding, secret.reveal()])).reverse();

/** Binds each secret to its slot as the real vault does, without encryption. */
export const unencryptedVault: Vault = {
  generateDataKey: () => Promise.reject(new Error('nothing is minted here')),
  unlock: async () =>
    ok({
      seal,
      derive: () => new Uint8Array(32),
      open: (binding, sealed) => {
        const [place, text] = JSON.parse(Buffer.from(sealed).reverse().toString()) as [SealBinding, string];
        return JSON.stringify(place) === JSON.stringify(binding)
          ? ok(new Secret(text))
          : refuse('vault.unreadable', 'sealed for another place');
      },
    }),
};

export const createManifests = (...all: readonly Manifest[]): Manifests => ({
  find: (id) => all.find((manifest) => manifest.id === id) ?? null,
  list: () => all,
  findRules: () => null,
  getAbilities: () => ({ publishing: null, analytics: null, orders: null, refunds: null }),
  listMissingVariables: () => [],
  findClientId: () => null,
});

let issuedIds = 0;
export const testIds: Ids = { next: (prefix) => `${prefix}_${++issuedIds}` as never };
