import type { ProfileId, WorkspaceId } from '../ids.js';

/** A brand or end customer inside a workspace. Connections belong to a profile. */
export interface Profile {
  readonly id: ProfileId;
  readonly workspaceId: WorkspaceId;
  readonly name: string;
  readonly externalId: string | null;
  /** IANA zone in which its analytics days and local times are read. */
  readonly timezone: string;
  readonly metadata: Metadata;
  readonly isDefault: boolean;
  readonly paused: boolean;
  readonly createdAt: Date;
  /** Grows with every change: the entity tag. */
  readonly version: number;
}

/** A caller's own labels: up to 50 keys of 40 characters with values of 500. Never read by us. */
export type Metadata = Readonly<Record<string, string>>;
