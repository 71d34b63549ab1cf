import type { Call } from '../call.js';
import type { Page } from '../page.js';
import { readPage, type PageCommand } from '../paging.js';
import type { ReadPorts } from '../ports/index.js';
import type { Result } from '../result.js';
import { getWebhook } from './get-webhook.js';
import type { WebhookDelivery, WebhookDeliveryStatus } from './webhook.js';

interface ListWebhookDeliveries extends PageCommand {
  readonly id: string;
  readonly status?: readonly WebhookDeliveryStatus[] | undefined;
}

/** The deliveries of an endpoint that are pending or recent, newest first. */
export async function listWebhookDeliveries(
  ports: Pick<ReadPorts, 'webhooks' | 'cursors'>,
  call: Call,
  { id, status, ...command }: ListWebhookDeliveries,
): Promise<Result<Page<WebhookDelivery>, 'webhook.not_found' | 'request.invalid_cursor'>> {
  const found = await getWebhook(ports, call, { id });
  if (!found.ok) return found;
  const filter = { webhookId: found.value.id, statuses: status };
  return readPage(ports, call, 'webhook deliveries', filter, command, (page) =>
    ports.webhooks.listDeliveries(call.workspaceId, found.value.id, filter, page),
  );
}
