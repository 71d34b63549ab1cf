import type { ConnectionId, ProfileId, WorkspaceId } from '../ids.js';
import type { Metadata } from '../profiles/profile.js';

export type ConnectionStatus = 'active' | 'degraded' | 'needs_reauth';
export type PlatformKind = 'social' | 'commerce';

/** The account at the platform, as it calls itself. `id` never changes there. */
export interface RemoteAccount {
  readonly id: string;
  readonly username: string | null;
  readonly name: string | null;
  readonly avatarUrl: string | null;
  readonly url: string | null;
  /** Where every server has limits of its own: those of this account's, as it told them last. Left out: the manifest's. */
  readonly textLimits?: TextLimits | undefined;
}

/** How long a text may be, in the manifest's unit, and how much of that every link takes. */
export interface TextLimits {
  readonly max: number;
  readonly perLink: number;
}

/** One connected account of a platform. It never holds a credential: that is sealed beside it and only a `Session` uses it. */
export interface Connection {
  readonly id: ConnectionId;
  readonly workspaceId: WorkspaceId;
  readonly profileId: ProfileId;
  readonly platform: string;
  readonly kind: PlatformKind;
  readonly label: string | null;
  readonly externalId: string | null;
  readonly metadata: Metadata;
  readonly status: ConnectionStatus;
  readonly statusReason: string | null;
  readonly paused: boolean;
  readonly account: RemoteAccount;
  /** Where this account lives when the platform has many servers (an instance, a PDS, a shop): an origin, else null. */
  readonly server: string | null;
  /** Which of the platform's connect ways made it (`oauth`, `app_password`…). */
  readonly way: string;
  readonly grantedPermissions: readonly string[];
  /** When the grant ends and nothing can renew it; null while it renews itself. */
  readonly expiresAt: Date | null;
  readonly createdAt: Date;
  readonly lastCheckedAt: Date | null;
  readonly version: number;
}
