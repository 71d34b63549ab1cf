import {
  canWait,
  rateLimitHeaders,
  type OperationResponse,
  type Envelope,
  type Operation,
} from '@switchboard/operations';
import type { Service } from '@switchboard/bootstrap';
import { failure, refuseWith } from '@switchboard/domain';
import type { Request, RequestHandler, Response } from 'express';
import { receiveMedia } from './media/receive-media.js';
import { readBody } from './read-body.js';
import { queryOf } from './query-of.js';
import { readInput } from './read-input.js';

/**
 * Turns an operation into an Express handler: it collects the HTTP parts of the call, dispatches it, and
 * writes the response.
 */
export const bindOperation =
  (service: Service, operation: Operation): RequestHandler =>
  async (request, response) => {
    const disconnect = new AbortController();
    response.once('close', () => {
      if (!response.writableFinished) disconnect.abort();
    });
    const waitSeconds = preferredWait(request);
    const type = negotiateType(operation, request);
    const reception =
      operation.body === 'stream' ? receiveMedia(service, operation, request, response) : null;
    const envelope: Envelope = {
      surface: 'rest',
      requestId: response.locals['requestId'] as string,
      authorization: authorizationOf(request),
      address: request.ip,
      readInput: async (key) => {
        if (type === null) return refuseWith(notAcceptable(operation));
        return reception
          ? reception.readInput(key)
          : readInput(operation, request, () => readBody(request, response));
      },
      idempotencyKey: header(request, 'idempotency-key'),
      ifMatch: header(request, 'if-match'),
      waitSeconds,
      traceContext: {
        traceparent: header(request, 'traceparent'),
        tracestate: header(request, 'tracestate'),
      },
      signal: disconnect.signal,
    };
    const operationResponse = await service.dispatch(operation, envelope);
    await reception?.settle(operationResponse);
    if (response.closed) return;
    if (
      waitSeconds !== undefined &&
      canWait(operation) &&
      operationResponse.status < 400 &&
      operationResponse.waited !== false
    ) {
      response.set('Preference-Applied', `wait=${waitSeconds}`);
    }
    if (operation.csv || operation.svg) response.vary('Accept');
    const write = operationResponse.status === 200 && type !== null ? writers[type](operation) : null;
    if (type === SVG && operationResponse.status === 200) allowDrawing(response);
    writeResponse(
      request,
      response,
      write ? { ...operationResponse, body: () => write(operationResponse.value) } : operationResponse,
      write && type !== null ? contentTypes[type] : undefined,
    );
  };

const SVG = 'image/svg+xml';
const contentTypes = {
  'application/json': undefined,
  'text/csv': 'text/csv; charset=utf-8; header=present',
  [SVG]: `${SVG}; charset=utf-8`,
} as const;
type ContentType = keyof typeof contentTypes;
const writers: Readonly<Record<ContentType, (operation: Operation) => Operation['csv']>> = {
  'application/json': () => null,
  'text/csv': ({ csv }) => csv,
  [SVG]: ({ svg }) => svg,
};

/** A document of its own may neither load nor run anything; its copy is valid until the data changes. */
function allowDrawing(response: Response): void {
  response.set('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox");
  response.set('Cache-Control', 'private, no-cache');
  response.vary('Authorization');
}

const typesOf = ({ csv, svg }: Operation): readonly ContentType[] => {
  if (svg) return [SVG];
  return csv ? ['application/json', 'text/csv'] : ['application/json'];
};

const notAcceptable = (operation: Operation) =>
  failure('request.not_acceptable', `This response is available as ${typesOf(operation).join(' and ')}.`);

/** The preferred content type of the response (RFC 9110, section 12.5.1); null where none is accepted. */
function negotiateType(operation: Operation, request: Request): ContentType | null {
  const types = typesOf(operation);
  if (!operation.csv && !operation.svg) return 'application/json';
  const accepted = request.accepts([...types]);
  return types.find((type) => type === accepted) ?? null;
}

/** Two `Authorization` headers count as none: it is unknown which one a proxy checked. */
function authorizationOf(request: Request): string | undefined {
  let count = 0;
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    if (request.rawHeaders[index]?.toLowerCase() === 'authorization') count += 1;
  }
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

function writeResponse(
  request: Request,
  response: Response,
  { status, body, value, failure: problem, replayed, etag, allowance }: OperationResponse,
  contentType?: string,
): void {
  if (allowance) response.set(rateLimitHeaders(allowance));
  if (replayed) response.setHeader('Idempotency-Replayed', 'true');
  if (etag !== null) response.setHeader('ETag', etag);
  if (status === 401) response.setHeader('WWW-Authenticate', 'Bearer');
  if (problem?.retryAfterSeconds !== undefined)
    response.setHeader('Retry-After', String(Math.ceil(problem.retryAfterSeconds)));
  if (typeof value['next_cursor'] === 'string')
    response.setHeader('Link', nextLink(request, value['next_cursor']));
  response.statusCode = isKnownToClient(request, status, etag) ? 304 : status;
  if (response.statusCode === 204 || response.statusCode === 304) return void response.end();
  const type = status >= 400 ? 'application/problem+json' : 'application/json';
  // As one string, headers and body are sent in one write.
  response.setHeader('Content-Type', contentType ?? `${type}; charset=utf-8`);
  const text = body();
  const bytes = Buffer.byteLength(text);
  response.setHeader('Content-Length', bytes);
  // ASCII, as most bodies, is copied; UTF-8 would be measured once more and converted.
  response.end(text, bytes === text.length ? 'latin1' : 'utf8');
}

/**
 * `If-None-Match` (RFC 9110, section 13.1.2). Express compares it only without `Cache-Control: no-cache`, which
 * `fetch` adds to every conditional request.
 */
function isKnownToClient({ method, headers }: Request, status: number, etag: string | null): boolean {
  if (etag === null || status !== 200 || (method !== 'GET' && method !== 'HEAD')) return false;
  const known = headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
  return known.includes('*') || known.includes(etag.replace(/^W\//, ''));
}

function nextLink({ originalUrl }: Request, cursor: string): string {
  const query = queryOf(originalUrl);
  query.set('cursor', cursor);
  return `<${originalUrl.split('?', 1).join()}?${query.toString()}>; rel="next"`;
}
