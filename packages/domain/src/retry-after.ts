const DAY_SECONDS = 86_400;
const DEFAULT_SECONDS = 60;

/**
 * The requested delay of a 429: `Retry-After`; the rest of the window in milliseconds (BigCommerce) or in
 * seconds (Reddit); or the latest reset of the exhausted windows, in seconds since 1970 (X).
 */
export function retryAfterOf(headers: Readonly<Record<string, string | undefined>>): string | undefined {
  const leftMs = headers['x-rate-limit-time-reset-ms'] ?? '';
  const left = /^\d{1,9}$/.test(leftMs) ? String(Math.ceil(Number(leftMs) / 1_000)) : undefined;
  // Other platforms send a timestamp in this header: it is longer, or not a number.
  const seconds = /^\d{1,6}$/.exec(headers['x-ratelimit-reset'] ?? '')?.[0];
  return headers['retry-after'] ?? left ?? seconds ?? findWindowEnd(headers);
}

const WINDOWS = ['x-rate-limit', 'x-user-limit-24hour', 'x-app-limit-24hour'];

function findWindowEnd(headers: Readonly<Record<string, string | undefined>>): string | undefined {
  const ends = WINDOWS.flatMap((window) => {
    const end = headers[`${window}-reset`] ?? '';
    return headers[`${window}-remaining`] === '0' && /^\d{10}$/.test(end) ? [Number(end)] : [];
  });
  return ends.length === 0 ? undefined : new Date(Math.max(...ends) * 1_000).toUTCString();
}

/**
 * `Retry-After` as seconds from now, between one second and a day; a minute where the platform does not send
 * it.
 */
export function retryAfterSeconds(header: string | undefined, now: Date): number {
  const text = header?.trim() ?? '';
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : (Date.parse(text) - now.getTime()) / 1_000;
  return Number.isNaN(seconds) ? DEFAULT_SECONDS : Math.ceil(Math.min(Math.max(seconds, 1), DAY_SECONDS));
}
