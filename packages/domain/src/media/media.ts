import { actorName, type Call } from '../call.js';
import type { MediaId, WorkspaceId } from '../ids.js';
import type { MediaErrorCode } from '../reason-codes.js';

/** An image, a video or a document that posts may use. */
export interface Media {
  readonly id: MediaId;
  readonly workspaceId: WorkspaceId;
  readonly status: 'processing' | 'ready' | 'failed';
  /** How its bytes arrive: with the request, by a one-time PUT, or downloaded from `sourceUrl`. */
  readonly source: 'upload' | 'put' | 'url';
  readonly sourceUrl: string | null;
  /**
   * The family of keys that created it: a key restricted to profiles sees only what its own family created.
   */
  readonly lineage: string;
  /** What a one-time PUT must contain. */
  readonly declared: { readonly type: string; readonly bytes: number } | null;
  /** Set once it is ready; null before, and forever when it failed. */
  readonly file: StoredFile | null;
  readonly altText: string | null;
  /** Why it failed. */
  readonly error: { readonly code: MediaErrorCode; readonly message: string } | null;
  /** How many attempts to obtain the bytes have started; the fencing token of `settle`. */
  readonly attempts: number;
  readonly createdAt: Date;
  /** Whether an unsettled post or a draft uses it. */
  readonly inUse: boolean;
  /** When a post that used it last changed; null when none did. */
  readonly lastUsedAt: Date | null;
}

export interface StoredFile {
  /** The name in the store; has no meaning outside. */
  readonly name: string;
  /** Detected from the content. */
  readonly type: string;
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** Null for a document, which has pages. */
  readonly width: number | null;
  readonly height: number | null;
  /** Null for a document and for a still image. */
  readonly durationSeconds: number | null;
  /** Whether an image has several frames: some platforms handle those differently, or reject them. */
  readonly animated: boolean;
}

export type MediaKind = 'image' | 'video' | 'document';

const MIB = 1024 * 1024;
export const IMAGE_MAX_BYTES = 25 * MIB;
export const VIDEO_MAX_BYTES = 1024 * MIB;
export const DOCUMENT_MAX_BYTES = 100 * MIB;
export const ALT_TEXT_MAX = 5000;

/**
 * The maximum number of files of a workspace that wait for inspection in one process, and of downloads in the
 * database.
 */
export const MEDIA_QUEUE_MAX = 50;
/** The sample tables of 1 GiB of video take a few MiB; a larger index is crafted to exhaust memory. */
export const VIDEO_INDEX_MAX_BYTES = 16 * MIB;

/** The properties of a file as far as they are known before it is stored. */
export type MediaFacts = Pick<StoredFile, 'type' | 'width' | 'height' | 'durationSeconds' | 'animated'> & {
  readonly bytes: number | null;
};

/** The supported types with their file extension. SVG can contain scripts and is never accepted. */
export const mediaTypes: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
  'application/pdf': 'pdf',
};

export const isMediaType = (type: string): boolean => Object.hasOwn(mediaTypes, type);
export function kindOfMedia(type: string): MediaKind {
  if (type.startsWith('image/')) return 'image';
  return type.startsWith('video/') ? 'video' : 'document';
}

const maxBytes: Readonly<Record<MediaKind, number>> = {
  image: IMAGE_MAX_BYTES,
  video: VIDEO_MAX_BYTES,
  document: DOCUMENT_MAX_BYTES,
};
export const maxBytesOf = (type: string): number => maxBytes[kindOfMedia(type)];

/** The bytes of announced media must arrive within this time. */
export const UPLOAD_SECONDS = 3600;
export const uploadExpired: NonNullable<Media['error']> = {
  code: 'media.upload_expired',
  message: 'The upload URL expired without an upload. Create a new upload.',
};

/** Media is deleted after this many days without use. */
export const MEDIA_KEPT_DAYS = 30;
const KEPT_MS = MEDIA_KEPT_DAYS * 86_400_000;

/** When it is deleted automatically; null while a post uses it. */
export function expiresAt({ inUse, createdAt, lastUsedAt }: Media): Date | null {
  if (inUse) return null;
  return new Date(Math.max(createdAt.getTime(), lastUsedAt?.getTime() ?? 0) + KEPT_MS);
}

/** The lineage that owns the media this call creates. */
export const lineageOf = (call: Call): string =>
  call.actor.kind === 'key' ? call.actor.key.lineage : actorName(call);
