import type { Allowance, Limits, QuotaState, AddressThrottle } from '../../src/index.js';

const plenty: QuotaState = { name: 'key', quota: 600, windowSeconds: 60, remaining: 599, resetSeconds: 60 };

/** Grants every request, until it is told otherwise. */
export function memoryLimits(): Limits & { answer(over: Partial<Allowance>): void } {
  let allowance: Allowance = { exhausted: null, quotas: [plenty], isShared: true };
  return {
    take: async () => allowance,
    answer: (over) => void (allowance = { ...allowance, ...over }),
  };
}

/** Limits nothing. */
export const unlimitedAddresses: AddressThrottle = {
  recordFailure: async () => null,
  recordVisit: async () => null,
};
