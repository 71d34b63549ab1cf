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
   * Deletes the workspace and all of its data, starting with its data keys: its sealed secrets can no longer
   * be opened, not even in a copy of the rest. Only its audit rows stay. Waits for concurrent writers and
   * blocks new ones. Returns the files of its media, which are no longer referenced; null when there is no
   * such workspace.
   */
  delete(id: WorkspaceId): Promise<{ readonly files: readonly string[] } | null>;
}
