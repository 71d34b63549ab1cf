import type { ConnectionId, WorkspaceId } from '../ids.js';
import type { StoreCursor } from './store-cursor.js';

/** How far the orders of a watched store were read. Times of orders are the store's own. */
export interface OrderWatch {
  readonly connectionId: ConnectionId;
  readonly workspaceId: WorkspaceId;
  /** Orders that were changed before it are not reported. */
  readonly since: Date;
  /** Whether the orders that existed when the watch began are known. */
  readonly isBaselined: boolean;
  /** When the newest order that was read was changed, or where reading begins. */
  readonly position: Date;
  readonly reading: OrderReading | null;
  /** When a change was last found, by a poll or a webhook. */
  readonly foundAt: Date;
  /** When orders are read further back. */
  readonly nextSweepAt: Date;
  readonly failures: number;
  /** Changes with every claim, and with every change by a caller. */
  readonly fence: number;
}

/** A reading of the orders that were changed since a time, ascending by that time. */
export interface OrderReading {
  readonly fromMs: number;
  readonly isSweep: boolean;
  readonly cursor: StoreCursor | null;
}

/** How often a watched store is read. */
export const POLL_MS = 60_000;

/**
 * How far each poll reads back while changes arrive: an order whose transaction commits this much later than it says,
 * and orders with the same time, are found by the next poll.
 */
export const OVERLAP_MS = 5 * 60_000;

/** After this time without a change a poll reads only newer orders, usually none. Longer than `OVERLAP_MS` by several polls. */
export const QUIET_MS = OVERLAP_MS + 5 * POLL_MS;

/** How often, and how far back, orders are read for commits that are later still, and for a store whose clock went back. */
export const SWEEP_EVERY_MS = 3_600_000;
export const SWEEP_MS = 24 * 3_600_000;

/** How many versions of an order are known: a store that returns an older one again reports nothing new. */
export const VERSIONS_MAX = 20;

export function beginReading(watch: OrderWatch, now: Date): OrderReading {
  const { since, position, isBaselined, foundAt, nextSweepAt } = watch;
  // What was changed before it is not known, and nothing to report.
  const floorMs = since.getTime() - SWEEP_MS;
  if (!isBaselined) return { fromMs: floorMs, isSweep: true, cursor: null };
  const isSweep = nextSweepAt <= now;
  const isQuiet = now.getTime() - foundAt.getTime() > QUIET_MS;
  const backMs = isSweep ? SWEEP_MS : isQuiet ? -1 : OVERLAP_MS;
  return { fromMs: Math.max(floorMs, position.getTime() - backMs), isSweep, cursor: null };
}

const BACKOFF_MAX_MS = 15 * 60_000;

/** How long a store that failed is left alone. */
export const backoffMs = (failures: number, retryAfterSeconds: number | undefined): number =>
  Math.max(Math.min(POLL_MS * 2 ** Math.min(failures, 10), BACKOFF_MAX_MS), (retryAfterSeconds ?? 0) * 1000);
