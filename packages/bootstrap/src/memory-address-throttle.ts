import { clientNetwork } from '@switchboard/domain/access';
import type { AddressThrottle } from '@switchboard/domain/ports';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';

const WINDOW_SECONDS = 60;
/** A page loads its images and styles as well, and several visitors may share an address. */
const VISITS_PER_FAILURE = 10;

/**
 * The brute-force guard: counts failed authentications and page visits of each address in windows of a
 * minute.
 */
export function memoryAddressThrottle(failuresPerMinute: number): AddressThrottle {
  const failures = new RateLimiterMemory({
    keyPrefix: 'failures',
    points: failuresPerMinute,
    duration: WINDOW_SECONDS,
  });
  const visits = new RateLimiterMemory({
    keyPrefix: 'visits',
    points: failuresPerMinute * VISITS_PER_FAILURE,
    duration: WINDOW_SECONDS,
  });
  return {
    recordFailure: (address) => take(failures, address),
    recordVisit: (address) => take(visits, address),
  };
}

/** Whole seconds until the window ends when its points are used up; null otherwise. */
const take = (limiter: RateLimiterMemory, address: string | undefined): Promise<number | null> =>
  limiter.consume(clientNetwork(address)).then(
    () => null,
    ({ msBeforeNext }: RateLimiterRes) => Math.max(1, Math.ceil(msBeforeNext / 1000)),
  );
