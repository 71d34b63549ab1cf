import type { ProfileId, WorkspaceId } from '../ids.js';
import type { Pause } from '../pauses/pause.js';
import type { PageRequest, Rows } from '../page.js';
import type { Metadata, Profile } from '../profiles/profile.js';

/** Every method names the workspace: another workspace's profile is missing, not forbidden. */
export interface Profiles {
  find(workspaceId: WorkspaceId, id: ProfileId): Promise<Profile | null>;
  /** Newest first. */
  list(workspaceId: WorkspaceId, filter: ProfileFilter, page: PageRequest): Promise<Rows<Profile>>;
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

interface ProfileFilter {
  /** Only these profiles (a key's reach), null for all. */
  readonly reach: readonly ProfileId[] | null;
  /** The whole name, in any case. */
  readonly name?: string | undefined;
  readonly externalId?: string | undefined;
  readonly isPaused?: true | undefined;
}

interface ProfileChanges {
  readonly name?: string | undefined;
  readonly externalId?: string | null | undefined;
  readonly timezone?: string | undefined;
  readonly isTimezoneSet?: boolean | undefined;
  readonly metadata?: Metadata | undefined;
  readonly pause?: Pause | null | undefined;
}
