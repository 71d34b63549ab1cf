import type { Call } from '../call.js';
import { notFound, refuse } from '../failure.js';
import { parseId } from '../ids.js';
import { nextCall } from '../next-call.js';
import type { AtomicPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { getWebhook } from './get-webhook.js';
import type { Webhook, WebhookDelivery } from './webhook.js';

interface RedeliverWebhookDelivery {
  readonly id: string;
  readonly deliveryId: string;
}

/** Sends one event again, with the same message id and a new schedule. */
export async function redeliverWebhookDelivery(
  ports: Pick<AtomicPorts, 'webhooks'>,
  call: Call,
  { id, deliveryId }: RedeliverWebhookDelivery,
): Promise<Result<WebhookDelivery, 'webhook.not_found' | 'webhook_delivery.not_found' | 'webhook.disabled'>> {
  const found = await getWebhook(ports, call, { id });
  if (!found.ok) return found;
  const { id: webhookId, workspaceId } = found.value;
  const parsed = parseId('whd', deliveryId);
  const delivery = parsed && (await ports.webhooks.findDelivery(workspaceId, webhookId, parsed));
  if (!delivery) return notFound('webhook_delivery');
  if (found.value.disabledReason !== null) return disabledRefusal(found.value);
  const restarted = await ports.webhooks.restartDelivery(workspaceId, delivery.id);
  return restarted ? ok(restarted) : notFound('webhook_delivery');
}

export const disabledRefusal = ({ id }: Webhook) =>
  refuse('webhook.disabled', 'The webhook is disabled and receives nothing. Enable it first.', {
    next: nextCall.updateWebhook(id),
  });
