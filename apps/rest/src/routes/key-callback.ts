import type { Service } from '@switchboard/bootstrap';
import { failure } from '@switchboard/domain';
import { receiveKeyCallback } from '@switchboard/domain/connections';
import { Router } from 'express';
import { sendProblem } from '../problem.js';
import { readBody } from '../read-body.js';

const PATH = '/deliveries/:platform/:secret';
/** Keys are short. */
const BODY_BYTES_MAX = 16 * 1024;
/** The store waits a minute for the response; meanwhile the key is verified at the store. */
const KEY_CALLBACK_TIMEOUT_MS = 30_000;

/**
 * Receives the keys that platforms send before they redirect the browser back. The address contains a secret
 * that only the platform knows.
 */
export function keyCallbackRoutes(service: Service): Router {
  const router = Router();

  router.post(PATH, async (request, response) => {
    const requestId = String(response.locals['requestId']);
    const body = await readBody(request, response, BODY_BYTES_MAX);
    if (!body.ok) return sendProblem(response, body.failure, requestId);
    const { platform, secret } = request.params;
    const received = await receiveKeyCallback(
      service.ports,
      { platform, secret, body: body.value },
      { requestId, signal: AbortSignal.timeout(KEY_CALLBACK_TIMEOUT_MS) },
    );
    if (!received.ok) return sendProblem(response, received.failure, requestId);
    response.status(200).json({});
  });

  router.all(PATH, (_request, response) => {
    response.set('Allow', 'POST');
    const requestId = String(response.locals['requestId']);
    sendProblem(response, failure('route.method_not_allowed', 'Use POST.'), requestId);
  });
  return router;
}
