import { mayReadMetrics, type Service } from '@switchboard/bootstrap';
import { failure } from '@switchboard/domain';
import { Router } from 'express';
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
