import type { ConnectionId, ProfileId, WorkspaceId } from '../ids.js';
import type { Pause } from '../pauses/pause.js';
import type { Metadata } from '../profiles/profile.js';

export type ConnectionStatus = 'active' | 'degraded' | 'needs_reauth';
export type PlatformKind = 'social' | 'commerce';

/** The account as the platform names it. `id` never changes there. */
export interface RemoteAccount {
  readonly id: string;
  readonly username: string | null;
  readonly name: string | null;
  readonly avatarUrl: string | null;
  readonly url: string | null;
  /**
   * On platforms where every server has its own limits: the last reported limits of this account's server.
   * Omitted: the manifest's.
   */
  readonly textLimits?: TextLimits | undefined;
  readonly mediaLimits?: MediaRules | undefined;
}

/** The maximum length of a text, in the manifest's unit, and the length that every link counts for. */
export interface TextLimits {
  readonly max: number;
  readonly perLink: number;
}

/**
 * The media that a post may carry, per part. Sizes in bytes and pixels, durations in seconds, ratios width by
 * height.
 */
export interface MediaRules {
  /** The maximum number of all media together. */
  readonly max: number;
  /** Whether images and videos may be combined. */
  readonly mixed: boolean;
  /** A post without media is rejected. */
  readonly required: boolean;
  readonly images: {
    readonly max: number;
    /**
     * Media types as detected from the content: `image/jpeg`. A still image of another type, or a larger one,
     * is converted or resized.
     */
    readonly types: readonly string[];
    readonly maxBytes: number;
    readonly maxPixels?: number | undefined;
    readonly maxWidth?: number | undefined;
    readonly maxHeight?: number | undefined;
    readonly minAspectRatio?: number | undefined;
    readonly maxAspectRatio?: number | undefined;
    /** An image is only the cover of the video that accompanies it. */
    readonly coverOnly?: boolean | undefined;
  } | null;
  readonly videos: {
    readonly max: number;
    readonly types: readonly string[];
    readonly maxBytes: number;
    readonly minSeconds?: number | undefined;
    readonly maxSeconds?: number | undefined;
  } | null;
  /** A document is never combined with images or videos. Its alternative text is its title. */
  readonly documents: {
    readonly max: number;
    readonly types: readonly string[];
    readonly maxBytes: number;
  } | null;
  /** The maximum length of an alternative text, in UTF-16 units; null where the platform has none. */
  readonly altTextMax: number | null;
  /** The platform downloads media, or only images, from a public URL instead of receiving an upload. */
  readonly fetches: boolean | 'images';
}

/**
 * One connected account of a platform. It never holds a credential: that is stored sealed, and only a
 * `Session` uses it.
 */
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
  /** Holds posts and refunds through it; null while it is not paused. */
  readonly pause: Pause | null;
  readonly account: RemoteAccount;
  /**
   * The server within which the platform's account ids are unique, see `accountServerOf`. Platform, account
   * id and this server identify the account.
   */
  readonly accountServer: string;
  /**
   * The origin of the account's server on platforms with many servers (an instance, a PDS, a shop), else
   * null.
   */
  readonly server: string | null;
  /** The connect method that created it (`oauth`, `app_password`…). */
  readonly connectMethod: string;
  readonly grantedPermissions: readonly string[];
  /**
   * The permissions of abilities that the platform refused for lack of permission, although they were
   * reported as granted. Reconnecting the account or using the ability successfully clears them.
   */
  readonly refusedPermissions: readonly string[];
  /** When a grant that cannot be renewed expires; null while it can be renewed. */
  readonly expiresAt: Date | null;
  /** How many days before the expiry the owner was last warned: 14, 3 or 1; null before. */
  readonly warnedDays: number | null;
  /**
   * The login could not be renewed because the app that it was granted to is no longer configured or
   * accepted.
   */
  readonly appMissing: boolean;
  /** Whether changes of its orders are reported. */
  readonly watchOrders: boolean;
  readonly createdAt: Date;
  readonly lastCheckedAt: Date | null;
  readonly version: number;
}
