import type { Call } from '../call.js';
import { nextCall } from '../next-call.js';
import type { AtomicPorts } from '../ports/index.js';
import type { Result } from '../result.js';
import { preconditionFailed, versionOf } from '../version.js';
import { getWebhook, type GetWebhook } from './get-webhook.js';
import type { Webhook } from './webhook.js';

/** Deletes an endpoint with its secrets and deliveries. */
export async function deleteWebhook(
  ports: Pick<AtomicPorts, 'webhooks'>,
  call: Call,
  command: GetWebhook,
): Promise<Result<Webhook, 'webhook.not_found' | 'request.precondition_failed'>> {
  const found = await getWebhook(ports, call, command);
  if (!found.ok) return found;
  const isDeleted = await ports.webhooks.delete(call.workspaceId, found.value.id, versionOf(call));
  return isDeleted ? found : preconditionFailed('webhook', nextCall.getWebhook(found.value.id));
}
