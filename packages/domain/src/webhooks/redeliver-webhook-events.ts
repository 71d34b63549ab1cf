import type { Call } from '../call.js';
import { refuse } from '../failure.js';
import type { AtomicPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { getWebhook } from './get-webhook.js';
import { disabledRefusal } from './redeliver-webhook-delivery.js';
import type { Webhook } from './webhook.js';

interface RedeliverWebhookEvents {
  readonly id: string;
  readonly since: Date;
  /** The present when omitted. */
  readonly until?: Date | undefined;
}

type RedeliverFailure =
  | 'webhook.not_found'
  | 'webhook.disabled'
  | 'webhook.redelivery_in_progress'
  | 'request.invalid';

/**
 * Sends the events of a period again, as far as the endpoint's filters select them, whether or not they were
 * delivered before. Events are read as they are sent, so that the length of the period does not matter.
 */
export async function redeliverWebhookEvents(
  ports: Pick<AtomicPorts, 'webhooks' | 'events' | 'clock'>,
  call: Call,
  { id, since, until = ports.clock.now() }: RedeliverWebhookEvents,
): Promise<Result<Webhook, RedeliverFailure>> {
  const found = await getWebhook(ports, call, { id });
  if (!found.ok) return found;
  if (since >= until) {
    const message = 'The beginning of the period must be before its end.';
    return refuse('request.invalid', message, { problems: [{ path: 'since', code: 'time.order', message }] });
  }
  const webhook = found.value;
  if (webhook.disabledReason !== null) return disabledRefusal(webhook);
  const range = await ports.events.findRange(call.workspaceId, since, until);
  if (range && !(await ports.webhooks.startReplay(call.workspaceId, webhook.id, range)))
    return refuse('webhook.redelivery_in_progress', 'Events of another period are still being sent again.');
  return ok(webhook);
}
