import type { Delivery } from '../deliveries/delivery.js';
import type { ConnectionId } from '../ids.js';
import type { Pause, PauseScope } from '../pauses/pause.js';
import type { Promotion } from '../pauses/record-timeline.js';

/**
 * What holds posts and refunds. The pauses of profiles and connections are stored with them; that of the whole
 * installation here.
 */
export interface Pauses {
  /** The state of the installation, across workspaces. */
  findInstallation(): Promise<InstallationState>;
  /** The widest pause that holds each of these connections. One that nothing holds is omitted. */
  listHolds(ids: readonly ConnectionId[]): Promise<ReadonlyMap<ConnectionId, PauseScope>>;
  /** How many of each are paused, across workspaces. */
  countPaused(): Promise<Readonly<Record<PauseScope, number>>>;
  /**
   * Only inside a transaction, before it pauses anything: waits for the transactions that are about to send (a claim
   * of deliveries, `markSent` of a refund), and lets no other begin until this transaction ends. A claim that starts
   * after it has committed sees the pause.
   */
  lock(): Promise<void>;
  /** Undefined fields stay unchanged. */
  updateInstallation(changes: Partial<InstallationState>): Promise<void>;
  /**
   * Changes at most `limit` deliveries that are due or blocked, and not being sent, to `unknown`, so that they are
   * read back before they are sent, and returns them. Across workspaces.
   */
  doubtOverdue(limit: number): Promise<readonly Delivery[]>;
  /**
   * Marks the refunds of which nothing was sent, also those that wait for an approval, as possibly sent, so that they
   * are read back first; returns how many. Across workspaces.
   */
  doubtRefunds(): Promise<number>;
  /**
   * What identifies the history of the database, as it was recorded and now: another one after a standby was promoted, and
   * after the server was restored to an earlier time or replaced. The current one is null where the server does not tell.
   * While they differ, everything is held.
   */
  findTimelines(): Promise<{ readonly recorded: string | null; readonly current: string | null }>;
  /** Only inside a transaction: whether no other process changes the stored timeline until it ends. */
  lockTimeline(): Promise<boolean>;
  /**
   * Marks what waits, or is being sent, as possibly sent in a history that was lost: deliveries by `restoredAt`, refunds by
   * `sentAt`. Who claimed it in that history, or has not begun to send it, can no longer write. Across workspaces.
   */
  doubtWaiting(): Promise<Pick<Promotion, 'deliveries' | 'refunds'>>;
}

export interface InstallationState {
  readonly pause: Pause | null;
  /** The public URL under which the installation last ran; null before its first start. */
  readonly publicUrl: string | null;
  /** The timeline (`findTimelines`) in which workers last claimed anything; null before the first one. */
  readonly timeline: string | null;
  /** The last change of the timeline. */
  readonly promotion: Promotion | null;
}
