import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import {
  KEY_IN_PATH,
  refuse,
  type PlatformAnswer,
  type PlatformBody,
  type PlatformRequest,
  type Refused,
  type RemoteAccount,
  type RequestFailureCode,
  type Result,
  type Session,
} from '@switchboard/domain';
import { bearerPlace, type KeyPlace } from './key-place.js';

export interface TestSessionOptions {
  readonly baseUrl: string;
  readonly account: RemoteAccount;
  readonly token: string;
  /** Where the token is sent, in place of a bearer's header. */
  readonly key?: KeyPlace | undefined;
  /** Left out: what most call the first. */
  readonly way?: string | undefined;
  readonly permissions?: readonly string[] | undefined;
  readonly subject?: string | undefined;
  readonly apiVersion?: string | null;
  /** Origins of the platform's own that are all at `baseUrl` here. */
  readonly otherOrigins?: readonly (string | undefined)[];
  readonly signal?: AbortSignal;
  readonly deadlineSeconds?: number;
  /** Told of every address before it is dialled. */
  readonly onRequest?: (request: { readonly method: string; readonly url: URL }) => void;
}

const BYTES_MAX = 1024 * 1024;

/**
 * A `Session` on a token that never renews: what the port promises and nothing else, for tests. It is sent as a bearer token, or in
 * its place in the path.
 */
export function testSession(options: TestSessionOptions): Session {
  const signal = options.signal ?? new AbortController().signal;
  return {
    account: options.account,
    way: options.way ?? 'oauth',
    baseUrl: options.baseUrl,
    apiVersion: options.apiVersion ?? null,
    grantedPermissions: options.permissions ?? [],
    subject: options.subject ?? null,
    signal,
    async request(request) {
      const url = addressOf(options, request);
      options.onRequest?.({ method: request.method, url });
      const outcome = await send(url, request, options, signal);
      if (outcome === 'not_sent') return refuse('platform.unavailable', 'The platform cannot be reached.');
      if (outcome === 'unanswered') return unanswered(request.effect);
      return judge(outcome, request);
    },
  };
}

function addressOf(
  { baseUrl, otherOrigins }: TestSessionOptions,
  { path, query = {} }: PlatformRequest,
): URL {
  const other = otherOrigins?.find((origin) => origin !== undefined && path.startsWith(`${origin}/`)) ?? '';
  const url = new URL(path.startsWith('/') || other !== '' ? baseUrl + path.slice(other.length) : path);
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? (value as string[]) : [value]) {
      if (one !== undefined) url.searchParams.append(name, String(one));
    }
  }
  return url;
}

type Outcome = PlatformAnswer | 'not_sent' | 'unanswered';

function send(
  url: URL,
  request: PlatformRequest,
  options: TestSessionOptions,
  signal: AbortSignal,
): Promise<Outcome> {
  if (signal.aborted) return Promise.resolve('not_sent');
  const body = bodyOf(request);
  const isInPath = url.pathname.includes(KEY_IN_PATH);
  const path = url.pathname.replace(KEY_IN_PATH, options.token) + url.search;
  return new Promise((resolve) => {
    let sent = false;
    const lost = () => resolve(sent ? 'unanswered' : 'not_sent');
    const outgoing = httpRequest(url, {
      method: request.method,
      path,
      agent: false,
      signal: AbortSignal.any([
        signal,
        AbortSignal.timeout(1000 * (options.deadlineSeconds ?? request.deadlineSeconds ?? 20)),
      ]),
      headers: {
        ...(!request.bare && !isInPath && credentialOf(request, options)),
        accept: 'application/json',
        ...(body && { 'content-type': body.type, 'content-length': body.length }),
        ...request.headers,
      },
    });
    outgoing.on('socket', (socket) => socket.on('connect', () => (sent = true)));
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
          ? resolve(answerOf(incoming.statusCode ?? 0, incoming.headers, Buffer.concat(chunks)))
          : lost(),
      );
    });
    if (!body) outgoing.end();
    else Readable.from(body.stream(), { objectMode: false }).on('error', lost).pipe(outgoing);
  });
}

function credentialOf(
  { tokenScheme }: PlatformRequest,
  { key, token }: TestSessionOptions,
): Readonly<Record<string, string>> {
  if (!key && tokenScheme) return { authorization: `${tokenScheme} ${token}` };
  const place = key ?? bearerPlace;
  return 'header' in place ? { [place.header]: place.value(token) } : {};
}

function bodyOf({
  json,
  form,
  body,
}: PlatformRequest): Exclude<PlatformBody, { bytes: Uint8Array }> | undefined {
  const whole = (bytes: Uint8Array, type: string) => ({
    type,
    length: bytes.length,
    stream: () =>
      (async function* () {
        yield bytes;
      })(),
  });
  const text = (written: string) => new TextEncoder().encode(written);
  if (json !== undefined) return whole(text(JSON.stringify(json)), 'application/json');
  if (form) return whole(text(new URLSearchParams(form).toString()), 'application/x-www-form-urlencoded');
  return body && 'bytes' in body ? whole(body.bytes, body.type) : body;
}

function answerOf(status: number, headers: IncomingHttpHeaders, body: Uint8Array): PlatformAnswer {
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

function judge(
  answer: PlatformAnswer,
  { effect, refusesCredential, everyAnswer = false }: PlatformRequest,
): Result<PlatformAnswer, RequestFailureCode> {
  if ((answer.status === 401 && !everyAnswer) || refusesCredential?.(answer))
    return refuse('connection.needs_reauth', 'The grant is not accepted any more.');
  if (answer.status === 429) {
    const retryAfterSeconds = Number(answer.headers['retry-after'] ?? 1);
    return refuse('platform.rate_limited', 'The platform asks to slow down.', { retryAfterSeconds });
  }
  return answer.status >= 500 && !everyAnswer ? unanswered(effect) : { ok: true, value: answer };
}

const unanswered = (effect: PlatformRequest['effect']): Refused<RequestFailureCode> =>
  effect === 'write'
    ? refuse('platform.outcome_unknown', 'There was no answer, so it may have happened.')
    : refuse('platform.unavailable', 'The platform did not answer.');
