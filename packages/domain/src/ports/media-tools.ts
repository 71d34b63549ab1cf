import type { MediaRules } from '../connections/connection.js';
import type { WorkspaceId } from '../ids.js';
import type { StoredFile } from '../media/media.js';
import type { ByteRange } from './media-files.js';

/**
 * Inspects images, videos and documents, and resizes images. External claims about a file (its name, a
 * header) are never used.
 *
 * Files are untrusted, so each is inspected or resized outside of the calling process, with limits on memory
 * and time. Work is scheduled round-robin over workspaces: a workspace waits for at most one item of each
 * other one, regardless of their queues.
 */
export interface MediaTools {
  /**
   * The type of a file that begins with these bytes (4 KiB or all of it); null for unsupported types,
   * including SVG and HTML.
   */
  detectType(head: Uint8Array): Promise<string | null>;
  /**
   * Whether `MEDIA_QUEUE_MAX` items of the workspace are waiting: a further one would be rejected with
   * `queue_full`.
   */
  isFull(workspaceId: WorkspaceId): boolean;
  /** The properties of a file of a detected type. Throws when `read` of the file throws. */
  inspect(type: string, file: MediaBytes, options: MediaWorkOptions): Promise<InspectionResult>;
  /**
   * Fits an image within limits. Otherwise it is rotated upright, resized, compressed or converted, and loses
   * its location metadata. It is never cropped, and an animation is never reduced to a still image. The file
   * is read only when its turn has come.
   */
  fitImage(file: MediaBytes, limits: ImageLimits, options: MediaWorkOptions): Promise<ImageFitResult>;
}

/** The workspace whose queue the item joins. */
export interface MediaWorkOptions {
  readonly workspaceId: WorkspaceId;
  /** Exempts the item from the queue limit of its workspace, for work that is limited elsewhere. */
  readonly bypassesQueueLimit?: boolean | undefined;
  /** Ends the wait with `interrupted`, whether the item has started or not. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Not started or not finished: another attempt may succeed. `out_of_time` means that the server was busy, not
 * that the file is invalid.
 */
export interface DeferredMediaWork {
  readonly kind: 'queue_full' | 'out_of_time' | 'interrupted';
}

export type InspectionResult =
  | { readonly kind: 'inspected'; readonly facts: MediaProperties }
  /** Rejected permanently. */
  | { readonly kind: 'unusable'; readonly reason: MediaDefect }
  | DeferredMediaWork;

/**
 * `broken`: truncated, damaged, without image data, or with more pixels than any platform accepts.
 * `encrypted`: a document, also one with no password but restrictions only. `index_too_large`: the index of a
 * video exceeds `VIDEO_INDEX_MAX_BYTES`. `too_costly`: decoding requires more memory or processor time than
 * one file may use.
 */
export type MediaDefect = 'broken' | 'encrypted' | 'index_too_large' | 'too_costly';

export type ImageFitResult =
  /** The image is within the limits unchanged. */
  | { readonly kind: 'fits'; readonly type: string; readonly width: number; readonly height: number }
  | { readonly kind: 'fitted'; readonly image: FittedImage }
  | { readonly kind: 'impossible' }
  | DeferredMediaWork;

/** A random-access byte source. */
export interface MediaBytes {
  readonly bytes: number;
  read(range: ByteRange): AsyncIterable<Uint8Array>;
}

export type MediaProperties = Pick<StoredFile, 'width' | 'height' | 'durationSeconds' | 'animated'>;

export type ImageLimits = Pick<
  NonNullable<MediaRules['images']>,
  'types' | 'maxBytes' | 'maxWidth' | 'maxHeight' | 'maxPixels'
>;

export interface FittedImage {
  readonly bytes: Uint8Array;
  readonly type: string;
  readonly width: number;
  readonly height: number;
}
