import type { WorkspaceId } from '../ids.js';

/** Waits for changes of one object. Changes between two calls of `next` are not missed. */
interface ChangeWatch {
  /**
   * Resolves when the object may have changed since the watch was opened or `next` last resolved, when a
   * periodic check is due (a notification may be lost), after `timeoutMs`, or when the signal is aborted.
   * Never rejects.
   */
  next(timeoutMs: number, signal: AbortSignal): Promise<void>;
  close(): void;
}

/**
 * Notifications of changes to posts (their deliveries), refunds and connect sessions, sent by the database on
 * commit, so that a waiting request need not poll. They are sent only while a request of the workspace waits,
 * which its slot indicates.
 */
export interface Changes {
  watch(objectId: string): ChangeWatch;
}

/** The permission of one request to wait. */
export interface WaitingSlot {
  /** Releases the slot; further calls are no-ops. */
  release(): void;
}

/**
 * Limits how many requests of a workspace may wait concurrently: at most 100, over all processes and
 * interfaces. A crashed process keeps its slots until its lease on them ends.
 */
export interface WaitingSlots {
  /**
   * Null when all slots of the workspace are taken, or cannot be counted: the request gets its response
   * without waiting. Never rejects.
   */
  acquire(workspaceId: WorkspaceId): Promise<WaitingSlot | null>;
}
