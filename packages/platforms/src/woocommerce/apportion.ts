import { sumExact } from '@switchboard/platform-kit/exact-amount';

/**
 * Shares of an amount by weight, which sum up to it exactly: rounding remainders go to the largest fractions.
 */
export function apportion(amountMinor: number, weights: readonly bigint[]): readonly number[] {
  const all = sumExact(weights);
  if (all <= 0n) return weights.map((_, at) => (at === 0 ? amountMinor : 0));
  const whole = weights.map((weight) => (BigInt(amountMinor) * weight) / all);
  const rests = weights.map((weight, at) => ({ at, rest: (BigInt(amountMinor) * weight) % all }));
  const missing = amountMinor - Number(sumExact(whole));
  const first = new Set(
    rests
      .sort((one, other) => (one.rest > other.rest ? -1 : one.rest < other.rest ? 1 : one.at - other.at))
      .slice(0, missing)
      .map(({ at }) => at),
  );
  return whole.map((share, at) => Number(share) + (first.has(at) ? 1 : 0));
}
