import { createHmac } from 'node:crypto';
import { request } from 'node:http';

export interface StoredWebhook {
  readonly id: string;
  readonly topic: string;
  readonly url: string;
  readonly secret: string;
  /** The receiver's own headers. */
  readonly headers: Readonly<Record<string, string>>;
  readonly isActive: boolean;
}

/** A request that a store sends to the URL of a webhook. */
export interface WebhookDelivery {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The webhooks that were registered at a store. */
export function webhookStore() {
  const stored = new Map<string, StoredWebhook>();
  let deliveries = 0;
  const list = (): readonly StoredWebhook[] => [...stored.values()];
  return {
    /** Oldest first. */
    list,
    find: (id: string) => stored.get(id) ?? null,
    has: (topic: string, url: string) => list().some((one) => one.topic === topic && one.url === url),
    add(webhook: Pick<StoredWebhook, 'id' | 'topic' | 'url'> & Partial<StoredWebhook>): StoredWebhook {
      const added = { secret: '', headers: {}, isActive: true, ...webhook };
      stored.set(added.id, added);
      return added;
    },
    /** Null: unknown. */
    remove: (id: string): StoredWebhook | null => {
      const removed = stored.get(id) ?? null;
      stored.delete(id);
      return removed;
    },
    /** As after too many failures. */
    disable: (id: string) => {
      const webhook = stored.get(id);
      if (webhook) stored.set(id, { ...webhook, isActive: false });
    },
    /** What the active webhooks receive about one change of an order. */
    deliver: (
      contentOf: (webhook: StoredWebhook, version: number) => Pick<WebhookDelivery, 'body' | 'headers'>,
    ): readonly WebhookDelivery[] =>
      list()
        .filter(({ isActive }) => isActive)
        .map((webhook) => {
          const { body, headers } = contentOf(webhook, ++deliveries);
          return { url: webhook.url, body, headers: { 'content-type': 'application/json', ...headers } };
        }),
  };
}

export const signatureOf = (secret: string, content: string): string =>
  createHmac('sha256', secret).update(content).digest('base64');

/** Sends it to the path of its URL at `origin`, and returns the status of the response. */
export const sendWebhook = (
  { url, ...sent }: WebhookDelivery,
  origin = new URL(url).origin,
): Promise<number> => post({ ...sent, url: new URL(new URL(url).pathname, origin).href });

/** Posts to another local server, and returns the status of the response. */
export const post = ({ url, headers, body }: WebhookDelivery): Promise<number> =>
  new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method: 'POST',
      agent: false,
      timeout: 60_000,
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    });
    outgoing.on('error', reject);
    outgoing.on('timeout', () => outgoing.destroy(new Error('no response')));
    outgoing.on('response', (incoming) => {
      incoming.resume();
      incoming.on('end', () => resolve(incoming.statusCode ?? 0));
      incoming.on('error', reject);
    });
    outgoing.end(body);
  });
