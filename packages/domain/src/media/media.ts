import { actorName, type Call } from '../call.js';
import type { MediaId, WorkspaceId } from '../ids.js';

/** An image, a video or a document that posts may use. */
export interface Media {
  readonly id: MediaId;
  readonly workspaceId: WorkspaceId;
  readonly status: 'processing' | 'ready' | 'failed';
  /** How its bytes come: with the request, by a one-time PUT, or fetched from `sourceUrl`. */
  readonly source: 'upload' | 'put' | 'url';
  readonly sourceUrl: string | null;
  /** The family of keys that made it: a key that is bound to profiles sees only what its own family made. */
  readonly lineage: string;
  /** What a one-time PUT has to bring. */
  readonly declared: { readonly type: string; readonly bytes: number } | null;
  /** What is known once it is ready; null before, and for ever when it failed. */
  readonly file: StoredFile | null;
  readonly altText: string | null;
  /** Why it failed. */
  readonly error: { readonly code: string; readonly message: string } | null;
  /** How often somebody has begun to bring the bytes; the fence of `settle`. */
  readonly attempts: number;
  readonly createdAt: Date;
  /** Whether a post that has not settled, or a draft, uses it. */
  readonly inUse: boolean;
  /** When a post that used it changed last; null when none did. */
  readonly lastUsedAt: Date | null;
}

/** Bytes that lie in the store, and what was found in them. */
export interface StoredFile {
  /** In the store; of no meaning outside. */
  readonly name: string;
  /** Sniffed. */
  readonly type: string;
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** Null for a document, which has pages. */
  readonly width: number | null;
  readonly height: number | null;
  /** Null for a document, and for an image that stands still. */
  readonly durationSeconds: number | null;
  /** Whether an image has several frames: some platforms treat those apart, or refuse them. */
  readonly animated: boolean;
}

export type MediaKind = 'image' | 'video' | 'document';

const MIB = 1024 * 1024;
export const IMAGE_MAX_BYTES = 25 * MIB;
export const VIDEO_MAX_BYTES = 1024 * MIB;
export const DOCUMENT_MAX_BYTES = 100 * MIB;
export const ALT_TEXT_MAX = 5000;

/** So many files of a workspace may wait to be inspected in one process, and as many downloads in the database. */
export const MEDIA_QUEUE_MAX = 50;
/** The sample tables of 1 GiB of video have a few MiB; a larger index is made to exhaust memory. */
export const VIDEO_INDEX_MAX_BYTES = 16 * MIB;

/** What some platform takes, with the ending that a file of the type is given. SVG is a program and never taken. */
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

/** Within this time the bytes of announced media have to come. */
export const UPLOAD_SECONDS = 3600;
export const uploadExpired: NonNullable<Media['error']> = {
  code: 'media.upload_expired',
  message: 'Nothing was uploaded within the hour. Ask for a new upload.',
};

/** Nobody needs it any more after so long without use. */
export const MEDIA_KEPT_DAYS = 30;
const KEPT_MS = MEDIA_KEPT_DAYS * 86_400_000;

/** When it goes, by itself; null while a post still needs it. */
export function expiresAt({ inUse, createdAt, lastUsedAt }: Media): Date | null {
  if (inUse) return null;
  return new Date(Math.max(createdAt.getTime(), lastUsedAt?.getTime() ?? 0) + KEPT_MS);
}

/** Whose media this call makes. */
export const lineageOf = (call: Call): string =>
  call.actor.kind === 'key' ? call.actor.key.lineage : actorName(call);
