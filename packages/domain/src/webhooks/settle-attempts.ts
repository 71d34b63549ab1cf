import { WORKER } from '../call.js';
import { nextCall } from '../next-call.js';
import type { SettledWebhookAttempt, Tx, WebhookLane } from '../ports/index.js';
import { ok } from '../result.js';
import type { DisabledReason, Webhook } from './webhook.js';

/** An endpoint whose every attempt fails for this long is disabled. */
const FAILING_DAYS = 5;
const DAY_MS = 86_400_000;

/** Attempts that have ended, of one lane. */
export interface LaneResults {
  readonly attempts: readonly SettledWebhookAttempt[];
  /** Seconds in which nothing is sent to the endpoint; 0 for no pause. */
  readonly throttleSeconds: number;
  /** It responded with 410. */
  readonly isGone: boolean;
}

/** What becomes of the lane: lost lanes and disabled endpoints end it. */
export type LaneVerdict = 'continue' | 'lost' | 'disabled';

/** Records attempts in one transaction, and disables an endpoint that is gone or has failed for five days. */
export async function settleAttempts(
  tx: Pick<Tx, 'webhooks' | 'events' | 'audit'>,
  now: Date,
  lane: WebhookLane,
  { attempts, throttleSeconds, isGone }: LaneResults,
) {
  const settled = await tx.webhooks.settleDeliveries(lane, attempts, throttleSeconds);
  if (!settled) return ok<LaneVerdict>('lost');
  const { failingSince } = settled;
  const isFailing = failingSince !== null && now.getTime() - failingSince.getTime() >= FAILING_DAYS * DAY_MS;
  if (!isGone && !isFailing) return ok<LaneVerdict>('continue');
  await disableWebhook(tx, lane.webhook, isGone ? 'gone' : 'failing', failingSince);
  return ok<LaneVerdict>('disabled');
}

async function disableWebhook(
  tx: Pick<Tx, 'webhooks' | 'events' | 'audit'>,
  { id, workspaceId, url, description }: Webhook,
  reason: Exclude<DisabledReason, 'requested'>,
  failingSince: Date | null,
): Promise<void> {
  await tx.webhooks.update(workspaceId, id, { disabledReason: reason });
  await tx.webhooks.failPending(workspaceId, id);
  await tx.events.append({
    workspaceId,
    type: 'webhook.disabled',
    profileId: null,
    data: {
      webhook_id: id,
      url,
      description,
      reason,
      failing_since: failingSince?.toISOString() ?? null,
      next: nextCall.updateWebhook(id),
    },
  });
  await tx.audit.append({
    workspaceId,
    actor: WORKER,
    action: 'webhook.disabled',
    object: id,
    outcome: 'ok',
    requestId: '',
    details: { reason },
  });
}
