import type { Session, PlatformFailureCode } from './session.js';
import type { Refunding } from './refunding.js';
import type { Publishing } from './publishing.js';
import type { Orders } from './orders.js';
import type { Manifest } from './manifest.js';
import type { AccountAnalytics, Analytics } from './analytics.js';
import type { Secret } from '../secret.js';
import type { Result } from '../result.js';
import type { RemoteAccount } from '../connections/connection.js';

/**
 * A platform: facts, then abilities. An absent ability means that the platform does not support it, and so
 * does an absent optional member: without `find`, an unknown outcome becomes `needs_review`; without
 * `remove`, a post cannot be unpublished.
 */
export interface Platform {
  readonly manifest: Manifest;
  readonly connecting: Connecting;
  readonly publishing?: Publishing;
  readonly analytics?: Analytics | AccountAnalytics;
  readonly orders?: Orders;
  readonly refunds?: Refunding;
}

export interface Connecting {
  /**
   * The accounts that this grant opens: one for most platforms, several where pages or stores can be chosen.
   * Where the platform rotates refresh tokens, several accounts need credentials of their own: two
   * connections with one login would invalidate each other's token. Where one key opens many accounts (a
   * bot's chats), the id of `session.account` is the entered value, or the account's own once it is
   * connected.
   */
  identify(session: Session): Promise<Result<readonly FoundAccount[], PlatformFailureCode>>;
}

/** An account as the platform reports it, with its own credential where each has one (Facebook Pages). */
export interface FoundAccount extends RemoteAccount {
  /**
   * An access token of this account alone, unchanged from the platform. It is stored instead of the login's,
   * and is valid until the platform rejects it.
   */
  readonly credential?: Secret | undefined;
  /** The permissions that its owner actually granted, where the platform reports them only on request. */
  readonly permissions?: readonly string[] | undefined;
}

/** The platforms of this installation, and access to their accounts. */
export interface Platforms {
  find(id: string): Platform | null;
  list(): readonly Platform[];
}
