import type { Allowance, Limits, Strangers } from '../../src/index.js';

/** Grants everything, until it is told otherwise. */
export function memoryLimits(): Limits & { answer(over: Partial<Allowance>): void } {
  let allowance: Allowance = {
    quota: 600,
    windowSeconds: 60,
    remaining: 599,
    resetSeconds: 60,
    verdict: 'granted',
    isShared: true,
  };
  return {
    take: async () => allowance,
    answer: (over) => void (allowance = { ...allowance, ...over }),
  };
}

/** Lets everybody come as often as they like. */
export const openDoor: Strangers = {
  mustWait: async () => null,
  turnedAway: async () => undefined,
  welcomed: () => undefined,
  visited: async () => null,
};
