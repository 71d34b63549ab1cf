import type { Call } from '../call.js';
import type { Ports } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { getWebhook, type GetWebhook } from './get-webhook.js';
import { openSecrets } from './open-secrets.js';
import { toAttempt } from './to-attempt.js';
import type { WebhookAttempt } from './webhook.js';

interface WebhookTest {
  readonly webhookId: string;
  readonly attempt: WebhookAttempt;
}

/**
 * Sends one signed `webhook.test` message now, also to a disabled endpoint, and returns what it responded. It is
 * not retried, and does not count as a failure.
 */
export async function testWebhook(
  ports: Pick<Ports, 'webhooks' | 'webhookClient' | 'vault' | 'ids' | 'clock'>,
  call: Call,
  command: GetWebhook,
): Promise<Result<WebhookTest, 'webhook.not_found' | 'vault.unavailable' | 'vault.unreadable'>> {
  const found = await getWebhook(ports, call, command);
  if (!found.ok) return found;
  const webhook = found.value;
  const vault = await ports.vault.unlock(call.workspaceId);
  if (!vault.ok) return vault;
  const secrets = openSecrets(
    vault.value,
    webhook,
    await ports.webhooks.findSecrets(call.workspaceId, webhook.id),
  );
  if (!secrets.ok) return secrets;
  const id = ports.ids.next('evt');
  const at = ports.clock.now();
  const response = await ports.webhookClient.send({
    url: webhook.url,
    pool: webhook.id,
    id,
    timestamp: at,
    body: JSON.stringify({
      id,
      type: 'webhook.test',
      created_at: at.toISOString(),
      profile_id: null,
      sequence: 0,
      data: { webhook_id: webhook.id },
    }),
    secrets: secrets.value,
    traceparent: null,
    signal: call.signal,
  });
  return ok({ webhookId: webhook.id, attempt: toAttempt(response, at) });
}
