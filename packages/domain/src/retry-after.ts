const DAY_SECONDS = 86_400;
const UNSAID_SECONDS = 60;

/** What a 429 says of how long to wait: `Retry-After`, or the milliseconds that are left of the window, as BigCommerce has it. */
export function retryAfterOf(headers: Readonly<Record<string, string | undefined>>): string | undefined {
  const leftMs = headers['x-rate-limit-time-reset-ms'] ?? '';
  const left = /^\d{1,9}$/.test(leftMs) ? String(Math.ceil(Number(leftMs) / 1_000)) : undefined;
  return headers['retry-after'] ?? left;
}

/** `Retry-After` as seconds from now, between one second and a day; a minute where the platform does not say. */
export function retryAfterSeconds(header: string | undefined, now: Date): number {
  const text = header?.trim() ?? '';
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : (Date.parse(text) - now.getTime()) / 1_000;
  return Number.isNaN(seconds) ? UNSAID_SECONDS : Math.ceil(Math.min(Math.max(seconds, 1), DAY_SECONDS));
}
