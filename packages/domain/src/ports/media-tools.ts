import type { WorkspaceId } from '../ids.js';
import type { ByteRange } from './media-files.js';

/**
 * Looks into images, videos and documents, and makes images smaller. What is said about a file (its name, a header) is never asked.
 *
 * Files come from outside, so each is inspected or fitted apart from the process that asks, within limits of memory and time. Work
 * is scheduled round-robin over workspaces: a workspace waits for others by no more than one item of each, however many they bring.
 */
export interface MediaTools {
  /** The type of a file that begins with these bytes (4 KiB or all of it); null for what nobody takes, SVG and HTML among it. */
  detectType(head: Uint8Array): Promise<string | null>;
  /** Whether `MEDIA_QUEUE_MAX` items of the workspace wait: one more would be answered with `queue_full`. */
  isFull(workspaceId: WorkspaceId): boolean;
  /** What a file of a recognized type holds. Throws when `read` of the file throws. */
  inspect(type: string, file: MediaBytes, options: MediaWorkOptions): Promise<InspectionResult>;
  /**
   * An image within limits. What does not fit is turned the right way up, made smaller, compressed or converted, and loses where
   * it was taken. Nothing is cropped, and what moves is not stilled. The file is read when its turn has come, not before.
   */
  fitImage(file: MediaBytes, limits: ImageLimits, options: MediaWorkOptions): Promise<ImageFitResult>;
}

/** Whose turn an item waits for. */
export interface MediaWorkOptions {
  readonly workspaceId: WorkspaceId;
  /** Waits behind any number of items of its workspace. For work whose number is bounded elsewhere. */
  readonly bypassesQueueLimit?: boolean | undefined;
  /** Ends the waiting with `interrupted`, whether the item has begun or not. */
  readonly signal?: AbortSignal | undefined;
}

/** Not begun, or not finished: another attempt may succeed. `out_of_time` says that the machine was busy, not that the file is bad. */
export interface DeferredMediaWork {
  readonly kind: 'queue_full' | 'out_of_time' | 'interrupted';
}

export type InspectionResult =
  | { readonly kind: 'inspected'; readonly facts: MediaProperties }
  /** It is refused for good. */
  | { readonly kind: 'unusable'; readonly why: MediaDefect }
  | DeferredMediaWork;

/**
 * `broken`: cut off, damaged, without a picture in it, or of more pixels than any platform takes. `encrypted`: a document, also
 * one with no password but restrictions only. `index_too_large`: the index of a video has more than `VIDEO_INDEX_MAX_BYTES`.
 * `too_costly`: to decode it takes more memory or processor time than one file is given.
 */
export type MediaDefect = 'broken' | 'encrypted' | 'index_too_large' | 'too_costly';

export type ImageFitResult =
  /** It is within the limits as it is. */
  | { readonly kind: 'fits'; readonly type: string; readonly width: number; readonly height: number }
  | { readonly kind: 'fitted'; readonly image: FittedImage }
  | { readonly kind: 'impossible' }
  | DeferredMediaWork;

/** Bytes that can be read from anywhere. */
export interface MediaBytes {
  readonly bytes: number;
  read(range: ByteRange): AsyncIterable<Uint8Array>;
}

export interface MediaProperties {
  /** Null for a document. */
  readonly width: number | null;
  readonly height: number | null;
  readonly durationSeconds: number | null;
  readonly animated: boolean;
}

export interface ImageLimits {
  readonly types: readonly string[];
  readonly maxBytes: number;
  readonly maxWidth?: number | undefined;
  readonly maxHeight?: number | undefined;
  readonly maxPixels?: number | undefined;
}

export interface FittedImage {
  readonly bytes: Uint8Array;
  readonly type: string;
  readonly width: number;
  readonly height: number;
}
