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
  readonly mediaLimits?: MediaRules | undefined;
}

/** How long a text may be, in the manifest's unit, and how much of that every link takes. */
export interface TextLimits {
  readonly max: number;
  readonly perLink: number;
}

/** What media a post may carry, on one part of it. Sizes in bytes and pixels, durations in seconds, ratios width by height. */
export interface MediaRules {
  /** How many, all together. */
  readonly max: number;
  /** Whether pictures and films may stand together. */
  readonly mixed: boolean;
  /** Nothing is posted without any. */
  readonly required: boolean;
  readonly images: {
    readonly max: number;
    /** Media types as they are sniffed: `image/jpeg`. A still picture of another type, or a larger one, is made to fit. */
    readonly types: readonly string[];
    readonly maxBytes: number;
    readonly maxPixels?: number | undefined;
    readonly maxWidth?: number | undefined;
    readonly maxHeight?: number | undefined;
    readonly minAspectRatio?: number | undefined;
    readonly maxAspectRatio?: number | undefined;
    /** A picture is the cover of the film that it stands beside, and nothing by itself. */
    readonly coverOnly?: boolean | undefined;
  } | null;
  readonly videos: {
    readonly max: number;
    readonly types: readonly string[];
    readonly maxBytes: number;
    readonly minSeconds?: number | undefined;
    readonly maxSeconds?: number | undefined;
  } | null;
  /** One never stands with pictures or films. Its alternative text is its title. */
  readonly documents: {
    readonly max: number;
    readonly types: readonly string[];
    readonly maxBytes: number;
  } | null;
  /** How long an alternative text may be, in UTF-16 units; null where the platform has none. */
  readonly altTextMax: number | null;
  /** The platform fetches media, or pictures alone, by a public URL instead of being sent them. */
  readonly fetches: boolean | 'images';
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
  /** The server within which the platform's account ids are unique, see `accountServerOf`. With platform and account id, the account's identity. */
  readonly accountServer: string;
  /** Where this account lives when the platform has many servers (an instance, a PDS, a shop): an origin, else null. */
  readonly server: string | null;
  /** Which of the platform's connect ways made it (`oauth`, `app_password`…). */
  readonly connectMethod: string;
  readonly grantedPermissions: readonly string[];
  /** When the grant ends and nothing can renew it; null while it renews itself. */
  readonly expiresAt: Date | null;
  /** How many days before that its owner was warned last: 14, 3 or 1; null before. */
  readonly warnedDays: number | null;
  /** Its login could not be renewed: the app that it was granted to is set up nowhere, or not accepted, any more. */
  readonly appMissing: boolean;
  readonly createdAt: Date;
  readonly lastCheckedAt: Date | null;
  readonly version: number;
}
