import { canWait, type Answer, type Envelope, type Operation } from '@switchboard/operations';
import type { Service } from '@switchboard/bootstrap';
import type { Request, RequestHandler, Response } from 'express';
import { readInput } from './read-input.js';

/** Turns an operation into an Express handler: it gathers what HTTP carries, asks dispatch, and writes the answer down. */
export const bind =
  (service: Service, operation: Operation): RequestHandler =>
  async (request, response) => {
    const gone = new AbortController();
    response.once('close', () => {
      if (!response.writableFinished) gone.abort();
    });
    const waitSeconds = preferredWait(request);
    const envelope: Envelope = {
      surface: 'rest',
      requestId: response.locals['requestId'] as string,
      authorization: authorizationOf(request),
      readInput: () => readInput(operation, request, response),
      idempotencyKey: header(request, 'idempotency-key'),
      ifMatch: header(request, 'if-match'),
      waitSeconds,
      signal: gone.signal,
    };
    const answer = await service.dispatch(operation, envelope);
    if (response.closed) return;
    if (waitSeconds !== undefined && canWait(operation) && answer.status < 400) {
      response.set('Preference-Applied', `wait=${waitSeconds}`);
    }
    write(request, response, answer);
  };

/** Two `Authorization` headers are none: nobody knows which one a proxy checked. */
function authorizationOf(request: Request): string | undefined {
  const names = request.rawHeaders.filter((_, index) => index % 2 === 0);
  const count = names.filter((name) => name.toLowerCase() === 'authorization').length;
  return count === 1 ? request.headers.authorization : undefined;
}

function header(request: Request, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** `Prefer: wait=N` (RFC 7240), at most 30 seconds. */
function preferredWait(request: Request): number | undefined {
  const match = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,6})"?/i.exec(header(request, 'prefer') ?? '');
  return match ? Math.min(Number(match[1]), 30) : undefined;
}

function write(
  request: Request,
  response: Response,
  { status, body, value, failure: no, replayed, etag }: Answer,
): void {
  if (replayed) response.set('Idempotency-Replayed', 'true');
  if (etag !== null) response.set('ETag', etag);
  if (status === 401) response.set('WWW-Authenticate', 'Bearer');
  if (no?.retryAfterSeconds !== undefined)
    response.set('Retry-After', String(Math.ceil(no.retryAfterSeconds)));
  if (typeof value['next_cursor'] === 'string') response.set('Link', nextLink(request, value['next_cursor']));
  response.status(status);
  if (status === 204) response.end();
  else response.type(status >= 400 ? 'application/problem+json' : 'application/json').send(body);
}

function nextLink(request: Request, cursor: string): string {
  const url = new URL(request.originalUrl, 'http://localhost');
  url.searchParams.set('cursor', cursor);
  return `<${url.pathname}${url.search}>; rel="next"`;
}
