import type { WorkspaceId } from '../ids.js';

/** Waits for changes of one object. What changes between two calls of `next` is not missed. */
export interface ChangeWatch {
  /**
   * Resolves when the object may have changed since the watch was opened or `next` resolved last, when it is time to look
   * anyway (a change may have gone unheard), after `timeoutMs`, or when the signal is aborted. Never rejects.
   */
  next(timeoutMs: number, signal: AbortSignal): Promise<void>;
  close(): void;
}

/**
 * Announcements of changes to posts (their deliveries), refunds and connect sessions, made by the database when the change
 * commits, so that a request that waits for one need not poll. They are made only while a request of the workspace waits,
 * which is known by its slot.
 */
export interface Changes {
  watch(objectId: string): ChangeWatch;
}

/** The right of one request to wait. */
export interface WaitingSlot {
  /** Gives the slot back; further calls do nothing. */
  release(): void;
}

/**
 * How many requests of a workspace may wait at once: at most 100, over all processes and interfaces. A process that dies
 * keeps its slots until its lease on them ends.
 */
export interface WaitingSlots {
  /** Null when all slots of the workspace are taken, or cannot be counted: the request is answered without waiting. Never rejects. */
  acquire(workspaceId: WorkspaceId): Promise<WaitingSlot | null>;
}
