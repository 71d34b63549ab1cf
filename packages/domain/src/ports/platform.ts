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
 * A platform: facts, then abilities. An absent ability is the answer, and so is an absent optional member of one:
 * where `find` is missing, an unknown outcome becomes `needs_review`; where `remove` is missing, a post cannot be unpublished.
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

/** What is known of a platform without asking it. Read by people, by agents and by the validators themselves. */
export interface Manifest {
  /** Lower snake case: `bluesky`, `adobe_commerce`. */
  readonly id: string;
  readonly name: string;
  readonly kind: PlatformKind;
  readonly sandbox: boolean;
  /** Ways to connect an account; the first is the one offered, the others are alternatives on the same page. */
  readonly connect: readonly [ConnectMethod, ...ConnectMethod[]];
  /** The permission (in the platform's own words) that each ability needs, unless a way names its own. */
  readonly permissions: Readonly<Partial<Record<Ability, readonly string[]>>>;
  readonly text: { readonly max: number; readonly unit: string; readonly required: boolean } | null;
  /** What media a part of a post may carry; null where none. */
  readonly media: MediaRules | null;
  /** A title beside the text; null where the platform knows none. */
  readonly title: { readonly max: number; readonly unit: string; readonly required: boolean } | null;
  /** Whether a post may go on in parts that each answer the one before. */
  readonly thread: boolean;
  /** Whether a comment may be put below a post at once, and how long it may be in the unit of the text; null: as long as a post. */
  readonly firstComment: { readonly max: number | null } | null;
  /** The permission without which nothing can be put below a post, by whatever way it is connected. Left out: there is none. */
  readonly replyPermission?: string | undefined;
  /** Whether a link is shown as a card that is made of the page's own description, which the adapter is then given. */
  readonly linkCards: boolean;
  readonly options: readonly PublishOption[];
  readonly metrics: readonly MetricDefinition[];
  readonly refunds: RefundFacts | null;
  readonly setup: PlatformSetup;
  /** Default origins. An operator may replace them (`SWITCHBOARD_<PLATFORM>_BASE_URL`, `_AUTH_BASE_URL`). Null where every account has its own server. */
  readonly baseUrl: string | null;
  /**
   * `global`: no two servers of the platform give out the same account id. Left out where every account has its own server
   * (`baseUrl` is null): an id is unique within its server.
   */
  readonly accountIds?: 'global' | undefined;
  readonly authBaseUrl: string | null;
  /** Where a browser is sent to consent, where that is not the origin that makes tokens. It goes where `authBaseUrl` goes. */
  readonly consentBaseUrl?: string | undefined;
  /** Another origin of the platform's that takes files, with the login. An operator may replace it (`_UPLOAD_BASE_URL`). */
  readonly uploadBaseUrl?: string | undefined;
  /** Another origin of the platform's that tells numbers, with the login. An operator may replace it (`_ANALYTICS_BASE_URL`). */
  readonly analyticsBaseUrl?: string | undefined;
  /**
   * What clients call themselves, where the platform says how (`User-Agent`); `{version}` stands for ours, `{url}` for this
   * installation's. An operator may set another (`_USER_AGENT`). Left out: as everywhere.
   */
  readonly userAgent?: string | undefined;
  /** What one account may ask in a minute, where the platform says it; and how much at once, where eight is too much. */
  readonly requests?: { readonly perMinute?: number; readonly concurrent?: number } | undefined;
  /** The version that is asked for. An operator may ask for another (`SWITCHBOARD_<PLATFORM>_API_VERSION`). */
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
  /** Other values may be taken than those listed: the list was cut, or is only of what comes to mind. */
  readonly more?: boolean | undefined;
  readonly max?: number | undefined;
}

export interface MetricDefinition {
  readonly metric: MetricName;
  /** What the platform itself calls it. */
  readonly nativeName: string;
  readonly definition: string;
  readonly lagHours: number;
  readonly subject: 'post' | 'account';
}

export interface RefundFacts {
  readonly lines: boolean;
  readonly shipping: boolean;
  readonly restock: boolean;
  /** Whether some of the lines of one refund may be restocked and others not. */
  readonly restockByLine: boolean;
  /** Whether it may be said where a line is restocked. */
  readonly locations: boolean;
  readonly notifyCustomer: boolean;
  readonly offline: boolean;
  /** Whether the store may accept a refund and settle it after its response, within 14 days; otherwise it settles within the request. */
  readonly settlesLater: boolean;
  /** Whether the store itself refuses to do the same refund twice. */
  readonly idempotent: boolean;
}

export interface PlatformSetup {
  readonly consoleUrl: string | null;
  readonly reviewNeeded: boolean;
  readonly pitfalls: readonly string[];
}

// ── Talking to a platform ────────────────────────────────────────────────────────────────────────────────────────

/**
 * An open line to one connected account. It signs, renews and guards by itself: an adapter never sees a token, the vault
 * or OAuth storage. A 401 is answered by one renewal and one repetition where nothing can have happened twice.
 */
export interface Session {
  readonly account: RemoteAccount;
  /** The id of the way by which it is connected, where that decides what is asked for. */
  readonly connectMethod: string;
  /** Origin of the account's server, without a trailing slash. */
  readonly baseUrl: string;
  /** The version of the platform's API that this installation asks for: the manifest's, unless the operator chose another. */
  readonly apiVersion: string | null;
  readonly grantedPermissions: readonly string[];
  /** What the credential itself says that it opens, where it says so: a webhook's id, what was typed beside a bot's token. */
  readonly subject?: string | null | undefined;
  readonly signal: AbortSignal;
  request(request: PlatformRequest): Promise<Result<PlatformResponse, RequestFailureCode>>;
}

export interface PlatformRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /**
   * Below `baseUrl`, beginning with a slash; or an absolute URL on an origin that the manifest names. With `bare` any that the
   * platform told. `KEY_IN_PATH` is the place of a key that the platform wants in the path.
   */
  readonly path: string;
  /** Sent without the credential: to an address that the platform made for this one file, and that is the permission itself. */
  readonly omitsCredential?: boolean | undefined;
  /** The word before a token in `Authorization`, where one address wants another than RFC 6750's `Bearer`. */
  readonly tokenScheme?: 'OAuth' | undefined;
  readonly query?:
    Readonly<Record<string, string | number | boolean | readonly string[] | undefined>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>> | undefined;
  readonly body?: PlatformBody | undefined;
  /**
   * What an unanswered request means. `read`: nothing happened, it may be repeated. `idempotent`: it may be repeated with the
   * same effect. `write`: it may have happened, which is `platform.outcome_unknown`.
   */
  readonly effect: 'read' | 'idempotent' | 'write';
  readonly deadlineSeconds?: number | undefined;
  readonly maxBytes?: number | undefined;
  /** Where the platform says in another way than with a 401 that it does not accept the credential. Then nothing has happened. */
  readonly isCredentialRejected?: ((answer: PlatformResponse) => boolean) | undefined;
  /**
   * For a platform that says with a 401 or a 5xx, in words, what others say with a 403 or a 4xx: then the adapter reads those
   * too, and says itself what they mean.
   */
  readonly acceptsErrorStatuses?: boolean | undefined;
}

/** Bytes at hand, or more than should be: `stream` is begun anew for every attempt and gives exactly `length` bytes. */
export type PlatformBody =
  | { readonly type: string; readonly bytes: Uint8Array }
  | { readonly type: string; readonly length: number; stream(): AsyncIterable<Uint8Array> };

/**
 * Any answer below 500 except 401 and 429, which the session has dealt with: success, or a refusal for the adapter to read.
 * With `everyAnswer` 401 and 5xx too.
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

/** What every ability may answer besides its own refusals. */
export type PlatformFailureCode = RequestFailureCode | 'platform.refused' | 'platform.permission_missing';

// ── Abilities ────────────────────────────────────────────────────────────────────────────────────────────────────

export interface Connecting {
  /**
   * The accounts that this grant opens: one for most platforms, several where pages or stores are to be chosen. Where the
   * platform renews logins with refresh tokens that work once, several accounts need credentials of their own: two
   * connections that shared one login would spend each other's. Where one key opens many accounts (a bot's chats), the id of
   * `session.account` is what somebody typed beside it, or the account's own once it is connected.
   */
  identify(session: Session): Promise<Result<readonly FoundAccount[], PlatformFailureCode>>;
}

/** An account as the platform tells of it, with the credential that is its own where each has one (Facebook Pages). */
export interface FoundAccount extends RemoteAccount {
  /**
   * An access token of this account alone, as the platform wrote it. It is stored instead of the login's, and lasts until
   * the platform refuses it.
   */
  readonly credential?: Secret | undefined;
  /** The permissions that its owner really granted, where the platform tells them only when it is asked. */
  readonly permissions?: readonly string[] | undefined;
}

export interface Publishing {
  /** Length of a text exactly as the platform counts it, in the manifest's unit. Pure. `limits` are those of the account's own server. */
  count(text: string, limits?: TextLimits): number;
  /** The text as it will stand there (a link appended, say). Pure. */
  finalText(draft: PartDraft): string;
  /** Whatever the manifest's numbers cannot say. Pure; paths are relative to the target. */
  check?(draft: PartDraft, limits?: TextLimits, accountId?: string): readonly Problem[];
  /** What the platform charges for publishing one part, by its price list; null for nothing. Always in one currency. Pure. */
  cost?(draft: PartDraft): Price | null;
  /**
   * Publishes one part. `reference` is the same for every attempt at this part: where the platform lets us choose an id
   * or a key, derive it from that. A failure of `platform.outcome_unknown` is looked up with `find`, never sent again.
   * `platform.duplicate_content` is a platform that refuses to take the same content twice: after an attempt in doubt it has
   * most likely taken that. What a later attempt or `find` has to know (an upload's id, a container's) goes to `remember`
   * before the request that publishes; it is on disk when that resolves, and comes back as `item.receipt`.
   */
  publish(
    session: Session,
    item: PublishItem,
    saveReceipt: SaveReceipt,
  ): Promise<Result<PublishedPart, PlatformFailureCode | 'platform.duplicate_content'>>;
  /** Looks whether an attempt at this part took effect. Null: certainly not. Several candidates: `platform.outcome_unknown`. */
  find?(session: Session, item: PublishItem): Promise<Result<PublishedPart | null, PlatformFailureCode>>;
  /**
   * For a platform that says later than it publishes what a post is called and where it is: until then its part has the URL
   * null, whatever its id. Asked again from time to time for a day. Null, or a part that still has no URL: not yet.
   */
  resolvePublishedUrl?(
    session: Session,
    part: PublishedPart,
  ): Promise<Result<PublishedPart | null, PlatformFailureCode>>;
  /** Deletes at the platform; a part that is gone already is a success. */
  remove?(session: Session, part: PublishedPart): Promise<Result<undefined, PlatformFailureCode>>;
  /**
   * What this account may do now, where that is more than the manifest says: boards, flairs. `query` is what somebody looks
   * for among the choices, for whom not all can be read at once; what does not fit it is taken out by whoever asked.
   */
  options?(session: Session, query?: string): Promise<Result<AccountOptions, PlatformFailureCode>>;
  /**
   * How much this account may still publish. Asked by who validates a post, too, so in as few requests as it takes. A part
   * that no quota has room for is refused by `publish` as `platform.rate_limited`, and goes out when there is room again.
   */
  quotas?(session: Session): Promise<Result<readonly Quota[], PlatformFailureCode>>;
}

/** The pure part of publishing. */
export type PublishingRules = Pick<Publishing, 'count' | 'finalText' | 'check' | 'cost'>;

/** Replaces the part's receipt. Rejects when somebody else has the delivery by now: nothing may be sent then. */
export type SaveReceipt = (receipt: PublishedPart['receipt']) => Promise<void>;

/** What is left out is as the manifest, or the account, says. */
export interface AccountOptions {
  readonly textLimits?: TextLimits | undefined;
  readonly mediaLimits?: MediaRules | undefined;
  readonly options?: readonly PublishOption[] | undefined;
}

/** How much of what may be done in a time is done already. */
export interface Quota {
  readonly name: string;
  readonly used: number;
  readonly limit: number;
  /** When all of it is free again; null where that is not one moment, as of the last 24 hours. */
  readonly resetsAt: Date | null;
  /** The parts of which each uses up one. */
  readonly usedBy: readonly PartContent['kind'][];
}

/** One part before it goes out. */
export interface PartDraft extends Pick<PartContent, 'kind' | 'title' | 'text' | 'link'> {
  readonly options: Readonly<Record<string, unknown>>;
  /** How many media belong to it: also known when it is read back. */
  readonly mediaCount: number;
  /** Those that are known: nothing is of what is still on its way, nor when it is read back. */
  readonly media?: readonly MediaFacts[] | undefined;
}

/** What rules may ask of a medium. */
export type MediaFacts = Pick<
  PublishMedia,
  'kind' | 'type' | 'width' | 'height' | 'durationSeconds' | 'animated'
>;

export interface PublishItem extends PartDraft {
  /** Stable over all attempts: the delivery's id and the part's index. */
  readonly reference: string;
  /** Stable over all attempts: the time the post bears where the platform asks for one. */
  readonly createdAt: Date;
  /** Within what the manifest, or the account's server, allows. Empty when it is read back. */
  readonly media: readonly PublishMedia[];
  /** What the page behind `link` says of itself, where the manifest has cards and the part no media; null when it says nothing. */
  readonly card: LinkCard | null;
  /** Of a part after the first: what it answers, and where all begins. */
  readonly replyTo: { readonly root: PublishedPart; readonly parent: PublishedPart } | null;
  /** What earlier attempts at this part remembered. */
  readonly receipt: PublishedPart['receipt'];
}

/** A picture, a film or a document that is ready to be sent. */
export interface PublishMedia {
  readonly kind: MediaKind;
  /** As it was sniffed. */
  readonly type: string;
  readonly bytes: number;
  /** Null of a document. */
  readonly width: number | null;
  readonly height: number | null;
  /** Null of a document and of a still picture. */
  readonly durationSeconds: number | null;
  /** Whether it is a picture that moves. */
  readonly animated: boolean;
  /** In hexadecimal. */
  readonly sha256: string;
  /** What is seen in it; of a document its title. */
  readonly altText: string | null;
  /** With the ending that goes with its type. */
  readonly fileName: string;
  /** Its bytes: all of them, or those from `start` to `end`, both included. */
  read(range?: ByteRange): AsyncIterable<Uint8Array>;
  /** Where the platform itself can fetch it, for an hour. */
  publicUrl(): string;
}

/** What a page says of itself, cleaned and short. */
export interface LinkCard {
  readonly url: string;
  readonly title: string;
  /** Empty when it says nothing. */
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
  /** Numbers to date of published posts, by their external id. What is not given is null; a post that is gone is left out. */
  ofPosts(
    session: Session,
    externalIds: readonly string[],
  ): Promise<Result<ReadonlyMap<string, Metrics>, PlatformFailureCode>>;
  ofAccount?(session: Session): Promise<Result<Metrics, PlatformFailureCode>>;
}

export interface Orders {
  /** Which filters the store itself applies. All others are applied again on our side, always, since real stores ignore what they do not know. */
  readonly filters: readonly (keyof OrderQuery)[];
  /**
   * Its page tokens count from the beginning of the list, so that an order which leaves it lets another one slip by. Lists then
   * go on from the time of the last order given, where the store applies the filter of that time exactly to the millisecond.
   */
  readonly countsPages?: boolean | undefined;
  /** A page in the asked order. `next` continues it; absent at the end. */
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
   * What the store itself says that these lines and this shipping come to, with its taxes and discounts, in the currency's
   * smallest unit. Nothing is stored there. Left out where a unit is worth its share of its line's total.
   */
  calculate?(
    session: Session,
    order: RemoteOrder,
    wanted: Pick<RefundInstruction, 'lines' | 'shippingMinor'>,
  ): Promise<Result<{ readonly linesMinor: number; readonly shippingMinor: number }, PlatformFailureCode>>;
  /**
   * Makes the refund at the store. `reference` goes where the store keeps it, so that `find` can tell. `refund.unclear`: the money
   * may have moved, and that the store does not show it proves nothing. It is for a person then, and is never sent again.
   */
  refund(
    session: Session,
    instruction: RefundInstruction,
  ): Promise<Result<RemoteRefund, PlatformFailureCode | 'refund.refused' | 'refund.unclear'>>;
  /** Looks whether it was made. Null: certainly not. */
  find?(
    session: Session,
    instruction: RefundInstruction,
  ): Promise<Result<RemoteRefund | null, PlatformFailureCode>>;
}

export interface RefundInstruction {
  readonly orderExternalId: string;
  readonly reference: string;
  /** How the amount came about. With `amount` the lines only say what is restocked. */
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

/** The platforms of this installation, and how to reach an account on one. */
export interface Platforms {
  find(id: string): Platform | null;
  list(): readonly Platform[];
}

/** The facts alone: what may be read inside a transaction. */
export interface Manifests {
  find(id: string): Manifest | null;
  list(): readonly Manifest[];
  /** For validating before anything is stored. */
  findRules(id: string): PublishingRules | null;
  /** Which abilities the platform has, and how far each goes. */
  getAbilities(id: string): Abilities;
  /** Names of environment variables that the operator would set for it to be connected; empty when it is configured. */
  listMissingVariables(id: string): readonly string[];
  /** The client id of the app that the environment gives for it; null when it gives none. */
  findClientId(id: string): string | null;
}

export interface Abilities {
  readonly publishing: { readonly readBack: boolean; readonly unpublish: boolean } | null;
  readonly analytics: { readonly posts: boolean; readonly account: boolean } | null;
  readonly orders: { readonly filters: readonly (keyof OrderQuery)[] } | null;
  readonly refunds: { readonly readBack: boolean } | null;
}

export type PlatformFailure = Failure<FailureCode & PlatformFailureCode>;
