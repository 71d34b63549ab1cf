import type { AuditId, WorkspaceId } from '../ids.js';
import type { PageRequest, Rows } from '../page.js';

export interface AuditRow {
  readonly workspaceId: WorkspaceId;
  /** A key's id or `system:<part>`. */
  readonly actor: string;
  /** The operation's name, or the action of a part of the service. */
  readonly action: string;
  /** The id of the affected object, where there is one. */
  readonly object: string | null;
  /** `ok`, `begun` for an action of several steps, or the failure code. */
  readonly outcome: string;
  readonly requestId: string;
  /** Never a secret, and only ids of persons: a row outlives the deletion of their data. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** The audit log. A change and its row commit together, so there is no change without a row. */
export interface Audit {
  append(row: AuditRow): Promise<void>;
  /**
   * Adds to the unsealed row of the same batch, regardless of which process wrote it; inserts one where there
   * is none.
   */
  tally(rows: readonly CountedRow[]): Promise<void>;
}

/**
 * Records actions that are too frequent for a row each: uses of a login, rejections of a key. Identical
 * actions within a minute become one row with a count. The promise resolves when the first of them is stored;
 * repetitions are counted in memory and added when the minute is over, so that a crash loses counts and never
 * the fact.
 */
export interface AuditCounter {
  count(row: AuditRow): Promise<void>;
}

/** A row that represents `count` actions of the same `batch`. */
export interface CountedRow extends AuditRow {
  readonly batch: string;
  readonly count: number;
}

/** A stored row. */
export interface AuditEntry extends AuditRow {
  readonly id: AuditId;
  readonly at: Date;
  readonly batch: string | null;
  readonly count: number;
  /** Whether it has its position in the chain, after which a change is detectable. */
  readonly sealed: boolean;
}

/** A row's position in the chain of its workspace. Hashes are lower-case hex. */
export interface Seal {
  readonly seq: number;
  readonly prevHash: string;
  readonly rowHash: string;
}

export interface SealedEntry extends AuditEntry {
  readonly seal: Seal;
}

/** The end of a chain; `{seq: 0, rowHash: ''}` before its first row. */
export type ChainHead = Pick<Seal, 'seq' | 'rowHash'>;

export interface AuditFilter {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly object?: string | undefined;
  readonly after?: Date | undefined;
  readonly before?: Date | undefined;
}

/** The whole audit log: read, chained and verified. */
export interface AuditTrail {
  /** Newest first. */
  list(workspaceId: WorkspaceId, filter: AuditFilter, page: PageRequest): Promise<Rows<AuditEntry>>;

  /**
   * Workspaces with rows that are ready for the chain, by id, after the given one: a row that is still being
   * counted is not ready, for two minutes.
   */
  listUnsealed(after: WorkspaceId | null, limit: number): Promise<readonly WorkspaceId[]>;
  /** The end of a chain, locked until the transaction ends; null while another transaction holds it. */
  lockHead(workspaceId: WorkspaceId): Promise<ChainHead | null>;
  /**
   * Ready rows, by id. A row that commits late is returned by the next call: the criterion is the missing
   * seal.
   */
  listToSeal(workspaceId: WorkspaceId, limit: number): Promise<readonly AuditEntry[]>;
  /** Assigns rows their positions; the last one is the new head. */
  seal(workspaceId: WorkspaceId, seals: readonly (Seal & { readonly id: AuditId })[]): Promise<void>;

  /** Workspaces that have a chain, or a head without one. */
  listChains(): Promise<readonly WorkspaceId[]>;
  /**
   * `hasMore`: rows are sealed beyond the head, which the service never does. Both are read in one snapshot.
   */
  findHead(workspaceId: WorkspaceId): Promise<ChainHead & { readonly hasMore: boolean }>;
  /** Sealed rows after a position, in the order of the chain. */
  listSealed(workspaceId: WorkspaceId, afterSeq: number, limit: number): Promise<readonly SealedEntry[]>;
  /** The position of a hash, in any workspace. */
  findSeal(rowHash: string): Promise<{ readonly workspaceId: WorkspaceId; readonly seq: number } | null>;
  countUnsealed(workspaceId: WorkspaceId): Promise<number>;
}
