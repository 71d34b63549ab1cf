import type { MediaId, WorkspaceId } from '../ids.js';

/** URLs that are their own permission: signed, for one thing and for an hour. Whoever has one needs no key. */
export interface MediaLinks {
  /** Whether platforms can reach this installation at all: not while its public URL is an address of this machine. */
  isPublic(): boolean;
  /** For a platform that fetches media itself: serves these bytes and this type for an hour. */
  publicUrl(file: LinkedFile): string;
  /** Where the bytes of announced media are PUT until `expiresAt`. */
  uploadUrl(upload: LinkedUpload, expiresAt: Date): string;
  /** What the last part of a URL stands for; null when it was not signed here, for this purpose, or its time is over. */
  readPublic(token: string): LinkedFile | null;
  readUpload(token: string): LinkedUpload | null;
}

/** A file in the store, which needs no row of its own: an image that was made to fit has none. */
export interface LinkedFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: number;
}

export interface LinkedUpload {
  readonly workspaceId: WorkspaceId;
  readonly mediaId: MediaId;
}
