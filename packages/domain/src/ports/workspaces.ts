import type { WorkspaceId } from '../ids.js';
import type { Workspace } from '../workspaces/workspace.js';

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
  update(id: WorkspaceId, changes: Partial<Omit<Workspace, 'id' | 'createdAt'>>): Promise<Workspace | null>;
}
