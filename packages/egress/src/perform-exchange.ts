import { Readable } from 'node:stream';
import { KEY_IN_PATH } from '@switchboard/domain';
import type { OutboundOutcome, OutboundRequest, OutboundResponse } from '@switchboard/domain/ports';
import { errors, type Dispatcher } from 'undici';
import { decodeBody } from './decode-body.js';
import { redactCredentials } from './redact-credentials.js';
import { AddressRefusedError, NameResolutionError } from './guarded-lookup.js';

interface HttpExchange {
  readonly method: OutboundRequest['method'];
  readonly url: URL;
  readonly keyInPath: OutboundRequest['keyInPath'];
  readonly keyInQuery: OutboundRequest['keyInQuery'];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: OutboundRequest['body'];
  readonly deadlineMs: number;
  readonly headersMs: number;
  readonly maxBytes: number;
  /** A longer body is cut at `maxBytes` instead of failing, and is not decoded. */
  readonly readsHeadOnly?: boolean;
  readonly closesConnection: boolean;
  readonly signal: AbortSignal | undefined;
  readonly maySend: (() => boolean) | undefined;
}

type FailedOutcome = Exclude<OutboundOutcome, { kind: 'answered' }>;
type UnknownReason = Extract<FailedOutcome, { kind: 'unknown' }>['reason'];
type ReceivedResponse = { readonly status: number; readonly headers: HeaderMap; readonly body: Buffer };
type HeaderMap = Readonly<Record<string, string>>;

/**
 * Sends one request once and reads its response. undici calls `onRequestStart` immediately before it writes
 * the first byte: a failure before that means "not sent", a failure after it means "outcome unknown".
 */
export async function performExchange(
  dispatcher: Dispatcher,
  exchange: HttpExchange,
): Promise<OutboundOutcome> {
  const received = await receiveResponse(dispatcher, exchange);
  if ('kind' in received) return received;
  const { status, headers } = received;
  if (exchange.readsHeadOnly) return { kind: 'answered', status, headers, body: received.body };
  const body = await decodeBody(received.body, headers['content-encoding'], exchange.maxBytes);
  if (typeof body === 'string') return { kind: 'unknown', reason: body };
  const answer = withRetryAfterHeader({ kind: 'answered', status, headers, body });
  return status < 400
    ? answer
    : redactCredentials(answer, exchange.headers, (exchange.keyInPath ?? exchange.keyInQuery?.key)?.reveal());
}

function receiveResponse(
  dispatcher: Dispatcher,
  { url, signal, maxBytes, maySend, ...exchange }: HttpExchange,
): Promise<ReceivedResponse | FailedOutcome> {
  if (signal?.aborted) return Promise.resolve({ kind: 'not_sent', reason: 'aborted' });
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | null = null;
    let status: number | null = null;
    let headers: HeaderMap = {};
    let isSettled = false;
    const chunks: Buffer[] = [];
    let size = 0;

    const finish = () => {
      isSettled = true;
      clearTimeout(deadline);
      signal?.removeEventListener('abort', abort);
    };
    const settle = (outcome: ReceivedResponse | FailedOutcome) => {
      finish();
      resolve(outcome);
    };
    const stop = (outcome: FailedOutcome) => {
      if (isSettled) return;
      settle(outcome);
      controller?.abort(new Error('given up'));
    };
    const abort = () => stop({ kind: controller ? 'unknown' : 'not_sent', reason: 'aborted' });
    const deadline = setTimeout(
      () =>
        stop(controller ? { kind: 'unknown', reason: 'timeout' } : { kind: 'not_sent', reason: 'connect' }),
      exchange.deadlineMs,
    );
    signal?.addEventListener('abort', abort, { once: true });

    dispatcher.dispatch(
      {
        origin: url.origin,
        path: buildPath(exchange, url.pathname) + buildQuery(exchange, url.search),
        method: exchange.method,
        ...frameBody(exchange),
        headersTimeout: exchange.headersMs,
        reset: exchange.closesConnection,
      },
      {
        onRequestStart: (started) => {
          controller = started;
          if (isSettled) started.abort(new Error('given up'));
          else if (maySend?.() === false) stop({ kind: 'not_sent', reason: 'aborted' });
        },
        onResponseStart: (_controller, code, fields) => {
          if (code < 200) return;
          status = code;
          headers = flattenHeaders(fields);
          if (!exchange.readsHeadOnly && Number(headers['content-length']) > maxBytes)
            stop({ kind: 'unknown', reason: 'too_large' });
        },
        onResponseData: (_controller, chunk) => {
          size += chunk.length;
          if (size > maxBytes && !exchange.readsHeadOnly)
            return stop({ kind: 'unknown', reason: 'too_large' });
          chunks.push(chunk);
          if (size <= maxBytes || isSettled) return;
          settle({ status: status ?? 0, headers, body: Buffer.concat(chunks).subarray(0, maxBytes) });
          controller?.abort(new Error('the rest is not read'));
        },
        onResponseEnd: () => {
          if (!isSettled) settle({ status: status ?? 0, headers, body: Buffer.concat(chunks) });
        },
        onResponseError: (_controller, error) => {
          if (isSettled) return;
          // An invalid header is a bug in our own code.
          if (error instanceof errors.InvalidArgumentError) {
            finish();
            return reject(error);
          }
          settle(
            controller
              ? { kind: 'unknown', reason: getReasonAfterSending(error, status !== null) }
              : { kind: 'not_sent', reason: getReasonBeforeSending(error) },
          );
        },
      },
    );
  });
}

/** Leaves valid path characters unescaped: some servers do not decode an escaped colon. */
const buildPath = ({ keyInPath }: Pick<HttpExchange, 'keyInPath'>, path: string): string =>
  keyInPath === undefined
    ? path
    : path.replace(KEY_IN_PATH, () => encodeURIComponent(keyInPath.reveal()).replaceAll('%3A', ':'));

function buildQuery({ keyInQuery }: Pick<HttpExchange, 'keyInQuery'>, search: string): string {
  if (keyInQuery === undefined) return search;
  const own = `${encodeURIComponent(keyInQuery.name)}=${encodeURIComponent(keyInQuery.key.reveal())}`;
  return search === '' ? `?${own}` : `${search}&${own}`;
}

/** A stream is sent with its declared length: undici rejects a longer or shorter one. */
function frameBody({ headers, body }: Pick<HttpExchange, 'headers' | 'body'>) {
  if (body === undefined) return { headers, body: null };
  if (typeof body === 'string' || body instanceof Uint8Array) return { headers, body };
  return {
    headers: { ...headers, 'content-length': String(body.length) },
    body: Readable.from(body.stream(), { objectMode: false }),
  };
}

function getReasonBeforeSending(error: Error): Extract<FailedOutcome, { kind: 'not_sent' }>['reason'] {
  if (error instanceof AddressRefusedError) return 'address_refused';
  if (error instanceof NameResolutionError) return 'dns';
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return /CERT|TLS|SSL|UNABLE_TO|SELF_SIGNED|EPROTO/.test(code) ? 'tls' : 'connect';
}

const protocolErrors = [
  errors.HTTPParserError,
  errors.HeadersOverflowError,
  errors.ResponseContentLengthMismatchError,
];

function getReasonAfterSending(error: Error, answerBegan: boolean): UnknownReason {
  if (error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError)
    return 'timeout';
  if (protocolErrors.some((kind) => error instanceof kind)) return 'protocol';
  return answerBegan ? 'truncated' : 'reset';
}

/** `set-cookie` is the only header that cannot be joined, and this client keeps no cookies. */
const flattenHeaders = (headers: Readonly<Record<string, string | string[] | undefined>>): HeaderMap =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || name.toLowerCase() === 'set-cookie'
        ? []
        : [[name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value]],
    ),
  );

/**
 * Adds the `Retry-After` header to a 429 that states the delay only in its body, as Telegram does
 * (`parameters.retry_after`, seconds: https://core.telegram.org/bots/api#responseparameters).
 */
function withRetryAfterHeader(answer: OutboundResponse): OutboundResponse {
  if (answer.status !== 429 || answer.headers['retry-after'] !== undefined) return answer;
  const seconds = readRetryAfter(answer.body);
  return seconds === null
    ? answer
    : { ...answer, headers: { ...answer.headers, 'retry-after': String(Math.ceil(seconds)) } };
}

function readRetryAfter(body: Uint8Array): number | null {
  try {
    const parsed = JSON.parse(Buffer.from(body).toString()) as {
      parameters?: { retry_after?: unknown };
    } | null;
    const seconds = parsed?.parameters?.retry_after;
    return typeof seconds === 'number' && seconds > 0 && seconds < 1e9 ? seconds : null;
  } catch {
    return null;
  }
}
