import type { WebhookId } from '../ids.js';
import { createLeaseHandle, LEASE_SECONDS, withLease } from '../lease.js';
import type { WebhookLane } from '../ports/index.js';
import { ok } from '../result.js';
import { serveLane, type LaneOptions, type WebhookPorts } from './serve-lane.js';

/** Endpoints that one process serves at once. */
const LANES_MAX = 200;
/** Longer than a lane takes, so that only its lease and the end of the process end it. */
const LANE_LIMIT_MS = 120_000;

interface WebhookPool {
  /** Begins to serve endpoints with work, as far as there is room. Called periodically. */
  sweep(): Promise<void>;
  /** Starts nothing more. Resolves when the running lanes have ended. */
  drain(): Promise<void>;
}

/**
 * The endpoints that this process serves. Each has a lane of its own, under a lease: it is in one process at a
 * time, and a slow one delays no other.
 */
export function webhookPool(
  ports: WebhookPorts,
  stop: AbortSignal,
  options: LaneOptions & { readonly onError: (error: unknown) => void },
): WebhookPool {
  const lanes = new Map<WebhookId, Promise<void>>();
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
    const room = LANES_MAX - lanes.size;
    if (room <= 0 || draining.signal.aborted) return;
    const claimedAt = ports.clock.now();
    const claimed = await ports.transactions.run(async (tx) =>
      ok(await tx.webhooks.claimLanes(room, LEASE_SECONDS)),
    );
    for (const lane of claimed.ok ? claimed.value : []) {
      const serving = serve(lane, claimedAt)
        .catch(options.onError)
        .finally(() => {
          if (lanes.get(lane.webhook.id) === serving) lanes.delete(lane.webhook.id);
        });
      lanes.set(lane.webhook.id, serving);
    }
  }

  let sweeping: Promise<void> = Promise.resolve();
  return {
    sweep: () => (sweeping = sweeping.catch(() => undefined).then(claim)),
    async drain() {
      draining.abort();
      await sweeping.catch(() => undefined);
      await Promise.all(lanes.values());
    },
  };
}
