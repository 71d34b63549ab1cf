import type { MediaId, WorkspaceId } from '../ids.js';
import type { StoredFile } from '../media/media.js';

/** Presigned URLs: signed, for one purpose and for an hour. They require no key. */
export interface MediaLinks {
  /** Whether platforms can reach this installation: false while its public URL is a loopback address. */
  isPublic(): boolean;
  /** For a platform that downloads media itself: serves these bytes with this type for an hour. */
  publicUrl(file: LinkedFile): string;
  /** The URL to which the bytes of announced media are PUT until `expiresAt`. */
  uploadUrl(upload: LinkedUpload, expiresAt: Date): string;
  /**
   * The content of a URL's last segment; null when it was not signed here, was signed for another purpose, or
   * has expired.
   */
  readPublic(token: string): LinkedFile | null;
  readUpload(token: string): LinkedUpload | null;
}

/** A file in the store, which needs no row of its own: a resized image has none. */
export type LinkedFile = Pick<StoredFile, 'name' | 'type' | 'bytes'>;

export interface LinkedUpload {
  readonly workspaceId: WorkspaceId;
  readonly mediaId: MediaId;
}
