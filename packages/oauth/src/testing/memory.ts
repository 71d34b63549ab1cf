import {
  auditCounter,
  ok,
  refuse,
  Secret,
  type AuditRow,
  type Clock,
  type Connection,
  type Event,
  type Ids,
  type Manifest,
  type Manifests,
  type SealBinding,
  type SealedCredential,
  type Transactions,
  type Tx,
  type Vault,
} from '@switchboard/domain';

/** What is stored, shared by everything that a test opens on it: several processes on one database. */
export function memory() {
  const connections = new Map<string, Connection>();
  const credentials = new Map<string, SealedCredential & { fence: number; leaseUntil: number }>();
  const events: Pick<Event, 'type' | 'data'>[] = [];
  const audit: AuditRow[] = [];
  const clock = movableClock();

  const tx = {
    connections: {
      find: async (_workspaceId: string, id: string) => connections.get(id) ?? null,
      update: async (_workspaceId: string, id: string, changes: Partial<Connection>) => {
        const found = connections.get(id);
        if (!found) return null;
        const updated = { ...found, ...changes };
        connections.set(id, updated);
        return updated;
      },
    },
    credentials: {
      find: async (_workspaceId: string, id: string) => credentials.get(id) ?? null,
      claim: async (id: string, generation: number, leaseSeconds: number) => {
        const row = credentials.get(id);
        const now = clock.now().getTime();
        if (!row || row.generation !== generation || row.leaseUntil > now) return null;
        Object.assign(row, { fence: row.fence + 1, leaseUntil: now + leaseSeconds * 1_000 });
        return row.fence;
      },
      renew: async (next: SealedCredential, fence: number) => {
        const row = credentials.get(next.connectionId);
        if (!row || row.fence !== fence || row.generation !== next.generation - 1) return false;
        credentials.set(next.connectionId, { ...next, fence, leaseUntil: 0 });
        return true;
      },
      release: async (id: string, fence: number) => {
        const row = credentials.get(id);
        if (row?.fence === fence) row.leaseUntil = 0;
      },
    },
    events: { append: async (event: Event) => void events.push(event) },
    audit: {
      append: async (row: AuditRow) => void audit.push(row),
      tally: async (rows: readonly AuditRow[]) => void audit.push(...rows),
    },
  };

  const transactions: Transactions = {
    run: async (work) => {
      await new Promise((resolve) => setImmediate(resolve));
      return work(tx as unknown as Tx);
    },
  };

  return {
    clock,
    transactions,
    auditCounter: auditCounter({ transactions, clock }),
    events,
    audit,
    connections: tx.connections as unknown as Tx['connections'],
    credentials: tx.credentials as unknown as Tx['credentials'],
    row: (id: string) => credentials.get(id),
    keep(connection: Connection, credential: Secret, accessExpiresAt: Date | null, generation = 1): void {
      connections.set(connection.id, connection);
      const place = { table: 'credentials', row: connection.id, field: 'sealed', generation };
      credentials.set(connection.id, {
        connectionId: connection.id,
        workspaceId: connection.workspaceId,
        generation,
        sealed: seal(place, credential),
        accessExpiresAt,
        fence: 0,
        leaseUntil: 0,
      });
    },
  };
}

export type Memory = ReturnType<typeof memory>;

/** The real time, which can be moved on: what lies between two processes must take real time to be a race. */
function movableClock(): Clock & { advance(seconds: number): void } {
  let aheadMs = 0;
  const after = (ms: number) => new Date(performance.timeOrigin + performance.now() + aheadMs + ms);
  return {
    now: () => after(0),
    after,
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    advance: (seconds) => {
      aheadMs += seconds * 1_000;
    },
  };
}

const seal = (binding: SealBinding, secret: Secret): Uint8Array =>
  Buffer.from(JSON.stringify([binding, secret.reveal()])).reverse();

/** Bound to its place as the real one is, and no secret at all. */
export const openVault: Vault = {
  mint: () => Promise.reject(new Error('nothing is minted here')),
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

export const manifestsOf = (...all: readonly Manifest[]): Manifests => ({
  find: (id) => all.find((manifest) => manifest.id === id) ?? null,
  list: () => all,
  rules: () => null,
  abilities: () => ({ publishing: null, analytics: null, orders: null, refunds: null }),
  missing: () => [],
  clientId: () => null,
});

let made = 0;
export const testIds: Ids = { next: (prefix) => `${prefix}_${++made}` as never };
