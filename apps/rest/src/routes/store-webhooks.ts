import type { Service } from '@switchboard/bootstrap';
import { failure } from '@switchboard/domain';
import { receiveStoreWebhook, STORE_WEBHOOK_PATH } from '@switchboard/domain/orders';
import { Router, type Request } from 'express';
import { discardUnreadBody } from '../media/discard-unread-body.js';
import { readRequestBytes } from '../media/read-request-bytes.js';
import { sendProblem } from '../problem.js';

const PATH = `${STORE_WEBHOOK_PATH}/:address`;
/** WooCommerce sends the whole order. */
const BODY_BYTES_MAX = 1024 * 1024;

/**
 * Receives the webhooks that stores send for their orders. Requests with an effect are not throttled, because many stores
 * share the addresses of their platform.
 */
export function storeWebhookRoutes({ ports }: Pick<Service, 'ports'>): Router {
  const router = Router();

  router.post(PATH, async (request, response) => {
    const received = await receiveStoreWebhook(ports, {
      address: request.params.address,
      headers: headersOf(request),
      readBody: () => readBytes(request),
    });
    discardUnreadBody(request, response);
    if (received.ok) return void response.status(200).end();
    const requestId = String(response.locals['requestId']);
    const isRefused = received.failure.code !== 'vault.unavailable';
    const retryAfterSeconds = isRefused ? await ports.addressThrottle.recordFailure(request.ip) : null;
    if (retryAfterSeconds === null) return sendProblem(response, received.failure, requestId);
    const reason = `Too many requests from this address were refused. Retry in ${retryAfterSeconds} seconds.`;
    sendProblem(response, failure('rate_limit.exceeded', reason, { retryAfterSeconds }), requestId);
  });

  router.all(PATH, (_request, response) => {
    response.set('Allow', 'POST');
    const requestId = String(response.locals['requestId']);
    sendProblem(response, failure('route.method_not_allowed', 'Use POST.'), requestId);
  });
  return router;
}

const headersOf = ({ headers }: Request): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

/** The signature is of the bytes as they were sent. */
async function readBytes(request: Request): Promise<Uint8Array | null> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of readRequestBytes(request)) {
    length += part.byteLength;
    if (length > BODY_BYTES_MAX) return null;
    parts.push(part);
  }
  return Buffer.concat(parts);
}
