import type { WorkspaceId } from '../ids.js';
import type { Workspace } from '../workspaces/workspace.js';

/** What is undefined stays as it is. */
export type WorkspaceChanges = {
  readonly [Field in Exclude<keyof Workspace, 'id' | 'createdAt' | 'version'>]?: Workspace[Field] | undefined;
};

/** The tenants of this installation. */
export interface Workspaces {
  find(id: WorkspaceId): Promise<Workspace | null>;
  /**
   * By exact name; names are unique in an installation. In a transaction it is a turn as well: until that has ended, nobody
   * else is answered about this name, so that a name found free stays free.
   */
  findByName(name: string): Promise<Workspace | null>;
  /** Oldest first; an installation has few. */
  list(): Promise<readonly Workspace[]>;
  insert(workspace: Workspace): Promise<void>;
  /** Null when it is missing or, where `ifVersion` is given, has another version. Adds one to the version. */
  update(id: WorkspaceId, changes: WorkspaceChanges, ifVersion?: number): Promise<Workspace | null>;
  /**
   * Removes the workspace and everything of it, its data keys first of all: what is sealed for it opens nowhere any more,
   * not even in a copy made of the rest. Only its audit rows stay. Waits for whoever is adding to it, and keeps others from
   * beginning to. Answers the files of its media, which nothing names any more; null when there is no such workspace.
   */
  delete(id: WorkspaceId): Promise<{ readonly files: readonly string[] } | null>;
}
