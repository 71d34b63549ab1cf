import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { KEY_IN_PATH, refuse, type Refusal, type Result } from '@switchboard/domain';
import type { RemoteAccount } from '@switchboard/domain/connections';
import type {
  PlatformResponse,
  PlatformBody,
  PlatformRequest,
  RequestFailureCode,
  Session,
} from '@switchboard/domain/ports';
import { bearerLocation, type KeyLocation } from './key-location.js';

export interface TestSessionOptions {
  readonly baseUrl: string;
  readonly account: RemoteAccount;
  readonly token: string;
  /** The location of the token, instead of the bearer header. */
  readonly key?: KeyLocation | undefined;
  /** Default: the ID that most platforms use for the first. */
  readonly connectMethod?: string | undefined;
  readonly permissions?: readonly string[] | undefined;
  readonly subject?: string | undefined;
  readonly apiVersion?: string | null;
  /** The platform's origins that all map to `baseUrl`. */
  readonly otherOrigins?: readonly (string | undefined)[];
  readonly signal?: AbortSignal;
  readonly deadlineSeconds?: number;
  /** Called with every address before it is contacted. */
  readonly onRequest?: (request: { readonly method: string; readonly url: URL }) => void;
}

const BYTES_MAX = 1024 * 1024;
/** As in production connections are used again: opening one takes longer than a request. */
const agent = new Agent({ keepAlive: true });

/**
 * A `Session` for tests, on a token that is never refreshed: the behavior of the port and nothing else. Sends
 * a bearer token, or the token in its location in the path.
 */
export function testSession(options: TestSessionOptions): Session {
  const signal = options.signal ?? new AbortController().signal;
  return {
    account: options.account,
    connectMethod: options.connectMethod ?? 'oauth',
    baseUrl: options.baseUrl,
    apiVersion: options.apiVersion ?? null,
    grantedPermissions: options.permissions ?? [],
    subject: options.subject ?? null,
    signal,
    async request(request) {
      const url = resolveUrl(options, request);
      options.onRequest?.({ method: request.method, url });
      const outcome = await send(url, request, options, signal);
      if (outcome === 'not_sent') return refuse('platform.unavailable', 'The platform cannot be reached.');
      if (outcome === 'unanswered') return noResponse(request.effect);
      return toResult(outcome, request);
    },
  };
}

function resolveUrl(
  { baseUrl, otherOrigins, key, token }: TestSessionOptions,
  { path, query = {}, omitsCredential }: PlatformRequest,
): URL {
  const other = otherOrigins?.find((origin) => origin !== undefined && path.startsWith(`${origin}/`)) ?? '';
  const url = new URL(path.startsWith('/') || other !== '' ? baseUrl + path.slice(other.length) : path);
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? (value as string[]) : [value]) {
      if (one !== undefined) url.searchParams.append(name, String(one));
    }
  }
  if (key && 'query' in key && !omitsCredential) url.searchParams.set(key.query, token);
  return url;
}

type SendOutcome = PlatformResponse | 'not_sent' | 'unanswered';

function send(
  url: URL,
  request: PlatformRequest,
  options: TestSessionOptions,
  signal: AbortSignal,
): Promise<SendOutcome> {
  if (signal.aborted) return Promise.resolve('not_sent');
  const body = bodyOf(request);
  const isInPath = url.pathname.includes(KEY_IN_PATH);
  const path = url.pathname.replace(KEY_IN_PATH, options.token) + url.search;
  return new Promise((resolve) => {
    let sent = false;
    const end = (outcome: SendOutcome) => {
      clearTimeout(deadline);
      resolve(outcome);
    };
    const lost = () => end(sent ? 'unanswered' : 'not_sent');
    const outgoing = httpRequest(url, {
      method: request.method,
      path,
      agent,
      signal,
      headers: {
        ...(!request.omitsCredential && !isInPath && credentialOf(request, options)),
        accept: 'application/json',
        ...(body && {
          'content-type': body.type,
          'content-length': 'bytes' in body ? body.bytes.length : body.length,
        }),
        ...request.headers,
      },
    });
    const deadlineSeconds = options.deadlineSeconds ?? request.deadlineSeconds ?? 20;
    const deadline = setTimeout(() => outgoing.destroy(), 1000 * deadlineSeconds);
    outgoing.on('socket', (socket) => {
      if (socket.connecting) socket.once('connect', () => (sent = true));
      else sent = true;
    });
    outgoing.on('error', lost);
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      incoming.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > (request.maxBytes ?? BYTES_MAX)) incoming.destroy();
      });
      incoming.on('error', lost);
      incoming.on('close', () =>
        incoming.complete
          ? end(toPlatformResponse(incoming.statusCode ?? 0, incoming.headers, Buffer.concat(chunks)))
          : lost(),
      );
    });
    if (!body) outgoing.end();
    else if ('bytes' in body) outgoing.end(body.bytes);
    else Readable.from(body.stream(), { objectMode: false }).on('error', lost).pipe(outgoing);
  });
}

function credentialOf(
  { tokenScheme }: PlatformRequest,
  { key, token }: TestSessionOptions,
): Readonly<Record<string, string>> {
  if (!key && tokenScheme) return { authorization: `${tokenScheme} ${token}` };
  const place = key ?? bearerLocation;
  return 'header' in place ? { [place.header]: place.value(token) } : {};
}

function bodyOf({ json, form, body }: PlatformRequest): PlatformBody | undefined {
  const encode = (text: string) => new TextEncoder().encode(text);
  if (json !== undefined) return { bytes: encode(JSON.stringify(json)), type: 'application/json' };
  if (form) {
    const type = 'application/x-www-form-urlencoded';
    return { bytes: encode(new URLSearchParams(form).toString()), type };
  }
  return body;
}

function toPlatformResponse(
  status: number,
  headers: IncomingHttpHeaders,
  body: Uint8Array,
): PlatformResponse {
  const flat = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  return {
    status,
    ok: status >= 200 && status < 300,
    headers: Object.fromEntries(flat) as Record<string, string>,
    body,
    json: parse(new TextDecoder().decode(body)),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toResult(
  response: PlatformResponse,
  { effect, isCredentialRejected, acceptsErrorStatuses = false }: PlatformRequest,
): Result<PlatformResponse, RequestFailureCode> {
  if ((response.status === 401 && !acceptsErrorStatuses) || isCredentialRejected?.(response))
    return refuse('connection.needs_reauth', 'The grant is no longer accepted.');
  if (response.status === 429) {
    const retryAfterSeconds = Number(response.headers['retry-after'] ?? 1);
    return refuse('platform.rate_limited', 'The platform is rate limiting the account.', {
      retryAfterSeconds,
    });
  }
  return response.status >= 500 && !acceptsErrorStatuses ? noResponse(effect) : { ok: true, value: response };
}

const noResponse = (effect: PlatformRequest['effect']): Refusal<RequestFailureCode> =>
  effect === 'write'
    ? refuse('platform.outcome_unknown', 'There was no response. The outcome is unknown.')
    : refuse('platform.unavailable', 'The platform did not respond.');
