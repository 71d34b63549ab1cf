import type { WebhookResponse } from '../ports/index.js';
import type { WebhookAttempt } from './webhook.js';

/** Only 2xx is a success: a redirect is not followed. */
export const toAttempt = (response: WebhookResponse, at: Date): WebhookAttempt =>
  response.kind === 'answered'
    ? {
        at,
        status: response.status,
        latencyMs: response.latencyMs,
        responseHead: response.head,
        error: response.status >= 200 && response.status <= 299 ? null : 'status',
      }
    : {
        at,
        status: null,
        latencyMs: response.latencyMs,
        responseHead: null,
        error: response.error === 'aborted' ? 'timeout' : response.error,
      };
