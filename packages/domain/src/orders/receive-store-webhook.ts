import { refuse } from '../failure.js';
import type { Ports } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { storeWebhookBinding, storeWebhookUrl } from './store-webhook.js';

interface ReceivedRequest {
  /** The last part of its path. */
  readonly address: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Reads the body, once the address is known. Null when it is too large. */
  readonly readBody: () => Promise<Uint8Array | null>;
}

export type ReceiveStoreWebhookPorts = Pick<
  Ports,
  'connections' | 'platforms' | 'settings' | 'storeWebhooks' | 'transactions' | 'vault'
>;

/**
 * Accepts a webhook of a store. Anyone can send such a request: it has an effect only if it is authentic, and then only
 * that the order which it names is read from the store. `route.not_found`: the address is unknown, or the request is not
 * authentic.
 */
export async function receiveStoreWebhook(
  ports: ReceiveStoreWebhookPorts,
  { address, headers, readBody }: ReceivedRequest,
): Promise<Result<undefined, 'route.not_found' | 'request.too_large' | 'vault.unavailable'>> {
  const webhook = await ports.storeWebhooks.findByAddress(address);
  const connection = webhook && (await ports.connections.find(webhook.workspaceId, webhook.connectionId));
  const webhooks = connection && ports.platforms.find(connection.platform)?.orders?.webhooks;
  if (!webhook?.sealedSecret || !connection?.watchOrders || !webhooks) return notFound();
  const { workspaceId, connectionId } = webhook;
  const vault = await ports.vault.unlock(workspaceId);
  if (!vault.ok) return vault.failure.code === 'vault.unavailable' ? refuseUnavailable() : notFound();
  const secret = vault.value.open(
    storeWebhookBinding(connectionId, webhook.generation),
    webhook.sealedSecret,
  );
  if (!secret.ok) return notFound();
  const body = await readBody();
  if (body === null) return refuse('request.too_large', 'The body is too large.');
  const reading = webhooks.read({
    url: storeWebhookUrl(ports.settings.publicUrl, address),
    secret: secret.value,
    account: connection.account,
    headers,
    body,
  });
  if (reading.kind === 'forged') return notFound();
  if (reading.kind === 'nothing') return ok();
  const { externalId, deliveryId } = reading;
  await ports.transactions.run(async (tx) => {
    if (await tx.storeWebhooks.recordDelivery({ workspaceId, connectionId }, deliveryId))
      await tx.jobs.enqueue({ name: 'read_order', workspaceId, connectionId, externalId });
    return ok();
  });
  return ok();
}

const notFound = () => refuse('route.not_found', 'Route not found. See /docs.');

const refuseUnavailable = () =>
  refuse('vault.unavailable', 'The secret of the webhook cannot be read right now.');
