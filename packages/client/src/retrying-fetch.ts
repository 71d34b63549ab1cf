import type { Problem } from './generated/api.js';

/** A function with the signature of the global `fetch`, called with a `Request`. */
export type Fetch = (request: Request) => Promise<Response>;

export interface RetryOptions {
  /** Repetitions after the first attempt; 2 by default, 0 disables them. */
  readonly retries?: number;
  /** The longest wait before a repetition; a response that demands more is returned. Default: 60. */
  readonly maxRetryDelaySeconds?: number;
}

/** The methods that RFC 9110 defines as idempotent: repeating them has the effect of one call. */
const IDEMPOTENT_METHODS = ['GET', 'HEAD', 'PUT', 'DELETE'];
/** The responses of proxies and load balancers in front of the service, which have no problem details. */
const GATEWAY_STATUSES = [502, 503, 504];
const FIRST_BACKOFF_SECONDS = 0.5;

/**
 * Repeats requests where that is safe. Every POST gets an idempotency key, unless it has one, so that its
 * repetitions execute it once.
 */
export function retryingFetch(
  send: Fetch,
  { retries = 2, maxRetryDelaySeconds = 60 }: RetryOptions = {},
): Fetch {
  return async (request) => {
    if (request.method === 'POST' && !request.headers.has('Idempotency-Key'))
      request.headers.set('Idempotency-Key', newIdempotencyKey());
    for (let attempt = 1; ; attempt += 1) {
      const isLast = attempt > retries;
      try {
        const response = await send(isLast ? request : request.clone());
        if (isLast || !(await mayRepeat(request, response))) return response;
        const delay = retryAfterSeconds(response) ?? backoffSeconds(attempt);
        if (delay > maxRetryDelaySeconds) return response;
        await response.body?.cancel();
        await sleep(delay, request.signal);
      } catch (error) {
        // No response: the request may have been executed.
        if (isLast || request.signal.aborted || !isRepeatable(request)) throw error;
        await sleep(backoffSeconds(attempt), request.signal);
      }
    }
  };
}

const isRepeatable = ({ method, headers }: Request): boolean =>
  IDEMPOTENT_METHODS.includes(method) || headers.has('Idempotency-Key');

/** Problem details state whether a repetition can succeed, and whether the first attempt changed anything. */
async function mayRepeat(request: Request, response: Response): Promise<boolean> {
  if (response.ok || response.status < 400) return false;
  if (!response.headers.get('Content-Type')?.startsWith('application/problem+json'))
    return GATEWAY_STATUSES.includes(response.status) && isRepeatable(request);
  const { retryable, effect } = (await response.clone().json()) as Problem;
  return retryable && (effect === 'none' || isRepeatable(request));
}

/** `Retry-After` in seconds, or as a date (RFC 9110, section 10.2.3). */
function retryAfterSeconds({ headers }: Response): number | null {
  const value = headers.get('Retry-After');
  if (value === null) return null;
  if (/^\d+$/.test(value)) return Number(value);
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, (at - Date.now()) / 1000);
}

/** Exponential, with full jitter: clients that failed together do not return together. */
const backoffSeconds = (attempt: number) =>
  FIRST_BACKOFF_SECONDS * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);

/** `crypto.randomUUID` is absent from browser pages that were loaded without TLS. */
const newIdempotencyKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

function sleep(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, seconds * 1000);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}
