import cors from 'cors';
import type { RequestHandler } from 'express';

const PREFLIGHT_AGE_SECONDS = 600;

/**
 * Lets MCP clients in pages of these origins send requests and read the responses (CORS), without cookies. Which
 * requests are refused is decided elsewhere, see `guardOrigin`.
 */
export function allowOrigins(origins: readonly string[]): RequestHandler {
  const allow = cors({
    origin: true,
    methods: ['GET', 'POST'],
    // The challenge begins a sign-in (RFC 9728).
    exposedHeaders: ['Retry-After', 'WWW-Authenticate', 'X-Request-Id'],
    maxAge: PREFLIGHT_AGE_SECONDS,
  });
  return (request, response, next) => {
    if (origins.length === 0) return next();
    response.vary('Origin');
    if (!origins.includes(request.headers.origin ?? '')) return next();
    allow(request, response, next);
  };
}
