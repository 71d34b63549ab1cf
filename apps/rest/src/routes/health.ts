import type { Service } from '@switchboard/bootstrap';
import { failure } from '@switchboard/domain';
import { timingSafeEqual } from 'node:crypto';
import { Router, type Request } from 'express';
import { sendProblem } from '../problem.js';

/**
 * Liveness, readiness, and the metrics of this process. Metrics are restricted to loopback, or to a bearer
 * token of their own.
 */
export function healthRoutes(service: Service): Router {
  const router = Router();
  router.get(
    '/healthz',
    (_request, response) => void response.json({ status: 'ok', instance: service.instanceId }),
  );
  router.get('/readyz', async (_request, response) => {
    const readiness = await service.ready();
    response.status(readiness.ready ? 200 : 503).json(readiness);
  });
  router.get('/metrics', async (request, response) => {
    if (!mayReadMetrics(request, service.config.metricsToken)) {
      const requestId = response.locals['requestId'] as string;
      return sendProblem(response, failure('route.not_found', 'Route not found. See /docs.'), requestId);
    }
    response.type(service.metrics.contentType).send(await service.metrics.text());
  });
  return router;
}

function mayReadMetrics(request: Request, token: string | null): boolean {
  const bearer = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (token !== null && bearer !== undefined) {
    const [a, b] = [Buffer.from(bearer), Buffer.from(token)];
    return a.length === b.length && timingSafeEqual(a, b);
  }
  const direct = request.headers['x-forwarded-for'] === undefined && request.headers.forwarded === undefined;
  return direct && /^(127\.|::1$|::ffff:127\.)/.test(request.socket.remoteAddress ?? '');
}
