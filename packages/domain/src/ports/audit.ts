import type { WorkspaceId } from '../ids.js';

export interface AuditRow {
  readonly workspaceId: WorkspaceId;
  /** A key's id or `system:<part>`. */
  readonly actor: string;
  /** The operation's name, or what a part of the service did. */
  readonly action: string;
  /** The id of what it was done to, where there is one. */
  readonly object: string | null;
  /** `ok` or the failure's code. */
  readonly outcome: string;
  readonly requestId: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Who did what. A change and its row commit together, so there is no change without a row. */
export interface Audit {
  append(row: AuditRow): Promise<void>;
}
