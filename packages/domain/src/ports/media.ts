import type { MediaId, PostId, WorkspaceId } from '../ids.js';
import type { Media, StoredFile } from '../media/media.js';
import type { PageRequest, Rows } from '../page.js';

/** The media records, and which posts use them. The bytes are in `MediaFiles`. */
export interface MediaLibrary {
  find(workspaceId: WorkspaceId, id: MediaId): Promise<Media | null>;
  /** The existing ones, in no order. */
  findMany(workspaceId: WorkspaceId, ids: readonly MediaId[]): Promise<readonly Media[]>;
  /** Newest first; only of this family of keys unless `lineage` is null. */
  list(
    workspaceId: WorkspaceId,
    filter: { readonly lineage: string | null },
    page: PageRequest,
  ): Promise<Rows<Media>>;
  /**
   * For the worker, across workspaces: media to download, due by the database's clock and without a lease.
   * Round-robin over workspaces, those with the fewest running downloads first; within one the longest due
   * first.
   */
  listToFetch(capacity: FetchCapacity): Promise<readonly MediaToFetch[]>;
  /** Of all workspaces: how many wait for download or are being downloaded. */
  countToFetch(): Promise<number>;
  /** Those of these file names that some media references. */
  findFiles(names: readonly string[]): Promise<ReadonlySet<string>>;

  insert(media: NewMedia): Promise<void>;
  /**
   * Inserts media to download from a URL. False, and nothing is written, when `max` of its workspace are
   * already waiting or being downloaded; concurrent transactions, in any process, are serialized.
   */
  insertToFetch(media: NewMedia, max: number): Promise<boolean>;
  /**
   * Claims media that is `processing` for `leaseSeconds` and increments `attempts`. Null when it has settled,
   * has a live lease, or is postponed.
   */
  claim(workspaceId: WorkspaceId, id: MediaId, leaseSeconds: number): Promise<Media | null>;
  /**
   * Extends the lease of a claim to `leaseSeconds` from now. False when a later attempt exists, or the media
   * has settled.
   */
  extendLease(workspaceId: WorkspaceId, id: MediaId, attempt: number, leaseSeconds: number): Promise<boolean>;
  /** Releases the claim for a retry `inSeconds` from now. No-op when a later attempt exists. */
  postpone(workspaceId: WorkspaceId, id: MediaId, attempt: number, inSeconds: number): Promise<void>;
  /**
   * `ready` with a file, or `failed` with an error. False, and nothing is written, when a later attempt
   * exists.
   */
  settle(
    workspaceId: WorkspaceId,
    id: MediaId,
    attempt: number,
    outcome: { readonly file: StoredFile } | { readonly error: NonNullable<Media['error']> },
  ): Promise<boolean>;
  /** Replaces the list of media that a post uses. Called for every inserted or rewritten post. */
  setUses(workspaceId: WorkspaceId, postId: PostId, mediaIds: readonly MediaId[]): Promise<void>;
  /**
   * Deletes it unless an unsettled post or a draft uses it. Waits for concurrent transactions that start to
   * use it.
   */
  delete(workspaceId: WorkspaceId, id: MediaId): Promise<MediaDeletion>;
  /** Of all workspaces: fails one-time uploads that have expired, and returns them. */
  failExpiredUploads(): Promise<readonly Pick<Media, 'id' | 'workspaceId'>[]>;
  /**
   * Of all workspaces: deletes media unused for thirty days. Returns the files that are no longer needed;
   * repeat while it returns `limit` of them.
   */
  deleteExpired(limit: number): Promise<readonly string[]>;
}

/** How many more downloads a process can start. */
interface FetchCapacity {
  readonly limit: number;
  readonly perWorkspace: number;
  readonly inProgress: ReadonlyMap<WorkspaceId, number>;
}

export interface MediaToFetch {
  readonly id: MediaId;
  readonly workspaceId: WorkspaceId;
  /** Since when it has been due. */
  readonly dueAt: Date;
}

export type NewMedia = Omit<Media, 'inUse' | 'lastUsedAt' | 'attempts'>;

export type MediaDeletion =
  | { readonly kind: 'removed'; readonly file: string | null }
  | { readonly kind: 'in_use' }
  | { readonly kind: 'missing' };
