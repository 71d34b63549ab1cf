import type { ProfileId, WorkspaceId } from '../ids.js';
import type { PageRequest, Rows } from '../page.js';
import type { Metadata, Profile } from '../profiles/profile.js';

/** Every method names the workspace: another workspace's profile is missing, not forbidden. */
export interface Profiles {
  find(workspaceId: WorkspaceId, id: ProfileId): Promise<Profile | null>;
  /** Newest first, only those in `reach` unless it is null. */
  list(
    workspaceId: WorkspaceId,
    reach: readonly ProfileId[] | null,
    page: PageRequest,
  ): Promise<Rows<Profile>>;
  insert(profile: Profile): Promise<void>;
  /** Null when it is missing or, where `ifVersion` is given, has another version. Increments the version. */
  update(
    workspaceId: WorkspaceId,
    id: ProfileId,
    changes: ProfileChanges,
    ifVersion?: number,
  ): Promise<Profile | null>;
  /** Deletes the profile with everything that belongs to it. */
  delete(workspaceId: WorkspaceId, id: ProfileId): Promise<void>;
  /** The uses that prevent its deletion: connections and scheduled posts. */
  countUses(
    workspaceId: WorkspaceId,
    id: ProfileId,
  ): Promise<{ connections: number; scheduledPosts: number }>;
}

export interface ProfileChanges {
  readonly name?: string | undefined;
  readonly externalId?: string | null | undefined;
  readonly timezone?: string | undefined;
  readonly metadata?: Metadata | undefined;
  readonly paused?: boolean | undefined;
}
