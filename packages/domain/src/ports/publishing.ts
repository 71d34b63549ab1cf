import type { Session, PlatformFailureCode } from './session.js';
import type { ByteRange } from './media-files.js';
import type { PublishOption } from './manifest.js';
import type { Result } from '../result.js';
import type { Price } from '../price.js';
import type { PartContent } from '../posts/post.js';
import type { MediaKind } from '../media/media.js';
import type { Problem } from '../failure.js';
import type { TextLimits, MediaRules } from '../connections/connection.js';

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
   * even if it has an id. Called repeatedly for a day. Null, or a part that still has no URL: not yet.
   */
  resolvePublishedUrl?(
    session: Session,
    part: PublishedPart,
  ): Promise<Result<PublishedPart | null, PlatformFailureCode>>;
  /**
   * Whether a published part still exists. False only where the platform's own response proves that it was
   * removed; whatever proves less, such as a missing permission, is a failure. Omitted where the platform cannot
   * be queried.
   */
  exists?(session: Session, part: PublishedPart): Promise<Result<boolean, PlatformFailureCode>>;
  /**
   * Replaces text, link and title of a published part by those of the item, completely: repeating it leaves the same
   * state, and it never creates another post. Media, options and the place in a thread stay; the item has no media and
   * no card. Success only where the platform's response proves it; an effect that is in doubt is
   * `platform.outcome_unknown`. Omitted where the platform cannot edit.
   */
  edit?(
    session: Session,
    part: PublishedPart,
    item: PublishItem,
  ): Promise<Result<undefined, PlatformFailureCode>>;
  /**
   * Whether a published part now shows exactly the text, link and title of the item. Omitted where the platform cannot
   * be queried: an edit with unknown outcome is then repeated without a look.
   */
  isEdited?(
    session: Session,
    part: PublishedPart,
    item: PublishItem,
  ): Promise<Result<boolean, PlatformFailureCode>>;
  /** What the platform cannot change of a published part. Pure; paths are relative to the target. */
  checkEdit?(before: PartDraft, after: PartDraft): readonly Problem[];
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
export type PublishingRules = Pick<Publishing, 'count' | 'finalText' | 'check' | 'checkEdit' | 'cost'>;

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
  /**
   * For `find`: another installation, of whose backup this one was restored, may have attempted this part since the
   * receipt was stored. What the receipt lacks, or names as unfinished, then proves nothing.
   */
  readonly isReceiptOutdated?: boolean | undefined;
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
