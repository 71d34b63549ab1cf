import type { Ports } from '../ports/index.js';
import { ok } from '../result.js';
import { auditInstallation } from './audit-installation.js';

/**
 * The database continued from an earlier state than its last one: a standby that had not received everything was promoted, or
 * the server was restored. What was committed in between is lost, also that something was sent.
 */
export interface Promotion {
  /** When a worker found it. */
  readonly at: Date;
  /** How many deliveries and refunds are read back from their platforms before they are sent. */
  readonly deliveries: number;
  readonly refunds: number;
}

/**
 * Records the timeline of the database. Where it is another one than the recorded one, nothing is claimed until everything
 * that waits is marked to be read back first. That is harmless where nothing was lost: the timeline does not tell.
 * Returns the promotion that it found; null where there was none, or another process records it.
 */
export async function recordTimeline(
  ports: Pick<Ports, 'pauses' | 'transactions' | 'workspaces' | 'clock' | 'ids'>,
): Promise<Promotion | null> {
  const seen = await ports.pauses.findTimelines();
  if (seen.recorded === seen.current) return null;
  const recorded = await ports.transactions.run<Promotion | null, never>(async (tx) => {
    if (!(await tx.pauses.lockTimeline())) return ok(null);
    const { recorded: before, current: timeline } = await tx.pauses.findTimelines();
    if (before === timeline) return ok(null);
    if (before === null) {
      await tx.pauses.updateInstallation({ timeline });
      return ok(null);
    }
    const doubted = await tx.pauses.doubtWaiting();
    const promotion = { at: ports.clock.now(), ...doubted };
    await tx.pauses.updateInstallation({ timeline, promotion });
    await auditInstallation({ ...ports, ...tx }, 'recordPromotion', 'system:worker', {
      ...doubted,
      from: before,
      to: timeline,
    });
    return ok(promotion);
  }, 'lasting');
  return recorded.ok ? recorded.value : null;
}
