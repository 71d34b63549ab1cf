import type { Service } from '@switchboard/bootstrap';
import { failure } from '@switchboard/domain';
import { catalog, toUnexpectedFailure } from '@switchboard/operations';
import compression from 'compression';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { bindOperation } from './bind-operation.js';
import { enforceBodyTimeout } from './media/enforce-body-timeout.js';
import { sendProblem } from './problem.js';
import { atprotoRoutes } from './routes/atproto.js';
import { connectRoutes } from './routes/connect.js';
import { keyCallbackRoutes } from './routes/key-callback.js';
import { docsRoutes } from './routes/docs.js';
import { healthRoutes } from './routes/health.js';
import { mediaRoutes } from './routes/media.js';
import { oauthCallbackRoutes } from './routes/oauth-callback.js';

/** The REST app over a service: every operation of the catalog, and the few routes that are none. */
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

  const methods = new Map<string, string[]>();
  for (const operation of catalog) {
    if (!operation.surfaces.includes('rest')) continue;
    for (const { method, path } of [operation.http, ...(operation.http.aliases ?? [])]) {
      app[method](`/v1${path}`, bindOperation(service, operation));
      methods.set(`/v1${path}`, [...(methods.get(`/v1${path}`) ?? []), method.toUpperCase()]);
    }
  }
  for (const [path, allowed] of methods) app.all(path, methodNotAllowed(allowed));
  // After the operations, which are asked for most: what is tried first costs every request.
  app.use(
    healthRoutes(service),
    throttlePages(service),
    docsRoutes(service),
    connectRoutes(service),
    oauthCallbackRoutes(service),
    keyCallbackRoutes(service),
    atprotoRoutes(service),
    mediaRoutes(service),
  );
  app.use(notFound, handleUnexpectedError(service));
  return app;
}

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

/** Compression watches over every answer it may be asked to shorten; of a reader who takes none it hears nothing. */
function compressResponses(): RequestHandler {
  const compress = compression();
  return (request, response, next) => {
    if (request.headers['accept-encoding'] !== undefined) return compress(request, response, next);
    response.setHeader('Vary', 'Accept-Encoding');
    next();
  };
}

/** A proxy and this server could take `GET http://other/v1/me` for requests to different hosts. Nobody needs it here. */
const requireOriginForm: RequestHandler = (request, response, next) => {
  if (request.url.startsWith('/')) return next();
  response.set('Connection', 'close');
  sendProblem(
    response,
    failure('request.invalid', 'Name the path alone in the request line, and the host in `Host`.'),
    requestIdOf(response.locals),
  );
};

/** Node keeps the first of several `Host` headers, and a proxy may have routed by the last (RFC 9112, section 3.2). */
const requireSingleHost: RequestHandler = (request, response, next) => {
  const hosts = request.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host');
  if (hosts.length <= 1) return next();
  response.set('Connection', 'close');
  sendProblem(response, failure('request.invalid', 'Send one `Host` header.'), requestIdOf(response.locals));
};

/** Pages are for everybody, a few hundred times a minute: whoever asks for more has no key that could be told to wait. */
const throttlePages =
  (service: Service): RequestHandler =>
  async (request, response, next) => {
    const retryAfterSeconds = await service.ports.addressThrottle.recordVisit(request.ip);
    if (retryAfterSeconds === null) return next();
    const why = `Too many pages were requested from this address. Wait ${retryAfterSeconds} seconds.`;
    sendProblem(
      response,
      failure('rate_limit.exceeded', why, { retryAfterSeconds }),
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
      failure('route.method_not_allowed', `${request.method} is not possible here. Use ${list}.`),
      requestIdOf(response.locals),
    );
  };

const notFound: RequestHandler = (_request, response) => {
  sendProblem(
    response,
    failure('route.not_found', 'There is no such route. See /docs.'),
    requestIdOf(response.locals),
  );
};

const handleUnexpectedError =
  (service: Service): ErrorRequestHandler =>
  (error: { status?: number }, _request, response, _next) => {
    const requestId = requestIdOf(response.locals);
    if (response.headersSent) return void response.destroy();
    if (error.status === 400) {
      return sendProblem(response, failure('request.invalid', 'The URL is not well formed.'), requestId);
    }
    service.observer.onError(error, requestId);
    sendProblem(response, toUnexpectedFailure(error), requestId);
  };
