import type { WorkspaceId } from '../ids.js';
import type { Workspace } from '../workspaces/workspace.js';

/** Undefined fields stay unchanged. */
type WorkspaceChanges = {
  readonly [Field in Exclude<keyof Workspace, 'id' | 'createdAt' | 'version'>]?: Workspace[Field] | undefined;
};

/** The tenants of this installation. */
export interface Workspaces {
  find(id: WorkspaceId): Promise<Workspace | null>;
  /**
   * By exact name; names are unique in an installation. In a transaction it also locks the name: until the
   * transaction ends, other lookups of this name wait, so that a name found free stays free.
   */
  findByName(name: string): Promise<Workspace | null>;
  /** Oldest first; an installation has few. */
  list(): Promise<readonly Workspace[]>;
  insert(workspace: Workspace): Promise<void>;
  /** Null when it is missing or, where `ifVersion` is given, has another version. Increments the version. */
  update(id: WorkspaceId, changes: WorkspaceChanges, ifVersion?: number): Promise<Workspace | null>;
  /**
   * Begins a deletion: destroys the data keys and API keys. The sealed secrets can no longer be opened, not
   * even in a copy of the rest, and no caller can use the workspace. False when there is no such workspace.
   */
  disable(id: WorkspaceId): Promise<boolean>;
  /**
   * Deletes some of the rows of which a workspace can have millions, at most `limit` with those that belong
   * to them. Returns how many; 0 when none is left.
   */
  deleteRows(id: WorkspaceId, limit: number): Promise<number>;
  /**
   * Deletes the workspace and all of its data. Only its audit rows stay. Waits for concurrent writers and
   * blocks new ones. Returns the files of its media, which are no longer referenced; null when there is no
   * such workspace.
   */
  delete(id: WorkspaceId): Promise<{ readonly files: readonly string[] } | null>;
}
