const WINDOW_MS = 30_000;

/** A quota per window of thirty seconds, reported in every response. There is no `Retry-After`. */
export function rateLimit(quota: number, now: () => Date) {
  let windowMs = 0;
  let used = 0;
  return {
    take() {
      const nowMs = now().getTime();
      if (nowMs - windowMs >= WINDOW_MS) [windowMs, used] = [nowMs, 0];
      used++;
      const reported = Number.isFinite(quota) ? quota : 20_000_000;
      return {
        exceeded: used > quota,
        headers: {
          'x-rate-limit-requests-left': String(Math.max(0, reported - used)),
          'x-rate-limit-requests-quota': String(reported),
          'x-rate-limit-time-reset-ms': String(windowMs + WINDOW_MS - nowMs),
          'x-rate-limit-time-window-ms': String(WINDOW_MS),
        },
      };
    },
  };
}
