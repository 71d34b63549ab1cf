import type { SealedWebhookSecret, UnlockedVault } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { Secret } from '../secret.js';
import { webhookSecretBinding, type Webhook } from './webhook.js';

/** The valid signing secrets, the latest first. */
export function openSecrets(
  vault: UnlockedVault,
  { id }: Pick<Webhook, 'id'>,
  sealed: readonly SealedWebhookSecret[],
): Result<readonly Secret[], 'vault.unreadable'> {
  const secrets: Secret[] = [];
  for (const one of sealed) {
    const opened = vault.open(webhookSecretBinding(id, one.generation), one.sealed);
    if (!opened.ok) return opened;
    secrets.push(opened.value);
  }
  return ok(secrets);
}
