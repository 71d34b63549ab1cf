import type { AuditId, WorkspaceId } from '../ids.js';
import type { PageRequest, Rows } from '../page.js';

export interface AuditRow {
  readonly workspaceId: WorkspaceId;
  /** A key's id or `system:<part>`. */
  readonly actor: string;
  /** The operation's name, or what a part of the service did. */
  readonly action: string;
  /** The id of what it was done to, where there is one. */
  readonly object: string | null;
  /** `ok`, `begun` for what takes several steps, or the failure's code. */
  readonly outcome: string;
  readonly requestId: string;
  /** Never a secret, and of people only ids: a row stays when they are forgotten. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** Who did what. A change and its row commit together, so there is no change without a row. */
export interface Audit {
  append(row: AuditRow): Promise<void>;
  /** Adds to the row of the same batch that is not sealed yet, whoever wrote it; where there is none it writes one. */
  tally(rows: readonly CountedRow[]): Promise<void>;
}

/**
 * Writes what happens too often for a row each: uses of a login, refusals of a key. Everything alike within a minute is one
 * row with its number. The first of them is stored when the promise resolves; those that follow are counted here and added
 * when the minute is over, so that the death of a process costs numbers and never the fact.
 */
export interface AuditCounter {
  count(row: AuditRow): Promise<void>;
}

/** A row that stands for `count` of the same `batch`. */
export interface CountedRow extends AuditRow {
  readonly batch: string;
  readonly count: number;
}

/** A row as it is stored. */
export interface AuditEntry extends AuditRow {
  readonly id: AuditId;
  readonly at: Date;
  readonly batch: string | null;
  readonly count: number;
  /** Whether it has its place in the chain, from when on it cannot be changed unseen. */
  readonly sealed: boolean;
}

/** A row's place in the chain of its workspace. Hashes are lower-case hex. */
export interface Seal {
  readonly seq: number;
  readonly prevHash: string;
  readonly rowHash: string;
}

export interface SealedEntry extends AuditEntry {
  readonly seal: Seal;
}

/** Where a chain ends; `{seq: 0, rowHash: ''}` before its first row. */
export type ChainHead = Pick<Seal, 'seq' | 'rowHash'>;

export interface AuditFilter {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly object?: string | undefined;
  readonly after?: Date | undefined;
  readonly before?: Date | undefined;
}

/** The audit log as a whole: read, chained and proved. */
export interface AuditTrail {
  /** Newest first. */
  list(workspaceId: WorkspaceId, filter: AuditFilter, page: PageRequest): Promise<Rows<AuditEntry>>;

  /** Workspaces with rows that are ready for the chain, by id, after the one given: a row that is still counted up is not, for two minutes. */
  listUnsealed(after: WorkspaceId | null, limit: number): Promise<readonly WorkspaceId[]>;
  /** The end of a chain, locked until the transaction ends; null while somebody else has it. */
  lockHead(workspaceId: WorkspaceId): Promise<ChainHead | null>;
  /** Rows that are ready, by id. One that commits late is no later than the next time: what counts is that it has no seal. */
  listToSeal(workspaceId: WorkspaceId, limit: number): Promise<readonly AuditEntry[]>;
  /** Gives rows their places, the last of which is the new head. */
  seal(workspaceId: WorkspaceId, seals: readonly (Seal & { readonly id: AuditId })[]): Promise<void>;

  /** Workspaces that have a chain, or a head without one. */
  listChains(): Promise<readonly WorkspaceId[]>;
  /** `hasMore`: rows are sealed beyond the head, which the service never does. Both are read at one moment. */
  findHead(workspaceId: WorkspaceId): Promise<ChainHead & { readonly hasMore: boolean }>;
  /** Sealed rows behind a place, in the order of the chain. */
  listSealed(workspaceId: WorkspaceId, afterSeq: number, limit: number): Promise<readonly SealedEntry[]>;
  /** Where a hash stands, in whichever workspace. */
  findSeal(rowHash: string): Promise<{ readonly workspaceId: WorkspaceId; readonly seq: number } | null>;
  countUnsealed(workspaceId: WorkspaceId): Promise<number>;
}
