import type { WorkspaceId } from '../ids.js';
import type { Workspace } from '../workspaces/workspace.js';

/** When each workspace is checked for what waits for a person, and what its addresses were notified of. */
export interface Notifications {
  /** Across workspaces, for the worker only: those with addresses whose check is due, the longest due first. */
  listDue(limit: number): Promise<readonly Workspace[]>;
  /** Takes a due workspace until its next check. False when it is not due: another process has taken it. */
  claim(workspaceId: WorkspaceId, nextCheckAt: Date): Promise<boolean>;
  /** The items that the addresses were notified of, and that still waited at the last check. */
  listItems(workspaceId: WorkspaceId): Promise<readonly string[]>;
  /** Replaces these items, and the time of the next check. The workspace must have been claimed. */
  store(workspaceId: WorkspaceId, items: readonly string[], nextCheckAt: Date): Promise<void>;
}
