import type { Call } from '../call.js';
import { notFound } from '../failure.js';
import type { AtomicPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { CreatedWebhook } from './create-webhook.js';
import { getWebhook } from './get-webhook.js';
import { formatWebhookSecret, webhookSecretBinding } from './webhook.js';

interface RotateWebhookSecret {
  readonly id: string;
  /** How long deliveries are also signed with the old secret, in seconds; 0 ends it now. */
  readonly overlapSeconds: number;
}

/** Replaces the signing secret. Until the overlap ends, deliveries carry a signature of each. */
export async function rotateWebhookSecret(
  ports: Pick<AtomicPorts, 'webhooks' | 'tokens'>,
  call: Call,
  { id, overlapSeconds }: RotateWebhookSecret,
): Promise<Result<CreatedWebhook, 'webhook.not_found' | 'vault.unavailable' | 'vault.unreadable'>> {
  const found = await getWebhook(ports, call, { id });
  if (!found.ok) return found;
  if (!call.endpointCheck) throw new Error('the vault was not unlocked before the transaction');
  const { vault } = call.endpointCheck;
  if (!vault.ok) return vault;
  const { workspaceId, id: webhookId } = found.value;
  const [latest] = await ports.webhooks.findSecrets(workspaceId, webhookId);
  const generation = (latest?.generation ?? 0) + 1;
  const secret = formatWebhookSecret(ports.tokens.random());
  const sealed = vault.value.seal(webhookSecretBinding(webhookId, generation), secret);
  const webhook = await ports.webhooks.replaceSecret(
    workspaceId,
    webhookId,
    { generation, sealed },
    overlapSeconds,
  );
  return webhook ? ok({ webhook, secret }) : notFound('webhook');
}
