import { beforeAll } from '@jest/globals';
import type { Approval } from '../../src/approvals/approval.js';
import type { Connection } from '../../src/connections/connection.js';
import type { FailureCode } from '../../src/failure.js';
import type { WorkspaceId } from '../../src/ids.js';
import type {
  Canaries,
  Clock,
  Ids,
  ProcessRegistry,
  MediaStores,
  Repositories,
  Transactions,
  Tx,
} from '../../src/ports/index.js';
import type { Post } from '../../src/posts/post.js';
import type { Profile } from '../../src/profiles/profile.js';
import type { Refund } from '../../src/refunds/refund.js';
import type { Result } from '../../src/result.js';
import type { Workspace } from '../../src/workspaces/workspace.js';
import { builders, type Builders } from '../builders.js';

/** A storage implementation as a contract suite drives it. */
export interface StorageHarness {
  /** Outside any transaction. */
  readonly repositories: Repositories;
  readonly canaries: Canaries;
  readonly processRegistry: ProcessRegistry;
  readonly mediaStores: MediaStores;
  readonly transactions: Transactions;
  /** Its `sleep` also advances the storage's own clock. */
  readonly clock: Clock;
  readonly ids: Ids;
  /** The committed records of a workspace: event types, audit actions, and the names of jobs. */
  recorded(workspaceId: WorkspaceId): Promise<{
    readonly events: readonly string[];
    readonly audit: readonly string[];
    readonly jobs: readonly string[];
  }>;
}

export type CreateStorage = () => Promise<StorageHarness>;

/**
 * A storage with two tenants in it, each with a profile and a connection. Its repositories read outside any
 * transaction; every other call runs in a transaction of its own.
 */
export interface StorageWorld extends StorageHarness, Tx {
  readonly build: Builders;
  readonly ours: Tenant;
  readonly theirs: Tenant;
  /** Runs in one transaction that is expected to commit. */
  change<Value>(work: (tx: Tx) => Promise<Value>): Promise<Value>;
  /** Inserts rows in one transaction, in their order: a row comes after what it refers to. */
  insert(...rows: readonly Row[]): Promise<void>;
}

type Row = Workspace | Profile | Connection | Post | Refund | Approval;

/** The id of a row names its table. */
function insertRow(tx: Tx, row: Row): Promise<void> {
  const tables = {
    wsp: tx.workspaces,
    prf: tx.profiles,
    con: tx.connections,
    pst: tx.posts,
    rfd: tx.refunds,
    apr: tx.approvals,
  };
  return tables[row.id.slice(0, 3) as keyof typeof tables].insert(row as never);
}

export interface Tenant {
  readonly workspace: Workspace;
  readonly profile: Profile;
  readonly connection: Connection;
}

/** The world of all tests of a block, or of each with `beforeEach`. */
export function useStorageWorld(make: CreateStorage, before = beforeAll): StorageWorld {
  const world = {} as StorageWorld;
  before(async () => void Object.assign(world, await createStorageWorld(await make())));
  return world;
}

/** The methods that a caller may use outside a transaction, as `ReadMethods` does. */
const READ_METHOD = /^(find|list|count|sum)/;

function autocommit({ repositories }: StorageHarness, change: StorageWorld['change']): Tx {
  const names = [...Object.keys(repositories), 'ledger', 'idempotency', 'audit', 'jobs'];
  const callMethod = (of: object, name: string, method: string, parameters: readonly unknown[]) =>
    (of as Record<string, Record<string, (...all: readonly unknown[]) => unknown>>)[name]?.[method]?.(
      ...parameters,
    );
  const repository = (name: string) =>
    new Proxy(
      {},
      {
        get:
          (_, method: string) =>
          async (...parameters: readonly unknown[]) =>
            READ_METHOD.test(method)
              ? callMethod(repositories, name, method, parameters)
              : change(async (tx) => callMethod(tx, name, method, parameters)),
      },
    );
  return Object.fromEntries(names.map((name) => [name, repository(name)])) as unknown as Tx;
}

export async function createStorageWorld(storage: StorageHarness): Promise<StorageWorld> {
  const build = builders(storage);
  const change = async <Value>(work: (tx: Tx) => Promise<Value>): Promise<Value> => {
    const outcome: Result<Value, FailureCode> = await storage.transactions.run(async (tx) => ({
      ok: true,
      value: await work(tx),
    }));
    if (!outcome.ok) throw new Error(`not committed: ${outcome.failure.code}`);
    return outcome.value;
  };
  const createTenant = (): Promise<Tenant> =>
    change(async (tx) => {
      const workspace = build.workspace();
      const profile = build.profile(workspace, { isDefault: true });
      const connection = build.connection(profile);
      for (const row of [workspace, profile, connection]) await insertRow(tx, row);
      return { workspace, profile, connection };
    });
  return {
    ...storage,
    ...autocommit(storage, change),
    build,
    change,
    insert: (...rows) =>
      change(async (tx) => {
        for (const row of rows) await insertRow(tx, row);
      }),
    ours: await createTenant(),
    theirs: await createTenant(),
  };
}
