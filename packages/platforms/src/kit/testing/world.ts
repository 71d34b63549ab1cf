import type { LinkCard, MetricName, PublishItem, RemoteAccount } from '@switchboard/domain';

type PartKind = PublishItem['kind'];

/**
 * A platform that runs somewhere on this machine, with one connected account: a real server, or a simulator that keeps a
 * ledger of effects and can break on command. What the contract needs to know besides what an adapter sees.
 */
export interface World extends Shown {
  /** Origin of the account's server. */
  readonly baseUrl: string;
  /** The way by which it is connected, where that is not the first. */
  readonly way?: string | undefined;
  /** With the limits of its own server, where that has any. */
  readonly account: RemoteAccount;
  /** What the account's owner granted, where that tells apart how it is connected. */
  readonly permissions?: readonly string[] | undefined;
  /** What the credential itself says that it opens. */
  readonly subject?: string | undefined;
  /** It takes a document beside a picture, which is refused before it is asked. */
  readonly mixesDocuments?: boolean | undefined;
  /** What is typed beside a key that opens many accounts. */
  readonly typedAccount?: string | undefined;
  /** A token with every permission that the manifest names. */
  readonly token: string;
  /** One that was good once. */
  readonly expiredToken: string;
  /** One whose owner allowed nothing but to be recognised. */
  readonly weakToken: string;
  /** Breaks the next request, or the one that comes after so many are let pass, once. */
  break(how: Breakage, letPass?: number): void;
  /** How many requests a part makes before the one that publishes it; none where left out. Without media, where that is possible. */
  readonly requestsBefore?: Partial<Readonly<Record<PartKind, number>>> | undefined;
  /** What every post needs beside its words, such as a board to stand on. */
  readonly needs?: Partial<Pick<PublishItem, 'options' | 'title'>> | undefined;
  /** What an attempt in doubt has remembered, where `find` has nobody to ask without. */
  readonly remembered?: PublishItem['receipt'] | undefined;
  /** Words for what a film shows go nowhere: only pictures have them. */
  readonly filmsHaveNoWords?: boolean | undefined;
  /** Numbers that the platform has of accounts of another kind than this one, or of posts with films alone. */
  readonly hasNot?: readonly MetricName[] | undefined;
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
  holdUrls?: ((held: boolean) => void) | undefined;
  /** Takes back what was ordered with `break` and did not happen. */
  mend(): void;
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
export interface Shown {
  textOf(externalId: string): string | Promise<string>;
  /** The external id of what a part of a thread, or a comment, answers; null of what answers nothing. */
  parentOf?: ((externalId: string) => string | null | Promise<string | null>) | undefined;
  /** In the order in which they are shown. */
  mediaOf?: ((externalId: string) => readonly ShownMedia[] | Promise<readonly ShownMedia[]>) | undefined;
  titleOf?: ((externalId: string) => string | null | Promise<string | null>) | undefined;
  cardOf?: ((externalId: string) => ShownCard | null | Promise<ShownCard | null>) | undefined;
}

/** A picture or a film as the platform has it: of what bytes, called what, described how. */
export interface ShownMedia {
  readonly type: string;
  /** In hexadecimal. */
  readonly sha256: string;
  readonly altText: string | null;
}

export type ShownCard = Pick<LinkCard, 'url' | 'title' | 'description'>;

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
export function shown<Name extends 'parentOf' | 'mediaOf' | 'titleOf' | 'cardOf'>(
  world: World,
  name: Name,
): NonNullable<Shown[Name]> {
  const look = world[name];
  if (!look) throw new Error(`the world has no ${name}, and its manifest says that there is such a thing`);
  return look;
}
