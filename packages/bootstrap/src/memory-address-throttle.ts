import { clientNetwork } from '@switchboard/domain/access';
import type { AddressThrottle } from '@switchboard/domain/ports';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';

const WINDOW_SECONDS = 60;
/** A page loads its images and styles as well, and several visitors may share an address. */
const VISITS_PER_FAILURE = 10;
/** What creates a row: sign-ins of a minute, and registrations of an hour. */
const FAILURES_PER_SIGN_IN = 10;
const REGISTRATION_SECONDS = 3600;

/**
 * The brute-force guard: counts failed authentications, page visits and OAuth requests of each address in
 * windows of a minute, and registrations in windows of an hour.
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
  const stored = Math.max(1, Math.floor(failuresPerMinute / FAILURES_PER_SIGN_IN));
  const signIns = new RateLimiterMemory({ keyPrefix: 'sign-ins', points: stored, duration: WINDOW_SECONDS });
  const registrations = new RateLimiterMemory({
    keyPrefix: 'registrations',
    points: stored,
    duration: REGISTRATION_SECONDS,
  });
  return {
    recordFailure: (address) => take(failures, address),
    recordVisit: (address) => take(visits, address),
    recordSignIn: (address) => take(signIns, address),
    recordRegistration: (address) => take(registrations, address),
  };
}

/** Whole seconds until the window ends when its points are used up; null otherwise. */
const take = (limiter: RateLimiterMemory, address: string | undefined): Promise<number | null> =>
  limiter.consume(clientNetwork(address)).then(
    () => null,
    ({ msBeforeNext }: RateLimiterRes) => Math.max(1, Math.ceil(msBeforeNext / 1000)),
  );
