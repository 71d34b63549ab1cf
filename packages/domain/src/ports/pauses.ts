import type { Delivery } from '../deliveries/delivery.js';
import type { ConnectionId } from '../ids.js';
import type { Pause, PauseScope } from '../pauses/pause.js';

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
}

export interface InstallationState {
  readonly pause: Pause | null;
  /** The public URL under which the installation last ran; null before its first start. */
  readonly publicUrl: string | null;
}
