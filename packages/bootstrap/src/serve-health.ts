import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { ConfigurationError } from './configuration-error.js';
import { mayReadMetrics } from './may-read-metrics.js';
import type { Service } from './service.js';

/** Serves health checks and metrics on a port of their own, for supervisors that know no other of this process. */
export async function serveHealth(
  service: Service,
  { host, healthPort }: { readonly host: string; readonly healthPort: number },
): Promise<{ close(): Promise<void> }> {
  const server = createServer((request, response) => {
    void respond(service, request, response).catch((error: unknown) => {
      service.log.error({ err: error }, 'health check failed');
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new ConfigurationError(
          `SWITCHBOARD_HEALTH_PORT ${healthPort} cannot be used: ${error.code ?? error.message}`,
        ),
      ),
    );
    server.listen(healthPort, host, resolve);
  });
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function respond(service: Service, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path] = (request.url ?? '').split('?', 1);
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end();
  } else if (path === '/healthz') {
    sendJson(response, 200, { status: 'ok', instance: service.instanceId });
  } else if (path === '/readyz') {
    const readiness = await service.ready();
    sendJson(response, readiness.ready ? 200 : 503, readiness);
  } else if (path === '/metrics' && mayReadMetrics(request, service.config.metricsToken)) {
    response
      .writeHead(200, { 'content-type': service.metrics.contentType })
      .end(await service.metrics.text());
  } else {
    response.writeHead(404).end();
  }
}

const sendJson = (response: ServerResponse, status: number, body: object) =>
  response
    .writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
    .end(JSON.stringify(body));
