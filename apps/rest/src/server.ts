import type { Service } from '@switchboard/bootstrap';
import { allowOrigins } from '@switchboard/bootstrap/allow-origins';
import { failure } from '@switchboard/domain';
import { catalog, toUnexpectedFailure } from '@switchboard/operations';
import compression from 'compression';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { bindOperation } from './bind-operation.js';
import { enforceBodyTimeout } from './media/enforce-body-timeout.js';
import { sendProblem } from './problem.js';
import { approvalRoutes } from './routes/approvals.js';
import { atprotoRoutes } from './routes/atproto.js';
import { connectRoutes } from './routes/connect.js';
import { keyCallbackRoutes } from './routes/key-callback.js';
import { docsRoutes } from './routes/docs.js';
import { healthRoutes } from './routes/health.js';
import { mediaRoutes } from './routes/media.js';
import { storeWebhookRoutes } from './routes/store-webhooks.js';
import { oauthServerRoutes } from './routes/oauth-server.js';
import { oauthCallbackRoutes } from './routes/oauth-callback.js';
import { tracePages } from './trace-pages.js';

/** What such a page may read besides what it may always read: each header that the API document names. */
export const exposedHeaders = [
  ...['ETag', 'Idempotency-Replayed', 'Link', 'Preference-Applied', 'RateLimit', 'RateLimit-Policy'],
  ...['Allow', 'Content-Disposition', 'Retry-After', 'WWW-Authenticate', 'X-Request-Id'],
];
const SHARED_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** What pages of other origins may read when their origin is allowed; the hosted pages are not included. */
const SHARED_PATHS = [
  ...['/v1', '/openapi.json', '/media/uploads'],
  ...['/.well-known', '/oauth/token', '/oauth/revoke', '/oauth/register'],
];

/** The REST app over a service: every operation of the catalog, and the few other routes. */
export function createServer(service: Service): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.set('case sensitive routing', true);
  app.set(
    'trust proxy',
    service.config.trustedProxies.length > 0 ? [...service.config.trustedProxies] : false,
  );
  app.use(
    assignRequestId(service),
    requireOriginForm,
    requireSingleHost,
    enforceBodyTimeout,
    compressResponses(),
  );
  app.use(
    SHARED_PATHS,
    allowOrigins(service.config.corsOrigins, { methods: SHARED_METHODS, exposedHeaders }),
  );

  const methods = new Map<string, string[]>();
  for (const { operation, method, path } of routesInOrder()) {
    app[method](`/v1${path}`, bindOperation(service, operation));
    methods.set(`/v1${path}`, [...(methods.get(`/v1${path}`) ?? []), method.toUpperCase()]);
  }
  for (const [path, allowed] of methods) app.all(path, methodNotAllowed(allowed));
  // After the operations, which are requested most: earlier routes cost time on every request.
  app.use(
    healthRoutes(service),
    ...tracePages(service),
    storeWebhookRoutes(service),
    throttlePages(service),
    docsRoutes(service),
    connectRoutes(service),
    approvalRoutes(service),
    oauthCallbackRoutes(service),
    oauthServerRoutes(service),
    keyCallbackRoutes(service),
    atprotoRoutes(service),
    mediaRoutes(service),
  );
  app.use(notFound, handleUnexpectedError(service));
  return app;
}

/** `/orders/changes` before `/orders/:order_id`, which would match it as well. */
const routesInOrder = () =>
  catalog
    .flatMap((operation) =>
      [operation.http, ...(operation.http.aliases ?? [])].map(({ method, path }) => ({
        operation,
        method,
        path,
        rank: path.replace(/:\w+/g, '~'),
      })),
    )
    .sort((one, other) => (one.rank < other.rank ? -1 : one.rank > other.rank ? 1 : 0));

const assignRequestId =
  (service: Service): RequestHandler =>
  (_request, response, next) => {
    const requestId = service.ports.ids.next('req');
    response.locals['requestId'] = requestId;
    response.setHeader('X-Request-Id', requestId);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Cache-Control', 'no-store');
    next();
  };

/**
 * Compression wraps every response that it may have to compress; it is skipped for clients that accept none.
 */
function compressResponses(): RequestHandler {
  const compress = compression();
  return (request, response, next) => {
    if (request.headers['accept-encoding'] !== undefined) return compress(request, response, next);
    response.setHeader('Vary', 'Accept-Encoding');
    next();
  };
}

/**
 * A proxy and this server could treat `GET http://other/v1/me` as requests to different hosts. No client
 * needs this form.
 */
const requireOriginForm: RequestHandler = (request, response, next) => {
  if (request.url.startsWith('/')) return next();
  response.set('Connection', 'close');
  sendProblem(
    response,
    failure('request.invalid', 'Send the path only in the request line, and the host in `Host`.'),
    requestIdOf(response.locals),
  );
};

/**
 * Node.js keeps the first of several `Host` headers, and a proxy may have routed by the last (RFC 9112,
 * section 3.2).
 */
const requireSingleHost: RequestHandler = (request, response, next) => {
  const hosts = request.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host');
  if (hosts.length <= 1) return next();
  response.set('Connection', 'close');
  sendProblem(response, failure('request.invalid', 'Send one `Host` header.'), requestIdOf(response.locals));
};

/**
 * Pages are public and allow a few hundred requests per minute and address: these requests have no key whose
 * quota could apply.
 */
const throttlePages =
  (service: Service): RequestHandler =>
  async (request, response, next) => {
    const retryAfterSeconds = await service.ports.addressThrottle.recordVisit(request.ip);
    if (retryAfterSeconds === null) return next();
    const reason = `Too many page requests from this address. Retry in ${retryAfterSeconds} seconds.`;
    sendProblem(
      response,
      failure('rate_limit.exceeded', reason, { retryAfterSeconds }),
      requestIdOf(response.locals),
    );
  };

const requestIdOf = (locals: Record<string, unknown>) => locals['requestId'] as string;

const methodNotAllowed =
  (allowed: readonly string[]): RequestHandler =>
  (request, response) => {
    const list = [...allowed, ...(allowed.includes('GET') ? ['HEAD'] : [])].join(', ');
    response.set('Allow', list);
    sendProblem(
      response,
      failure('route.method_not_allowed', `${request.method} is not supported. Use ${list}.`),
      requestIdOf(response.locals),
    );
  };

const notFound: RequestHandler = (_request, response) => {
  sendProblem(
    response,
    failure('route.not_found', 'Route not found. See /docs.'),
    requestIdOf(response.locals),
  );
};

const handleUnexpectedError =
  (service: Service): ErrorRequestHandler =>
  (error: { status?: number }, _request, response, _next) => {
    const requestId = requestIdOf(response.locals);
    if (response.headersSent) return void response.destroy();
    if (error.status === 400) {
      return sendProblem(response, failure('request.invalid', 'The URL is malformed.'), requestId);
    }
    service.observer.onError(error, requestId);
    sendProblem(response, toUnexpectedFailure(error), requestId);
  };
