import type { Call } from '../call.js';
import { notFound } from '../failure.js';
import { parseId } from '../ids.js';
import type { ReadPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { Webhook } from './webhook.js';

export interface GetWebhook {
  readonly id: string;
}

/** Malformed, missing and foreign ids get the same refusal. */
export async function getWebhook(
  ports: { readonly webhooks: Pick<ReadPorts['webhooks'], 'find'> },
  call: Call,
  { id: text }: GetWebhook,
): Promise<Result<Webhook, 'webhook.not_found'>> {
  const id = parseId('whk', text);
  const webhook = id && (await ports.webhooks.find(call.workspaceId, id));
  return webhook ? ok(webhook) : notFound('webhook');
}
