import type { PublishingRules } from './publishing.js';
import type { OrderQuery } from './orders.js';
import type { ConnectMethod } from './connect-method.js';
import type { PlatformKind, MediaRules } from '../connections/connection.js';
import type { MetricName } from '../analytics/metrics.js';

export type Ability = 'publishing' | 'analytics' | 'orders' | 'refunds';

/** The static facts of a platform, for people, agents and the validators. */
export interface Manifest {
  /** Lower snake case: `bluesky`, `adobe_commerce`. */
  readonly id: string;
  readonly name: string;
  readonly kind: PlatformKind;
  readonly sandbox: boolean;
  /** Set for an adapter that the operator added (`SWITCHBOARD_PLATFORMS`); an adapter cannot set it itself. */
  readonly source?: 'external' | undefined;
  /** Connect methods; the first is the default, the others are alternatives on the same page. */
  readonly connect: readonly [ConnectMethod, ...ConnectMethod[]];
  /**
   * The permission (in the platform's terms) that each ability requires, unless a connect method defines its
   * own.
   */
  readonly permissions: Readonly<Partial<Record<Ability, readonly string[]>>>;
  readonly text: { readonly max: number; readonly unit: string; readonly required: boolean } | null;
  /** The media that a part of a post may carry; null where none. */
  readonly media: MediaRules | null;
  /** A title in addition to the text; null where the platform has none. */
  readonly title: { readonly max: number; readonly unit: string; readonly required: boolean } | null;
  /** Whether a post may continue in further parts, each a reply to the previous one. */
  readonly thread: boolean;
  /**
   * Whether a comment may be added to a post right after publishing, and its maximum length in the unit of
   * the text; null: same as a post.
   */
  readonly firstComment: { readonly max: number | null } | null;
  /** The permission that replies require with every connect method. Omitted: none. */
  readonly replyPermission?: string | undefined;
  /** Whether a link is shown as a card with the page's own metadata, which the adapter then receives. */
  readonly linkCards: boolean;
  readonly options: readonly PublishOption[];
  readonly metrics: readonly MetricDefinition[];
  /** How the platform lists the posts of an account; null where it does not. */
  readonly postList: PostListFacts | null;
  readonly refunds: RefundFacts | null;
  readonly setup: PlatformSetup;
  /**
   * Default origins. The operator can override them (`SWITCHBOARD_<PLATFORM>_BASE_URL`, `_AUTH_BASE_URL`).
   * Null where every account has its own server.
   */
  readonly baseUrl: string | null;
  /**
   * `global`: no two servers of the platform issue the same account id. Omitted where every account has its
   * own server (`baseUrl` is null): an id is unique within its server.
   */
  readonly accountIds?: 'global' | undefined;
  readonly authBaseUrl: string | null;
  /**
   * The origin of the consent page, where it differs from that of the token endpoint. An override of
   * `authBaseUrl` applies to it too.
   */
  readonly consentBaseUrl?: string | undefined;
  /**
   * Another origin of the platform, for authenticated uploads. The operator can override it
   * (`_UPLOAD_BASE_URL`).
   */
  readonly uploadBaseUrl?: string | undefined;
  /**
   * Another origin of the platform, for authenticated analytics requests. The operator can override it
   * (`_ANALYTICS_BASE_URL`).
   */
  readonly analyticsBaseUrl?: string | undefined;
  /**
   * Further origins of the platform, for authenticated requests, by a name in snake case. The operator can
   * override each (`_<NAME>_BASE_URL`). Since version 1.2 of the kit.
   */
  readonly otherBaseUrls?: Readonly<Record<string, string>> | undefined;
  /**
   * The `User-Agent` that the platform requires; `{version}` is replaced by this service's version, `{url}`
   * by this installation's URL. The operator can override it (`_USER_AGENT`). Omitted: the default.
   */
  readonly userAgent?: string | undefined;
  /**
   * The documented requests per minute of one account; and the maximum concurrency, where eight is too much.
   */
  readonly requests?: { readonly perMinute?: number; readonly concurrent?: number } | undefined;
  /** The API version in use. The operator can override it (`SWITCHBOARD_<PLATFORM>_API_VERSION`). */
  readonly apiVersion: string | null;
  readonly apiVersionEndsOn: string | null;
  readonly evidence: 'real_server' | 'published_description' | 'simulator';
  readonly verifiedOn: string;
  readonly docsUrl: string;
}

export interface OptionChoice {
  readonly value: string;
  readonly label: string;
}

export interface PublishOption {
  readonly name: string;
  readonly label: string;
  readonly type: 'string' | 'boolean' | 'choice' | 'string_list';
  readonly required: boolean;
  readonly choices?: readonly OptionChoice[] | undefined;
  /** Values other than those listed may be accepted: the list is truncated, or contains only suggestions. */
  readonly more?: boolean | undefined;
  readonly max?: number | undefined;
}

export interface MetricDefinition {
  readonly metric: MetricName;
  /** The platform's own name for it. */
  readonly nativeName: string;
  readonly definition: string;
  readonly lagHours: number;
  readonly subject: 'post' | 'account';
}

export interface PostListFacts {
  /** The number of pages that one report reads at most, by the platform's quota and price. */
  readonly pages: number;
  readonly postsPerPage: number;
  /** The number of the newest posts that the platform lists; null where it lists all. */
  readonly postsMax: number | null;
}

export interface RefundFacts {
  readonly lines: boolean;
  readonly shipping: boolean;
  readonly restock: boolean;
  /** Whether restocking can be chosen per line of one refund. */
  readonly restockByLine: boolean;
  /** Whether the restock location of a line can be chosen. */
  readonly locations: boolean;
  readonly notifyCustomer: boolean;
  readonly offline: boolean;
  /**
   * Whether the store may accept a refund and settle it after its response, within 14 days; otherwise it
   * settles within the request.
   */
  readonly settlesLater: boolean;
  /** Whether the store itself rejects a repeated identical refund. */
  readonly idempotent: boolean;
}

interface PlatformSetup {
  readonly consoleUrl: string | null;
  readonly reviewNeeded: boolean;
  readonly pitfalls: readonly string[];
}

/** The facts only: readable inside a transaction. */
export interface Manifests {
  find(id: string): Manifest | null;
  list(): readonly Manifest[];
  /** For validation before anything is stored. */
  findRules(id: string): PublishingRules | null;
  /** The abilities of the platform, and their extent. */
  getAbilities(id: string): Abilities;
  /**
   * Names of environment variables that the operator must set before it can be connected; empty when it is
   * configured.
   */
  listMissingVariables(id: string): readonly string[];
  /** The client id of its app in the environment; null without one. */
  findClientId(id: string): string | null;
}

export interface Abilities {
  readonly publishing: {
    readonly readBack: boolean;
    readonly unpublish: boolean;
    readonly edit: boolean;
  } | null;
  readonly analytics: {
    readonly posts: boolean;
    readonly account: boolean;
    /** Whether posts made elsewhere are included on request. */
    readonly elsewhere: boolean;
  } | null;
  readonly orders: {
    readonly filters: readonly (keyof OrderQuery)[];
    /** The connect methods whose accounts can register webhooks. */
    readonly webhooks: readonly string[];
  } | null;
  readonly refunds: { readonly readBack: boolean } | null;
}
