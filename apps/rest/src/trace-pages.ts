import type { Service } from '@switchboard/bootstrap';
import type { Request, RequestHandler } from 'express';

/** Spans of what is no operation: hosted pages, sign-in, uploads and files. Paths contain secrets, routes do not. */
export function tracePages({ tracing }: Pick<Service, 'tracing'>): readonly RequestHandler[] {
  if (tracing === null) return [];
  return [
    (request, response, next) =>
      void tracing.run(
        {
          name: `${request.method} page`,
          kind: 'server',
          parent: { traceparent: request.get('traceparent'), tracestate: request.get('tracestate') },
          attributes: {
            'switchboard.request_id': String(response.locals['requestId']),
            'http.request.method': request.method,
          },
        },
        () =>
          new Promise<void>((resolve) => {
            response.once('close', resolve);
            next();
          }),
        () => ({
          attributes: { 'http.route': routeOf(request), 'http.response.status_code': response.statusCode },
          error: response.statusCode >= 500 ? String(response.statusCode) : undefined,
        }),
      ),
  ];
}

function routeOf({ route }: Request): string | undefined {
  const path = (route as { readonly path?: unknown } | undefined)?.path;
  return typeof path === 'string' ? path : undefined;
}
