const DAY_SECONDS = 86_400;
const UNSAID_SECONDS = 60;

/** `Retry-After` as seconds from now, between one second and a day; a minute where the platform does not say. */
export function retryAfterSeconds(header: string | undefined, now: Date): number {
  const text = header?.trim() ?? '';
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : (Date.parse(text) - now.getTime()) / 1_000;
  return Number.isNaN(seconds) ? UNSAID_SECONDS : Math.ceil(Math.min(Math.max(seconds, 1), DAY_SECONDS));
}
