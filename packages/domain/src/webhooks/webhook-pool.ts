import type { WebhookId } from '../ids.js';
import { createLeaseHandle, LEASE_SECONDS, withLease } from '../lease.js';
import type { WebhookLane } from '../ports/index.js';
import { ok } from '../result.js';
import { serveLane, type LaneOptions, type WebhookPorts } from './serve-lane.js';

/** Endpoints that one process serves at once. */
export const LANES_MAX = 200;
/** Of them those whose latest attempts failed: however many endpoints hang, the others have lanes. */
export const FAILING_LANES_MAX = 100;
/** Longer than a lane takes, so that only its lease and the end of the process end it. */
const LANE_LIMIT_MS = 120_000;

/**
 * The endpoints that this process serves. Each has a lane of its own, under a lease: it is in one process at a
 * time, and a slow one delays no other.
 */
export function webhookPool(
  ports: WebhookPorts,
  stop: AbortSignal,
  options: LaneOptions & { readonly onError: (error: unknown) => void },
) {
  const lanes = new Map<WebhookId, { readonly isFailing: boolean; readonly serving: Promise<void> }>();
  const draining = new AbortController();

  async function serve(lane: WebhookLane, claimedAt: Date): Promise<void> {
    const lease = createLeaseHandle(ports, claimedAt, (tx, seconds) => tx.webhooks.extendLane(lane, seconds));
    try {
      await withLease(lease, stop, LANE_LIMIT_MS, (signal) =>
        serveLane(ports, lane, options, signal, draining.signal),
      );
    } finally {
      await ports.transactions.run(async (tx) => ok(await tx.webhooks.releaseLane(lane)));
    }
  }

  async function claim(): Promise<void> {
    const failing = [...lanes.values()].filter(({ isFailing }) => isFailing).length;
    const room = { lanes: LANES_MAX - lanes.size, failing: FAILING_LANES_MAX - failing };
    if (room.lanes <= 0 || draining.signal.aborted) return;
    const claimedAt = ports.clock.now();
    const claimed = await ports.transactions.run(async (tx) =>
      ok(await tx.webhooks.claimLanes(room, LEASE_SECONDS)),
    );
    for (const lane of claimed.ok ? claimed.value : []) {
      const serving = serve(lane, claimedAt)
        .catch(options.onError)
        .finally(() => {
          if (lanes.get(lane.webhook.id)?.serving === serving) lanes.delete(lane.webhook.id);
        });
      lanes.set(lane.webhook.id, { isFailing: lane.webhook.failingSince !== null, serving });
    }
  }

  let sweeping: Promise<void> = Promise.resolve();
  return {
    /** Begins to serve endpoints with work, as far as there is room. Called periodically. */
    sweep: () => (sweeping = sweeping.catch(() => undefined).then(claim)),
    /** Starts nothing more. Resolves when the running lanes have ended. */
    async drain() {
      draining.abort();
      await sweeping.catch(() => undefined);
      await Promise.all([...lanes.values()].map(({ serving }) => serving));
    },
  };
}
