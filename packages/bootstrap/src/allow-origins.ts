import type { IncomingMessage, ServerResponse } from 'node:http';
import cors from 'cors';

interface SharedWithOrigins {
  readonly methods: readonly string[];
  /** The response headers that a page may read besides those that it may always read. */
  readonly exposedHeaders: readonly string[];
}

const PREFLIGHT_AGE_SECONDS = 600;

/**
 * Lets pages of these origins send requests and read the responses (CORS). They authenticate with a key or a token:
 * cookies are never allowed. Requests of other origins are served as before, without the headers that would let a
 * page read the response. Without origins it does nothing.
 */
export function allowOrigins(origins: readonly string[], { methods, exposedHeaders }: SharedWithOrigins) {
  const allow = cors({
    origin: true,
    methods: [...methods],
    exposedHeaders: [...exposedHeaders],
    maxAge: PREFLIGHT_AGE_SECONDS,
  });
  return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    if (origins.length === 0) return next();
    if (origins.includes(request.headers.origin ?? '')) return allow(request, response, next);
    response.appendHeader('Vary', 'Origin');
    next();
  };
}
