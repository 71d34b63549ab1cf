import type { MediaId, PostId, WorkspaceId } from '../ids.js';
import type { Media, StoredFile } from '../media/media.js';
import type { PageRequest, Rows } from '../page.js';

/** What was said about media, and which posts use it. The bytes lie in `MediaFiles`. */
export interface MediaLibrary {
  find(workspaceId: WorkspaceId, id: MediaId): Promise<Media | null>;
  /** Those that are there, in no order. */
  findMany(workspaceId: WorkspaceId, ids: readonly MediaId[]): Promise<readonly Media[]>;
  /** Newest first; only of this family of keys unless `lineage` is null. */
  list(
    workspaceId: WorkspaceId,
    filter: { readonly lineage: string | null },
    page: PageRequest,
  ): Promise<Rows<Media>>;
  /**
   * For the worker, across workspaces: to be fetched from a URL, due by the database's clock, and nobody is at it. Round-robin over
   * workspaces, those of whom the fewest are in hand first; within one the longest due first.
   */
  listToFetch(capacity: FetchCapacity): Promise<readonly MediaToFetch[]>;
  /** Of all workspaces: how many wait to be fetched, or are being fetched. */
  countToFetch(): Promise<number>;
  /** Of these names in the store, those that some media has as its file. */
  findFiles(names: readonly string[]): Promise<ReadonlySet<string>>;

  insert(media: NewMedia): Promise<void>;
  /**
   * Inserts media that is to be fetched from a URL. False, and nothing is written, when `max` of its workspace wait or are being
   * fetched already: transactions that ask at the same time, in any process, take turns.
   */
  insertToFetch(media: NewMedia, max: number): Promise<boolean>;
  /**
   * Takes media that is `processing` for `leaseSeconds`, one attempt more: its bytes are about to come. Null when it has
   * settled, or somebody else has it, or its time (`postpone`) has not come.
   */
  claim(workspaceId: WorkspaceId, id: MediaId, leaseSeconds: number): Promise<Media | null>;
  /** Has the lease of a claim end `leaseSeconds` from now. False when the attempt is not the last that began, or the media has settled. */
  extendLease(workspaceId: WorkspaceId, id: MediaId, attempt: number, leaseSeconds: number): Promise<boolean>;
  /** Gives it back to be tried again, `inSeconds` from now. Nothing happens when the attempt is not the last that began. */
  postpone(workspaceId: WorkspaceId, id: MediaId, attempt: number, inSeconds: number): Promise<void>;
  /** `ready` with a file, or `failed` with an error. False, and nothing is written, when the attempt is not the last that began. */
  settle(
    workspaceId: WorkspaceId,
    id: MediaId,
    attempt: number,
    outcome: { readonly file: StoredFile } | { readonly error: NonNullable<Media['error']> },
  ): Promise<boolean>;
  /** Says once for all which media a post uses, in place of what was said before. Every post that is inserted or rewritten says it. */
  setUses(workspaceId: WorkspaceId, postId: PostId, mediaIds: readonly MediaId[]): Promise<void>;
  /** Removes it unless a post that has not settled, or a draft, uses it. A post that begins to use it meanwhile is waited for. */
  delete(workspaceId: WorkspaceId, id: MediaId): Promise<MediaDeletion>;
  /**
   * Of all workspaces: removes what nobody has used for thirty days, and fails what a one-time PUT was to bring within
   * its hour. Answers the files that are of no use any more; ask again while there are `limit` of them.
   */
  deleteExpired(limit: number): Promise<readonly string[]>;
}

/** How many downloads a process can take up. */
export interface FetchCapacity {
  readonly limit: number;
  readonly perWorkspace: number;
  readonly inProgress: ReadonlyMap<WorkspaceId, number>;
}

export interface MediaToFetch {
  readonly id: MediaId;
  readonly workspaceId: WorkspaceId;
  /** Since when it could have been fetched. */
  readonly dueAt: Date;
}

export type NewMedia = Omit<Media, 'inUse' | 'lastUsedAt' | 'attempts'>;

export type MediaDeletion =
  | { readonly kind: 'removed'; readonly file: string | null }
  | { readonly kind: 'in_use' }
  | { readonly kind: 'missing' };
