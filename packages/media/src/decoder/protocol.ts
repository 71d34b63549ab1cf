import type {
  ByteRange,
  ImageFitResult,
  ImageLimits,
  InspectionResult,
  MediaKind,
} from '@switchboard/domain';

/** What a decoder is asked to do with one file. It is told what the domain says, whose modules it does not load. */
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
  /** The store failed, or the file has been read too much. */
  | { readonly kind: 'no_piece'; readonly id: number };

export type FromDecoder =
  /** Its modules are loaded. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'read'; readonly id: number; readonly range: ByteRange }
  | { readonly kind: 'done'; readonly result: DecodeResult };
