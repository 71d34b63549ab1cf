import type { WebhookClient, WebhookMessage, WebhookResponse } from '../../src/ports/index.js';

export const answered = (status: number, over: Partial<{ head: string; retryAfter: string }> = {}) =>
  ({ kind: 'answered', status, latencyMs: 3, head: '', retryAfter: undefined, ...over }) as const;

/** Endpoints that repeat a challenge and respond with `respond` to everything else; 204 by default. */
export function fakeWebhookClient() {
  const sent: WebhookMessage[] = [];
  const client = {
    sent,
    refused: new Map<string, 'invalid_url' | 'address_refused' | 'dns'>(),
    respond: async (_message: WebhookMessage): Promise<WebhookResponse> => answered(204),
    checkUrl: async (url: string) => client.refused.get(url) ?? null,
    async send(message: WebhookMessage): Promise<WebhookResponse> {
      const body = JSON.parse(message.body) as { type: string; challenge?: string };
      sent.push(message);
      if (body.type !== 'webhook.challenge') return client.respond(message);
      return client.challenge(body.challenge ?? '');
    },
    challenge: async (text: string): Promise<WebhookResponse> =>
      answered(200, { head: `{&quot;challenge&quot;: &quot;${text}&quot;}` }),
  };
  return client satisfies WebhookClient;
}
