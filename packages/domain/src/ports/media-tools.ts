import type { ByteRange } from './media-files.js';

/** Looks into images, videos and documents, and makes images smaller. What is said about a file (its name, a header) is never asked. */
export interface MediaTools {
  /** The type of a file that begins with these bytes (4 KiB or all of it); null for what nobody takes, SVG and HTML among it. */
  recognize(head: Uint8Array): Promise<string | null>;
  /**
   * What a file of a recognized type holds. Null when it is broken or cut off, has no picture, or would unfold to more
   * pixels than any platform takes; `encrypted` when a document is, also with no password but restrictions only.
   */
  inspect(type: string, file: MediaBytes): Promise<Inspected | 'encrypted' | null>;
  /**
   * An image within limits. What fits already comes back as it is, byte for byte. What does not is turned the right way up, made
   * smaller, compressed or converted, and loses where it was taken. Null when that cannot be done: nothing is cropped, and
   * what moves is not stilled.
   */
  fitImage(bytes: Uint8Array, limits: ImageLimits): Promise<FittedImage | null>;
}

/** Bytes that can be read from anywhere. */
export interface MediaBytes {
  readonly bytes: number;
  read(range: ByteRange): AsyncIterable<Uint8Array>;
}

export interface Inspected {
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
