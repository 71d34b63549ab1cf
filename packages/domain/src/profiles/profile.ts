import type { Pause } from '../pauses/pause.js';
import type { ProfileId, WorkspaceId } from '../ids.js';

/** A brand or end customer inside a workspace. Connections belong to a profile. */
export interface Profile {
  readonly id: ProfileId;
  readonly workspaceId: WorkspaceId;
  readonly name: string;
  readonly externalId: string | null;
  /** IANA time zone of its analytics days and local times. */
  readonly timezone: string;
  /** Whether the time zone was chosen. Local times are never interpreted in one that was not. */
  readonly isTimezoneSet: boolean;
  readonly metadata: Metadata;
  readonly isDefault: boolean;
  /** Holds its posts and refunds; null while it is not paused. */
  readonly pause: Pause | null;
  readonly createdAt: Date;
  /** Incremented with every change: the entity tag. */
  readonly version: number;
}

/**
 * A caller's own labels: up to 50 keys of 40 characters with values of 500. Never interpreted by this
 * service.
 */
export type Metadata = Readonly<Record<string, string>>;

/** The time zone of a new profile. A workspace whose default is not UTC has chosen it. */
export const chooseTimezone = (
  chosen: string | undefined,
  workspaceDefault = 'UTC',
): Pick<Profile, 'timezone' | 'isTimezoneSet'> => ({
  timezone: chosen ?? workspaceDefault,
  isTimezoneSet: chosen !== undefined || workspaceDefault !== 'UTC',
});
