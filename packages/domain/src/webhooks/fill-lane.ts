import { matchingEventTypes, type Event } from '../events/event.js';
import type { Tx, WebhookLane, WebhookLaneState } from '../ports/index.js';
import type { Tools } from '../ports/index.js';
import { ok } from '../result.js';
import type { Webhook } from './webhook.js';

/** Deliveries that are prepared at once. */
const BATCH = 100;
/**
 * Deliveries of one endpoint that wait for their next attempt at most. Later events stay in the list of events
 * until some of these end: a backlog is a position, not rows.
 */
export const PENDING_MAX = 10_000;

/** The result of preparing deliveries; null when the lane is lost. */
type LaneFill = { readonly webhook: Webhook; readonly mayHaveMore: boolean } | null;

/**
 * Prepares deliveries of the next events in one transaction: those of a period that is sent again, then those
 * after the endpoint's position. A crash before the commit repeats it.
 */
export async function fillLane(tx: Pick<Tx, 'webhooks' | 'events'>, ids: Tools['ids'], lane: WebhookLane) {
  const state = await tx.webhooks.lockLane(lane);
  if (!state) return ok<LaneFill>(null);
  const { webhook, pending } = state;
  const limit = Math.min(BATCH, PENDING_MAX - pending);
  if (webhook.disabledReason !== null || limit <= 0) return ok<LaneFill>({ webhook, mayHaveMore: false });
  const hasMore = await (state.replay ? fillFromReplay : fillFromPosition)(tx, ids, lane, state, limit);
  return ok<LaneFill>({ webhook, mayHaveMore: hasMore });
}

type Fill = (
  tx: Pick<Tx, 'webhooks' | 'events'>,
  ids: Tools['ids'],
  lane: WebhookLane,
  state: WebhookLaneState,
  limit: number,
) => Promise<boolean>;

const filterOf = ({ events, profileIds }: Webhook) => ({
  reach: profileIds,
  types: matchingEventTypes(events),
});

const toRows = (ids: Tools['ids'], events: readonly Event[]) =>
  events.map(({ id, type }) => ({ id, type, deliveryId: ids.next('whd') }));

const fillFromPosition: Fill = async (tx, ids, lane, { webhook, position }, limit) => {
  const page = await tx.events.list(webhook.workspaceId, filterOf(webhook), { after: position, limit });
  if (page.position !== position || page.items.length > 0)
    await tx.webhooks.addDeliveries(lane, toRows(ids, page.items), {
      kind: 'position',
      position: page.position,
    });
  return page.hasMore;
};

const fillFromReplay: Fill = async (tx, ids, lane, { webhook, replay }, limit) => {
  if (!replay) return false;
  const { after, through } = replay;
  const page = await tx.events.list(webhook.workspaceId, filterOf(webhook), { after, limit });
  const isEnd = !page.hasMore || Number(page.position) >= Number(through);
  await tx.webhooks.addDeliveries(
    lane,
    toRows(
      ids,
      page.items.filter(({ sequence }) => sequence <= Number(through)),
    ),
    { kind: 'replay', remaining: isEnd ? null : { after: page.position, through } },
  );
  return true;
};
