import type { MediaKind } from '@switchboard/domain/media';
import type { ByteRange, ImageFitResult, ImageLimits, InspectionResult } from '@switchboard/domain/ports';

/**
 * The task of a decoder for one file. It includes the domain's limits, since the decoder does not load the
 * domain's modules.
 */
export type DecodeTask =
  | {
      readonly kind: 'inspect';
      readonly type: string;
      readonly media: MediaKind;
      readonly videoIndexMaxBytes: number;
    }
  | { readonly kind: 'fit'; readonly limits: ImageLimits };

export type DecodeResult = InspectionResult | ImageFitResult;

export type ToDecoder =
  | { readonly kind: 'task'; readonly task: DecodeTask; readonly bytes: number }
  | { readonly kind: 'piece'; readonly id: number; readonly bytes: Uint8Array }
  /** The store failed, or the read limit is exhausted. */
  | { readonly kind: 'no_piece'; readonly id: number };

export type FromDecoder =
  /** Its modules are loaded. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'read'; readonly id: number; readonly range: ByteRange }
  | { readonly kind: 'done'; readonly result: DecodeResult };
