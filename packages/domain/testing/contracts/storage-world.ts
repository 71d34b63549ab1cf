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
import type { Profile } from '../../src/profiles/profile.js';
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

/** A storage with two tenants in it, each with a profile and a connection. */
export interface StorageWorld extends StorageHarness, Repositories {
  readonly build: Builders;
  readonly ours: Tenant;
  readonly theirs: Tenant;
  /** Runs in one transaction that is expected to commit. */
  change<Value>(work: (tx: Tx) => Promise<Value>): Promise<Value>;
}

export interface Tenant {
  readonly workspace: Workspace;
  readonly profile: Profile;
  readonly connection: Connection;
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
      await tx.workspaces.insert(workspace);
      await tx.profiles.insert(profile);
      await tx.connections.insert(connection);
      return { workspace, profile, connection };
    });
  return {
    ...storage,
    ...storage.repositories,
    build,
    change,
    ours: await createTenant(),
    theirs: await createTenant(),
  };
}
