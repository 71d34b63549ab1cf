import type { MetricName } from '@switchboard/domain/analytics';
import type { RemoteAccount } from '@switchboard/domain/connections';
import type { LinkCard, PublishedPart, PublishItem } from '@switchboard/domain/ports';
import type { StoredWebhook, WebhookDelivery } from '@switchboard/simulators';
import type { KeyLocation, ReceivedRequest } from './key-location.js';
import type { TokenRules } from './jwt-violations.js';

type PartKind = PublishItem['kind'];

/** The evidence for a statement about a platform, with the URL of its source. */
type Evidence = `${string}https://${string}`;

/**
 * A platform that runs on this machine, with one connected account: a real server, or a simulator that keeps
 * a ledger of effects and injects faults on command. Provides what the contract needs in addition to what an
 * adapter sees.
 */
export interface World extends PublishedContent {
  /** Origin of the account's server. */
  readonly baseUrl: string;
  /** The connect method, if it is not the first. */
  readonly connectMethod?: string | undefined;
  /** With the limits of its own server, if it has any. */
  readonly account: RemoteAccount;
  /** The granted permissions, if they determine how the account is connected. */
  readonly permissions?: readonly string[] | undefined;
  /** The account that the credential itself names. */
  readonly subject?: string | undefined;
  /** The platform accepts a document next to an image; the rules reject it before the request. */
  readonly mixesDocuments?: boolean | undefined;
  /** The typed account name for a key that opens many accounts. */
  readonly enteredAccount?: string | undefined;
  /** A token with every permission that the manifest names. */
  readonly token: string;
  readonly expiredToken: string;
  /** A token whose owner granted only identification. */
  readonly weakToken: string;
  /**
   * Every token has all permissions, so that no request is refused for a missing one; the manifest names none
   * then.
   */
  readonly withoutPermissions?: boolean | undefined;
  /** Breaks the next request, or the one after the given number of requests, once. */
  break(how: Breakage, skipRequests?: number): void;
  /**
   * How many requests a part makes before the one that publishes it, and an edit before the one that changes it; default
   * none. Without media if possible.
   */
  readonly requestsBefore?: Partial<Readonly<Record<PartKind | 'edit', number>>> | undefined;
  /** The required options of every post, such as a board. */
  readonly needs?: Partial<Pick<PublishItem, 'options' | 'title'>> | undefined;
  /**
   * Response fields (`data.*.message`, where `*` is every element of a list) that the platform omits or sets
   * to null when they are empty. A response without one is valid, so a post without its text is another post.
   * Each with its source.
   */
  readonly omittedFields?: readonly string[] | undefined;
  /**
   * Differences between posts that the platform does not return (`its image`, `its option silent`), each with
   * the evidence: `find` may mistake one such post for the other, and never reports the absence of a
   * published post.
   */
  readonly notReadBack?: Readonly<Record<string, Evidence>> | undefined;
  /** Values of options whose values neither the manifest nor the account lists: at least two. */
  readonly optionSamples?: Readonly<Record<string, readonly unknown[]>> | undefined;
  /** The context in which an option has a meaning, such as a video for its cover. */
  readonly optionContent?:
    | Readonly<
        Record<
          string,
          () => Partial<Pick<PublishItem, 'text' | 'title' | 'media' | 'mediaCount' | 'link' | 'options'>>
        >
      >
    | undefined;
  /** The default of an option, whose value need not be sent; false for an unlisted boolean. */
  readonly optionDefaults?: Readonly<Record<string, unknown>> | undefined;
  /**
   * The request field that carries an option, as the platform documents it, if it differs from the option's
   * name. Each with its source.
   */
  readonly wireFields?: Readonly<Record<string, string>> | undefined;
  /**
   * Values of options (`visibility=CONNECTIONS`) that the platform refuses for an account of this kind and
   * accepts for others.
   */
  readonly refusedOfAccount?: readonly string[] | undefined;
  /**
   * How a value of an option (`silent=true`) is sent, if not as the value itself: a value, a field with it
   * (`flags=4096`), or `path=` with the request's method and path, in which `*` is a segment with a digit.
   */
  readonly wireValues?: Readonly<Record<string, string>> | undefined;
  /**
   * Fields that are named like a state (`data.order.state`) but do not report whether the post or refund
   * exists.
   */
  readonly unrelatedStates?: readonly string[] | undefined;
  /** The receipt of an attempt with an unknown outcome, if `find` cannot look it up without one. */
  readonly remembered?: PublishItem['receipt'] | undefined;
  /** Videos have no alternative text; only images do. */
  readonly videosHaveNoAltText?: boolean | undefined;
  /** Metrics that the platform provides only for other kinds of accounts, or only for posts with videos. */
  readonly missingMetrics?: readonly MetricName[] | undefined;
  /** Its orders do not state whether prices include tax. */
  readonly omitsTaxInclusion?: boolean | undefined;
  /** What the totals of orders contain beyond their lines, in minor units by order number: fees; negative, credit. */
  readonly adjustments?: Readonly<Record<string, number>> | undefined;
  /** How many requests a refund makes before the one that moves the money; default none. */
  readonly readsBeforeRefund?: number | undefined;
  /**
   * An order with a large remainder, for stores that quote first and reject a refund of zero at the quote.
   */
  readonly refundTarget?:
    | { readonly orderId: string; readonly paymentId: string; readonly currency: string }
    | undefined;
  /**
   * For stores that send the money before they record the refund, and platforms that list posts with a delay:
   * a missing entry proves nothing, so `find` never reports certain absence. Or only for posts with media.
   */
  readonly absenceProvesNothing?: boolean | 'with_media' | undefined;
  /** Deletes a post or a comment as its author does in the platform's app, where `publishing.remove` cannot. */
  deletePost?: ((externalId: string) => void) | undefined;
  /** Why a post that the platform does not return may still exist: `publishing.exists` is then never false. */
  readonly removalUnproven?: Evidence | undefined;
  /** The same, for comments alone. */
  readonly commentRemovalUnproven?: Evidence | undefined;
  /**
   * For a platform that reports the ID and URL of a post later (`publishing.locate`): withholds or releases
   * them for published posts.
   */
  delayUrls?: ((held: boolean) => void) | undefined;
  /**
   * Where the platform's documentation requires a typed key, by connect method ID. Each with its source.
   * Omitted if none is typed or all sign.
   */
  readonly keyLocations?: Readonly<Record<string, KeyLocation>> | undefined;
  /** The values that the form of a connect method with a password accepts, by connect method ID. */
  readonly logins?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
  /** Accepts the token in this location alone and refuses it anywhere else; null: restores the default. */
  readonly requireKeyAt?: ((place: KeyLocation | null) => void) | undefined;
  /**
   * The OAuth 1.0a algorithms that the platform accepts (over plain HTTP, as in these tests) for connect
   * methods whose keys sign requests and are not sent, by connect method ID. Each with its source.
   */
  readonly signatures?: Readonly<Record<string, readonly string[]>> | undefined;
  /**
   * The tokens that the platform accepts for connect methods whose key signs one for every request (`jwt`), by connect
   * method ID. Each with its source.
   */
  readonly tokens?: Readonly<Record<string, TokenRules>> | undefined;
  /** Accepts requests whose signature has no fault and refuses every other; null: restores the default. */
  readonly takeSignedBy?:
    | ((faultOf: ((request: ReceivedRequest) => string | null) | null) => void)
    | undefined;
  /**
   * Why the same ID on two servers is one account, with its source. Omitted if each server issues its own
   * IDs.
   */
  readonly sharedAccountReason?: string | undefined;
  /** The webhooks that are registered at the store, for stores that send them. */
  readonly webhooks?:
    | {
        list(): readonly StoredWebhook[];
        /** As after too many failures. Omitted where the store deletes them then. */
        disable?(id: string): void;
        /** The requests that the store sends of one change of an order. */
        deliveriesOf(orderId: string): readonly WebhookDelivery[];
        /** The client secret of the app, where the store signs with it. */
        readonly appSecret?: string;
        /** A request with any body, authenticated as the store does it, and the secret for it. */
        sign(
          url: string,
          body: string,
          chosenSecret: string,
        ): { readonly delivery: Omit<WebhookDelivery, 'body'>; readonly secret: string };
        /** Why a changed body is not noticed. */
        readonly bodyIsUnsigned?: Evidence;
      }
    | undefined;
  /** Every request, as received. */
  readonly received?: (() => readonly ReceivedRequest[]) | undefined;
  /** Cancels a fault that was set with `break` and did not occur. */
  repair(): void;
  requests(): number;
  /** The number of posts, including all replies, or of refunds ever created. */
  effects(): number;
  /** The number of edits ever made to posts and replies; for platforms that can edit. */
  edits?: (() => number) | undefined;
  /** Why the response to an edit has no body that could be unreadable. */
  emptyEditResponse?: Evidence | undefined;
  /** A published part for the failures of an edit, where the platform looks it up first. */
  editTarget?: (() => PublishedPart) | undefined;
  close(): Promise<void>;
}

/** A world with members for the tests of its own platform. */
export type ExtendedWorld = World & Readonly<Record<string, unknown>>;

/**
 * The content at the platform by a part's external ID. Not needed if the platform does not publish;
 * everything but the text only if the manifest declares it.
 */
export interface PublishedContent {
  textOf(externalId: string): string | Promise<string>;
  /** The external ID that a part of a thread or a comment replies to; null if it is not a reply. */
  parentOf?: ((externalId: string) => string | null | Promise<string | null>) | undefined;
  /** In display order. */
  mediaOf?:
    | ((externalId: string) => readonly PublishedMedia[] | Promise<readonly PublishedMedia[]>)
    | undefined;
  titleOf?: ((externalId: string) => string | null | Promise<string | null>) | undefined;
  cardOf?: ((externalId: string) => PublishedCard | null | Promise<PublishedCard | null>) | undefined;
}

/** An image or a video as the platform stores it: hash, name and alternative text. */
interface PublishedMedia {
  readonly type: string;
  /** In hexadecimal. */
  readonly sha256: string;
  readonly altText: string | null;
}

type PublishedCard = Pick<LinkCard, 'url' | 'title' | 'description'>;

/** `before` and `after` refer to the effect, which a caller cannot observe. */
export type Breakage =
  | '429'
  | '500-before'
  | '500-after'
  | 'reset-before-effect'
  | 'reset-after-effect'
  | '2xx-truncated'
  | '2xx-no-id'
  | 'garbage'
  | 'redirect'
  | 'hang';

const MANY_EFFECTS = 40;

/** Whether a new world is worth its start: lookups of a platform list all of the account's posts, in pages. */
export const hasManyEffects = (world: World): boolean => world.effects() > MANY_EFFECTS;

/** Reads the stored content in a way that the manifest declares. */
export function lookupOf<Name extends 'parentOf' | 'mediaOf' | 'titleOf' | 'cardOf'>(
  world: World,
  name: Name,
): NonNullable<PublishedContent[Name]> {
  const look = world[name];
  if (!look) throw new Error(`the world has no ${name}, although its manifest declares it`);
  return look;
}
