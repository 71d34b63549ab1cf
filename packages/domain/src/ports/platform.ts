import type { MetricName, Metrics } from '../analytics/metrics.js';
import type { MediaRules, PlatformKind, RemoteAccount, TextLimits } from '../connections/connection.js';
import type { Failure, FailureCode, Problem } from '../failure.js';
import type {
  OrderStatus,
  FulfillmentStatus,
  PaymentStatus,
  RemoteOrder,
  RemoteRefund,
} from '../orders/order.js';
import type { MediaKind } from '../media/media.js';
import type { PartContent } from '../posts/post.js';
import type { Price } from '../price.js';
import type { RefundExtent, RefundLine, RefundPayment } from '../refunds/refund.js';
import type { Result } from '../result.js';
import type { Secret } from '../secret.js';
import type { ConnectMethod } from './connect-method.js';
import type { ByteRange } from './media-files.js';

/**
 * A platform: facts, then abilities. An absent ability means that the platform does not support it, and so
 * does an absent optional member: without `find`, an unknown outcome becomes `needs_review`; without
 * `remove`, a post cannot be unpublished.
 */
export interface Platform {
  readonly manifest: Manifest;
  readonly connecting: Connecting;
  readonly publishing?: Publishing;
  readonly analytics?: Analytics;
  readonly orders?: Orders;
  readonly refunds?: Refunding;
}

export type Ability = 'publishing' | 'analytics' | 'orders' | 'refunds';

/** The static facts of a platform, for people, agents and the validators. */
export interface Manifest {
  /** Lower snake case: `bluesky`, `adobe_commerce`. */
  readonly id: string;
  readonly name: string;
  readonly kind: PlatformKind;
  readonly sandbox: boolean;
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

export interface PlatformSetup {
  readonly consoleUrl: string | null;
  readonly reviewNeeded: boolean;
  readonly pitfalls: readonly string[];
}

// ── Requests to a platform
// ───────────────────────────────────────────────────────────────────────────────────────

/**
 * An authenticated session with one connected account. It signs requests, renews tokens and enforces limits:
 * an adapter never sees a token, the vault or OAuth storage. A 401 causes one renewal and one retry where a
 * double effect is impossible.
 */
export interface Session {
  readonly account: RemoteAccount;
  /** The id of the connect method, where it determines the requests. */
  readonly connectMethod: string;
  /** Origin of the account's server, without a trailing slash. */
  readonly baseUrl: string;
  /** The platform API version of this installation: the manifest's, unless the operator chose another. */
  readonly apiVersion: string | null;
  readonly grantedPermissions: readonly string[];
  /**
   * The resource that the credential itself names, where it does: a webhook's id, the value entered next to a
   * bot's token.
   */
  readonly subject?: string | null | undefined;
  readonly signal: AbortSignal;
  request(request: PlatformRequest): Promise<Result<PlatformResponse, RequestFailureCode>>;
}

export interface PlatformRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /**
   * Relative to `baseUrl`, beginning with a slash; or an absolute URL on an origin of the manifest. With
   * `omitsCredential` any URL that the platform returned. `KEY_IN_PATH` is the placeholder of a key that the
   * platform expects in the path.
   */
  readonly path: string;
  /** Sent without the credential: to a presigned URL that the platform issued for this one file. */
  readonly omitsCredential?: boolean | undefined;
  /**
   * The scheme of a token in `Authorization`, where one endpoint expects another than RFC 6750's `Bearer`.
   */
  readonly tokenScheme?: 'OAuth' | undefined;
  readonly query?:
    Readonly<Record<string, string | number | boolean | readonly string[] | undefined>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>> | undefined;
  readonly body?: PlatformBody | undefined;
  /**
   * The effect of a request without a response. `read`: none, it may be repeated. `idempotent`: it may be
   * repeated with the same effect. `write`: it may have taken effect, which is `platform.outcome_unknown`.
   */
  readonly effect: 'read' | 'idempotent' | 'write';
  readonly deadlineSeconds?: number | undefined;
  readonly maxBytes?: number | undefined;
  /**
   * Detects a rejected credential where the platform reports it without a 401. The request then had no
   * effect.
   */
  readonly isCredentialRejected?: ((answer: PlatformResponse) => boolean) | undefined;
  /**
   * For a platform that reports with a 401 or a 5xx what others report with a 403 or a 4xx: the adapter then
   * receives and interprets those responses too.
   */
  readonly acceptsErrorStatuses?: boolean | undefined;
}

/**
 * Bytes in memory, or a body too large for it: `stream` is restarted for every attempt and yields exactly
 * `length` bytes.
 */
export type PlatformBody =
  | { readonly type: string; readonly bytes: Uint8Array }
  | { readonly type: string; readonly length: number; stream(): AsyncIterable<Uint8Array> };

/**
 * Any response below 500 except 401 and 429, which the session handles: success, or a rejection for the
 * adapter to interpret. With `acceptsErrorStatuses` 401 and 5xx too.
 */
export interface PlatformResponse {
  readonly status: number;
  readonly ok: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Undefined when the body is not JSON. */
  readonly json: unknown;
}

export type RequestFailureCode =
  | 'platform.unavailable'
  | 'platform.rate_limited'
  | 'platform.outcome_unknown'
  | 'platform.address_refused'
  | 'platform.invalid_response'
  | 'connection.needs_reauth'
  | 'vault.unavailable'
  | 'vault.unreadable';

/** The failure codes of every ability, in addition to its own. */
export type PlatformFailureCode = RequestFailureCode | 'platform.refused' | 'platform.permission_missing';

// ── Abilities
// ────────────────────────────────────────────────────────────────────────────────────────────────────

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

export interface Publishing {
  /**
   * Length of a text exactly as the platform counts it, in the manifest's unit. Pure. `limits` are those of
   * the account's own server.
   */
  count(text: string, limits?: TextLimits): number;
  /** The text as it will be published (with an appended link, for example). Pure. */
  finalText(draft: PartDraft): string;
  /** Rules beyond the manifest's limits. Pure; paths are relative to the target. */
  check?(draft: PartDraft, limits?: TextLimits, accountId?: string): readonly Problem[];
  /**
   * The platform's charge for publishing one part, by its price list; null for none. Always in one currency.
   * Pure.
   */
  cost?(draft: PartDraft): Price | null;
  /**
   * Publishes one part. `reference` is the same for every attempt at this part: where the platform accepts a
   * client-defined id or key, derive it from that. A failure of `platform.outcome_unknown` is looked up with
   * `find`, never sent again. `platform.duplicate_content` means that the platform rejects the same content
   * twice: after an attempt with unknown outcome it has most likely accepted that. Data that a later attempt
   * or `find` needs (an upload's id, a container's) is passed to `remember` before the publishing request; it
   * is durable when that resolves, and is passed back as `item.receipt`.
   */
  publish(
    session: Session,
    item: PublishItem,
    saveReceipt: SaveReceipt,
  ): Promise<Result<PublishedPart, PlatformFailureCode | 'platform.duplicate_content'>>;
  /**
   * Looks up whether an attempt at this part took effect. Null: certainly not. Several candidates:
   * `platform.outcome_unknown`.
   */
  find?(session: Session, item: PublishItem): Promise<Result<PublishedPart | null, PlatformFailureCode>>;
  /**
   * For a platform that assigns a post's id and URL after publishing: until then its part has the URL null,
   * whatever its id. Called repeatedly for a day. Null, or a part that still has no URL: not yet.
   */
  resolvePublishedUrl?(
    session: Session,
    part: PublishedPart,
  ): Promise<Result<PublishedPart | null, PlatformFailureCode>>;
  /** Deletes at the platform; succeeds for a part that is already gone. */
  remove?(session: Session, part: PublishedPart): Promise<Result<undefined, PlatformFailureCode>>;
  /**
   * The current options of this account beyond the manifest: boards, flairs. `query` filters the choices
   * where not all can be read at once; the caller removes results that do not match it.
   */
  options?(session: Session, query?: string): Promise<Result<AccountOptions, PlatformFailureCode>>;
  /**
   * The remaining publishing quota of this account. Also called during validation, so it takes as few
   * requests as possible. A part beyond every quota is rejected by `publish` as `platform.rate_limited`, and
   * is published when quota is available again.
   */
  quotas?(session: Session): Promise<Result<readonly Quota[], PlatformFailureCode>>;
}

/** The pure part of publishing. */
export type PublishingRules = Pick<Publishing, 'count' | 'finalText' | 'check' | 'cost'>;

/**
 * Replaces the part's receipt. Rejects when another worker has claimed the delivery: nothing may be sent
 * then.
 */
export type SaveReceipt = (receipt: PublishedPart['receipt']) => Promise<void>;

/** Omitted members are as in the manifest, or in the account. */
export interface AccountOptions {
  readonly textLimits?: TextLimits | undefined;
  readonly mediaLimits?: MediaRules | undefined;
  readonly options?: readonly PublishOption[] | undefined;
}

/** How much of a periodic limit is used. */
export interface Quota {
  readonly name: string;
  readonly used: number;
  readonly limit: number;
  /** When all of it is available again; null for a sliding window, such as the last 24 hours. */
  readonly resetsAt: Date | null;
  /** The kinds of parts that use up one unit each. */
  readonly usedBy: readonly PartContent['kind'][];
}

/** One part before it is published. */
export interface PartDraft extends Pick<PartContent, 'kind' | 'title' | 'text' | 'link'> {
  readonly options: Readonly<Record<string, unknown>>;
  /** The number of its media: also known during a read-back. */
  readonly mediaCount: number;
  /** The known ones: unprocessed media are missing, and all are during a read-back. */
  readonly media?: readonly MediaFacts[] | undefined;
}

/** The properties of a media item that rules may use. */
export type MediaFacts = Pick<
  PublishMedia,
  'kind' | 'type' | 'width' | 'height' | 'durationSeconds' | 'animated'
>;

export interface PublishItem extends PartDraft {
  /** The same for all attempts: the delivery's id and the part's index. */
  readonly reference: string;
  /** The same for all attempts: the post's timestamp where the platform requires one. */
  readonly createdAt: Date;
  /** Within the limits of the manifest, or of the account's server. Empty during a read-back. */
  readonly media: readonly PublishMedia[];
  /**
   * The metadata of the page behind `link`, where the manifest has cards and the part has no media; null
   * without metadata.
   */
  readonly card: LinkCard | null;
  /** For a part after the first: its parent and the root of the thread. */
  readonly replyTo: { readonly root: PublishedPart; readonly parent: PublishedPart } | null;
  /** The receipt that earlier attempts at this part stored. */
  readonly receipt: PublishedPart['receipt'];
}

/** An image, video or document that is ready to be sent. */
export interface PublishMedia {
  readonly kind: MediaKind;
  /** Detected from the content. */
  readonly type: string;
  readonly bytes: number;
  /** Null for a document. */
  readonly width: number | null;
  readonly height: number | null;
  /** Null for a document and for a still image. */
  readonly durationSeconds: number | null;
  /** Whether it is an animated image. */
  readonly animated: boolean;
  /** In hexadecimal. */
  readonly sha256: string;
  /** A description of its content; for a document its title. */
  readonly altText: string | null;
  /** With the extension of its type. */
  readonly fileName: string;
  /** Its bytes: all of them, or those from `start` to `end`, both inclusive. */
  read(range?: ByteRange): AsyncIterable<Uint8Array>;
  /** A URL from which the platform can download it, for an hour. */
  publicUrl(): string;
}

/** A page's own metadata, sanitized and truncated. */
export interface LinkCard {
  readonly url: string;
  readonly title: string;
  /** Empty when the page has none. */
  readonly description: string;
  readonly image: CardImage | null;
}

/** JPEG, PNG or WebP of at most 1,000,000 bytes. */
export interface CardImage extends Pick<PublishMedia, 'type' | 'bytes' | 'sha256' | 'read'> {
  readonly width: number;
  readonly height: number;
}

export interface PublishedPart {
  readonly externalId: string;
  readonly url: string | null;
  readonly receipt: Readonly<Record<string, string>>;
}

export interface Analytics {
  /**
   * Lifetime metrics of published posts, by their external id. Unreported metrics are null; a deleted post is
   * omitted.
   */
  ofPosts(
    session: Session,
    externalIds: readonly string[],
  ): Promise<Result<ReadonlyMap<string, Metrics>, PlatformFailureCode>>;
  ofAccount?(session: Session): Promise<Result<Metrics, PlatformFailureCode>>;
}

export interface Orders {
  /**
   * The filters that the store itself applies. All filters are applied again on this side, because real
   * stores ignore those they do not know.
   */
  readonly filters: readonly (keyof OrderQuery)[];
  /**
   * Its page tokens are page numbers, so that an order which leaves the list shifts another one past the
   * reader. Lists then continue from the time of the last listed order, where the store applies the filter of
   * that time exactly to the millisecond.
   */
  readonly countsPages?: boolean | undefined;
  /** A page in the requested order. `next` continues it; absent at the end. */
  list(
    session: Session,
    query: OrderQuery,
    page: { readonly limit: number; readonly token?: string | undefined },
  ): Promise<
    Result<
      {
        readonly orders: readonly RemoteOrder[];
        readonly next?: string | undefined;
        readonly notes?: readonly string[] | undefined;
      },
      PlatformFailureCode
    >
  >;
  /** Null when the store has no such order. */
  get(session: Session, externalId: string): Promise<Result<RemoteOrder | null, PlatformFailureCode>>;
}

export type OrderSort = '-created_at' | 'created_at' | '-updated_at' | 'updated_at';

export interface OrderQuery {
  readonly sort: OrderSort;
  readonly statuses?: readonly OrderStatus[] | undefined;
  readonly paymentStatuses?: readonly PaymentStatus[] | undefined;
  readonly fulfillmentStatuses?: readonly FulfillmentStatus[] | undefined;
  readonly createdAfter?: Date | undefined;
  readonly createdBefore?: Date | undefined;
  readonly updatedAfter?: Date | undefined;
  readonly updatedBefore?: Date | undefined;
  readonly number?: string | undefined;
  readonly email?: string | undefined;
  readonly minTotalMinor?: number | undefined;
  readonly maxTotalMinor?: number | undefined;
  readonly currency?: string | undefined;
}

export interface Refunding {
  /**
   * The store's own calculation of these lines and this shipping, with its taxes and discounts, in the
   * currency's smallest unit. Stores nothing. Omitted where a unit is worth its share of its line's total.
   */
  calculate?(
    session: Session,
    order: RemoteOrder,
    wanted: Pick<RefundInstruction, 'lines' | 'shippingMinor'>,
  ): Promise<Result<{ readonly linesMinor: number; readonly shippingMinor: number }, PlatformFailureCode>>;
  /**
   * Creates the refund at the store. `reference` is stored where the store keeps one, so that `find` can
   * match it. `refund.unclear`: the money may have moved, and its absence at the store proves nothing. It
   * then requires a person, and is never sent again.
   */
  refund(
    session: Session,
    instruction: RefundInstruction,
  ): Promise<Result<RemoteRefund, PlatformFailureCode | 'refund.refused' | 'refund.unclear'>>;
  /** Looks up whether it was made. Null: certainly not. */
  find?(
    session: Session,
    instruction: RefundInstruction,
  ): Promise<Result<RemoteRefund | null, PlatformFailureCode>>;
}

export interface RefundInstruction {
  readonly orderExternalId: string;
  readonly reference: string;
  /** How the amount was specified. With `amount` the lines only define what is restocked. */
  readonly kind: RefundExtent['kind'];
  readonly amountMinor: number;
  readonly currency: string;
  readonly payments: readonly RefundPayment[];
  readonly lines: readonly RefundLine[];
  readonly shippingMinor: number;
  readonly restock: boolean;
  readonly reason: string | null;
  readonly note: string | null;
  readonly notifyCustomer: boolean | null;
}

/** The platforms of this installation, and access to their accounts. */
export interface Platforms {
  find(id: string): Platform | null;
  list(): readonly Platform[];
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
  readonly publishing: { readonly readBack: boolean; readonly unpublish: boolean } | null;
  readonly analytics: { readonly posts: boolean; readonly account: boolean } | null;
  readonly orders: { readonly filters: readonly (keyof OrderQuery)[] } | null;
  readonly refunds: { readonly readBack: boolean } | null;
}

export type PlatformFailure = Failure<FailureCode & PlatformFailureCode>;
