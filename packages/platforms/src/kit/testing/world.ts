import type { LinkCard, MetricName, PublishItem, RemoteAccount } from '@switchboard/domain';
import type { KeyLocation, ReceivedRequest } from './key-location.js';
import type { SigningKeys } from './oauth1-signature.js';

type PartKind = PublishItem['kind'];

/** What proves a statement about a platform, with the address of its source. */
export type Evidence = `${string}https://${string}`;

/**
 * A platform that runs somewhere on this machine, with one connected account: a real server, or a simulator that keeps a
 * ledger of effects and can break on command. What the contract needs to know besides what an adapter sees.
 */
export interface World extends PublishedContent {
  /** Origin of the account's server. */
  readonly baseUrl: string;
  /** The way by which it is connected, where that is not the first. */
  readonly connectMethod?: string | undefined;
  /** With the limits of its own server, where that has any. */
  readonly account: RemoteAccount;
  /** What the account's owner granted, where that tells apart how it is connected. */
  readonly permissions?: readonly string[] | undefined;
  /** What the credential itself says that it opens. */
  readonly subject?: string | undefined;
  /** It takes a document beside a picture, which is refused before it is asked. */
  readonly mixesDocuments?: boolean | undefined;
  /** What is typed beside a key that opens many accounts. */
  readonly enteredAccount?: string | undefined;
  /** A token with every permission that the manifest names. */
  readonly token: string;
  /** One that was good once. */
  readonly expiredToken: string;
  /** One whose owner allowed nothing but to be recognised. */
  readonly weakToken: string;
  /** Every token opens everything, so that no request is refused for a permission; the manifest names none then. */
  readonly withoutPermissions?: boolean | undefined;
  /** Breaks the next request, or the one that comes after so many are let pass, once. */
  break(how: Breakage, skipRequests?: number): void;
  /** How many requests a part makes before the one that publishes it; none where left out. Without media, where that is possible. */
  readonly requestsBefore?: Partial<Readonly<Record<PartKind, number>>> | undefined;
  /** What every post needs beside its words, such as a board to stand on. */
  readonly needs?: Partial<Pick<PublishItem, 'options' | 'title'>> | undefined;
  /**
   * Fields of responses (`data.*.message`, where `*` is every element of a list) that the platform leaves out, or sets to
   * null, where it has nothing for them. A response without one is as good as any, so that a post whose words are left out is
   * another post. Each with its source.
   */
  readonly omittedFields?: readonly string[] | undefined;
  /**
   * What posts may differ in that the platform does not show (`its image`, `its option silent`), each with the evidence: `find`
   * may take one such post for the other, and never reports the absence of one that is published.
   */
  readonly notReadBack?: Readonly<Record<string, Evidence>> | undefined;
  /** Values of options whose values neither the manifest nor the account lists: at least two that differ. */
  readonly optionSamples?: Readonly<Record<string, readonly unknown[]>> | undefined;
  /** What a post needs for an option to mean anything, such as a video for its cover. */
  readonly optionContent?:
    | Readonly<
        Record<
          string,
          () => Partial<Pick<PublishItem, 'text' | 'title' | 'media' | 'mediaCount' | 'link' | 'options'>>
        >
      >
    | undefined;
  /** What an option is where it is left out, so that nothing need be sent for that value; false of a boolean that is not named. */
  readonly optionDefaults?: Readonly<Record<string, unknown>> | undefined;
  /**
   * The field of the requests that carries an option, as the platform's description names it, where that is not the option's own
   * name. Each with its source.
   */
  readonly wireFields?: Readonly<Record<string, string>> | undefined;
  /** Values of options (`visibility=CONNECTIONS`) that the platform refuses of an account of this kind, and takes of another. */
  readonly refusedOfAccount?: readonly string[] | undefined;
  /**
   * How a value of an option (`silent=true`) is sent, where that is not the value itself: a value, a field with it (`flags=4096`),
   * or `path=` with the request's method and path, in which `*` is a segment with a digit.
   */
  readonly wireValues?: Readonly<Record<string, string>> | undefined;
  /** Fields that are named like a state (`data.order.state`) and say nothing of whether the post, or the refund, is there. */
  readonly unrelatedStates?: readonly string[] | undefined;
  /** What an attempt in doubt has remembered, where `find` has nobody to ask without. */
  readonly remembered?: PublishItem['receipt'] | undefined;
  /** Words for what a film shows go nowhere: only pictures have them. */
  readonly videosHaveNoAltText?: boolean | undefined;
  /** Numbers that the platform has of accounts of another kind than this one, or of posts with films alone. */
  readonly missingMetrics?: readonly MetricName[] | undefined;
  /** How many requests a refund makes before the one that moves the money; none where left out. */
  readonly readsBeforeRefund?: number | undefined;
  /** An order with much to refund, where the store is asked about it first and a refund of none gets no further. */
  readonly refundTarget?:
    { readonly orderId: string; readonly paymentId: string; readonly currency: string } | undefined;
  /**
   * Where the store sends the money before it writes anything down, or a platform lists posts when it gets to it, so that what
   * is not shown may have happened all the same: `find` then never answers that there is certainly none. Or only of posts with media.
   */
  readonly absenceProvesNothing?: boolean | 'with_media' | undefined;
  /**
   * Of a platform that says later what a post is called and where it is (`publishing.locate`): has it keep that back of what
   * is published, or give it out.
   */
  delayUrls?: ((held: boolean) => void) | undefined;
  /**
   * Where the platform's description wants a key that is typed, by the id of the way. Each with its source. Left out where none
   * is typed, or all sign.
   */
  readonly keyLocations?: Readonly<Record<string, KeyLocation>> | undefined;
  /** Has the token accepted in this place alone, and the request refused that has it anywhere else; null: as before. */
  readonly requireKeyAt?: ((place: KeyLocation | null) => void) | undefined;
  /**
   * The algorithms of OAuth 1.0a that the platform takes of the ways whose keys sign requests (over plain HTTP, as in these tests)
   * and are not sent, by the id of the way. Each with its source.
   */
  readonly signatures?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Has requests accepted that these keys have signed, and every other refused; null: as before. */
  readonly takeSignedBy?: ((keys: SigningKeys | null) => void) | undefined;
  /**
   * Why the same id at two servers is one account, with its source. Left out where each server, or its address, gives out ids of
   * its own.
   */
  readonly sharedAccountReason?: string | undefined;
  /** Every request, as it arrived. */
  readonly received?: (() => readonly ReceivedRequest[]) | undefined;
  /** Takes back what was ordered with `break` and did not happen. */
  repair(): void;
  /** How many requests have arrived. */
  requests(): number;
  /** How many posts with all that answers them, or refunds, have ever been made. */
  effects(): number;
  close(): Promise<void>;
}

/**
 * What stands at the platform, by a part's external id. Where nothing is published none of it is ever asked; all but
 * the text only where the manifest says that there is such a thing.
 */
export interface PublishedContent {
  textOf(externalId: string): string | Promise<string>;
  /** The external id of what a part of a thread, or a comment, answers; null of what answers nothing. */
  parentOf?: ((externalId: string) => string | null | Promise<string | null>) | undefined;
  /** In the order in which they are shown. */
  mediaOf?:
    ((externalId: string) => readonly PublishedMedia[] | Promise<readonly PublishedMedia[]>) | undefined;
  titleOf?: ((externalId: string) => string | null | Promise<string | null>) | undefined;
  cardOf?: ((externalId: string) => PublishedCard | null | Promise<PublishedCard | null>) | undefined;
}

/** A picture or a film as the platform has it: of what bytes, called what, described how. */
export interface PublishedMedia {
  readonly type: string;
  /** In hexadecimal. */
  readonly sha256: string;
  readonly altText: string | null;
}

export type PublishedCard = Pick<LinkCard, 'url' | 'title' | 'description'>;

/** `before` and `after` speak of the effect, which is what a caller cannot see. */
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

/** Looks at what stands there in a way that the manifest says there is. */
export function lookupOf<Name extends 'parentOf' | 'mediaOf' | 'titleOf' | 'cardOf'>(
  world: World,
  name: Name,
): NonNullable<PublishedContent[Name]> {
  const look = world[name];
  if (!look) throw new Error(`the world has no ${name}, and its manifest says that there is such a thing`);
  return look;
}
