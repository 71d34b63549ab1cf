import type { RateLimitDecision, Limits, QuotaState, AddressThrottle } from '../../src/ports/index.js';

const fullQuota: QuotaState = {
  name: 'key',
  quota: 600,
  windowSeconds: 60,
  remaining: 599,
  resetSeconds: 60,
};

/** Accepts every request, unless configured otherwise. */
export function memoryLimits(): Limits & { answer(over: Partial<RateLimitDecision>): void } {
  let allowance: RateLimitDecision = { exhausted: null, quotas: [fullQuota], isShared: true };
  return {
    take: async () => allowance,
    answer: (over) => void (allowance = { ...allowance, ...over }),
  };
}

/** Limits nothing. */
export const unlimitedAddresses: AddressThrottle = {
  recordFailure: async () => null,
  recordVisit: async () => null,
  recordSignIn: async () => null,
  recordRegistration: async () => null,
};
