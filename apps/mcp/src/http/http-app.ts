import { failure } from '@switchboard/domain';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { guardKey } from '../protocol/guard-key.js';
import { guardOrigin } from './guard-origin.js';
import type { ToolFilter } from '../tools/tool-filter.js';
import { requestIdOf, sendProblem } from './problem.js';
import { serveMessage } from '../protocol/serve-message.js';
import { createMcpServer, type ServerFactory, type McpService } from '../protocol/server.js';

/**
 * MCP over Streamable HTTP, stateless: `POST /mcp` and the two health checks. Our own handlers implement the
 * protocol, unless a test of the wiring passes a server that implements more of it than we use.
 */
export function createHttpApp(
  service: McpService,
  toolFilter: ToolFilter,
  serverFactory: ServerFactory = (caller, requestId) => createMcpServer(service, caller, requestId),
): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.set('case sensitive routing', true);
  const { trustedProxies } = service.config;
  app.set('trust proxy', trustedProxies.length > 0 ? [...trustedProxies] : false);
  app.use(assignRequestId(service));
  app.get('/healthz', (_request, response) => void response.json({ status: 'ok' }));
  app.get('/readyz', async (_request, response) => {
    const readiness = await service.ready();
    response.status(readiness.ready ? 200 : 503).json(readiness);
  });
  app.use(guardOrigin(service.config));
  app.post('/mcp', guardKey(service), serveMessage(service, toolFilter, serverFactory));
  app.all('/mcp', methodNotAllowed);
  app.use(notFound, handleUnexpectedError(service));
  return app;
}

const assignRequestId =
  ({ ports }: Pick<McpService, 'ports'>): RequestHandler =>
  (_request, response, next) => {
    const requestId = ports.ids.next('req');
    response.locals['requestId'] = requestId;
    response.set({
      'X-Request-Id': requestId,
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-store',
    });
    next();
  };

const methodNotAllowed: RequestHandler = (request, response) => {
  response.set('Allow', 'POST');
  const reason = `${request.method} is not supported. Use POST: this server is stateless and opens no streams.`;
  sendProblem(response, failure('route.method_not_allowed', reason));
};

const notFound: RequestHandler = (_request, response) =>
  sendProblem(response, failure('route.not_found', 'Route not found. MCP is served at /mcp.'));

const handleUnexpectedError =
  ({ observer }: Pick<McpService, 'observer'>): ErrorRequestHandler =>
  (error: { status?: number }, _request, response, _next) => {
    if (response.headersSent) return void response.destroy();
    if (error.status === 400) {
      return sendProblem(response, failure('request.invalid', 'The URL is malformed.'));
    }
    observer.onError(error, requestIdOf(response));
    sendProblem(response, failure('internal.error', 'Internal error.'));
  };
