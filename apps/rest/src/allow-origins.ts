import cors from 'cors';
import type { RequestHandler } from 'express';

/** Besides the headers that a page may always read: each response header that the API document names. */
export const exposedHeaders = [
  ...['ETag', 'Idempotency-Replayed', 'Link', 'Preference-Applied', 'RateLimit', 'RateLimit-Policy'],
  ...['Allow', 'Content-Disposition', 'Retry-After', 'WWW-Authenticate', 'X-Request-Id'],
];
const PREFLIGHT_AGE_SECONDS = 600;

/**
 * Lets pages of these origins send requests and read the responses (CORS). They authenticate with an API key:
 * cookies are never allowed. Requests of other origins are served as before, without the headers that would let
 * a page read the response.
 */
export function allowOrigins(origins: readonly string[]): RequestHandler {
  const allow = cors({
    origin: true,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders,
    maxAge: PREFLIGHT_AGE_SECONDS,
  });
  return (request, response, next) => {
    response.vary('Origin');
    if (!origins.includes(request.headers.origin ?? '')) return next();
    allow(request, response, next);
  };
}
