import { failure } from '@switchboard/domain';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { mayReadMetrics, type Config } from '@switchboard/bootstrap';
import { allowOrigins } from '@switchboard/bootstrap/allow-origins';
import { describeBearerChallenge } from '@switchboard/operations';
import { guardKey } from '../protocol/guard-key.js';
import type { ToolFilter } from '../tools/tool-filter.js';
import { CHALLENGE, requestIdOf, sendProblem } from './problem.js';
import { protectedResourceRoutes } from './protected-resource-routes.js';
import { serveMessage } from '../protocol/serve-message.js';
import { serverFactories, type ServerFactories, type McpService } from '../protocol/server.js';
import { countHeader } from './headers.js';

/**
 * MCP over Streamable HTTP, stateless: `POST /mcp` and the two health checks. Our own handlers implement the
 * protocol, unless a test of the wiring passes servers that implement more of it than we use.
 */
export function createHttpApp(
  service: McpService,
  toolFilter: ToolFilter,
  factories: ServerFactories = serverFactories(service),
): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.set('case sensitive routing', true);
  const { trustedProxies } = service.config;
  app.set('trust proxy', trustedProxies.length > 0 ? [...trustedProxies] : false);
  app.locals[CHALLENGE] = describeBearerChallenge(service.ports.settings);
  app.use(assignRequestId(service));
  app.get(
    '/healthz',
    (_request, response) => void response.json({ status: 'ok', instance: service.instanceId }),
  );
  app.get('/readyz', async (_request, response) => {
    const readiness = await service.ready();
    response.status(readiness.ready ? 200 : 503).json(readiness);
  });
  app.get('/metrics', async (request, response, next) => {
    if (!mayReadMetrics(request, service.config.metricsToken)) return next();
    response.type(service.metrics.contentType).send(await service.metrics.text());
  });
  // Which requests are refused is decided by `guardOrigin`.
  const shareWithOrigins = allowOrigins(service.config.mcpAllowedOrigins, {
    methods: ['GET', 'POST'],
    // The challenge begins a sign-in (RFC 9728).
    exposedHeaders: ['Retry-After', 'WWW-Authenticate', 'X-Request-Id'],
  });
  app.use('/.well-known', shareWithOrigins);
  app.use(protectedResourceRoutes(service.ports.settings), guardOrigin(service.config), shareWithOrigins);
  app.post('/mcp', guardKey(service), serveMessage(service, toolFilter, factories));
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

const loopback = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Protects against requests that a web page sends through a visitor's browser: both under a host name that
 * resolves to this server (Host, or an absolute URL in the request line; DNS rebinding) and from an origin
 * that is not allowed (Origin). Programs send no Origin.
 */
function guardOrigin(config: Pick<Config, 'mcpPublicUrl' | 'mcpAllowedOrigins'>): RequestHandler {
  const own = new URL(config.mcpPublicUrl);
  const hosts = [...loopback, own.hostname];
  const origins = [own.origin, ...config.mcpAllowedOrigins];

  const isAllowedOrigin = (origin: string) =>
    origins.includes(origin) || loopback.includes(hostnameOf(origin) ?? '');

  return (request, response, next) => {
    if (!request.url.startsWith('/') || countHeader(request, 'host') > 1) {
      response.set('Connection', 'close');
      return sendProblem(
        response,
        failure('request.invalid', 'Send the path only in the request line, and exactly one `Host` header.'),
      );
    }
    const { host, origin } = request.headers;
    const hostname = hostnameOf(`http://${host ?? ''}`);
    if (hostname === null || !hosts.includes(hostname)) {
      return sendProblem(
        response,
        failure(
          'request.origin_not_allowed',
          'This host name is not allowed. Set SWITCHBOARD_MCP_PUBLIC_URL to the address that clients use.',
        ),
      );
    }
    if (origin !== undefined && !isAllowedOrigin(origin)) {
      return sendProblem(
        response,
        failure(
          'request.origin_not_allowed',
          'This origin is not allowed. SWITCHBOARD_MCP_ALLOWED_ORIGINS lists the allowed origins.',
        ),
      );
    }
    next();
  };
}

const hostnameOf = (url: string): string | null => (URL.canParse(url) ? new URL(url).hostname : null);
