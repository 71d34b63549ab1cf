/**
 * Splits an amount by weights into whole parts that add up exactly; the largest remainders receive the
 * rounding difference.
 */
export function apportion(amountMinor: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  if (sum === 0) return weights.map(() => 0);
  const exact = weights.map((weight) => (amountMinor * weight) / sum);
  const parts = exact.map(Math.floor);
  const remaining = amountMinor - parts.reduce((total, part) => total + part, 0);
  const byRemainder = exact
    .map((value, index) => ({ index, remainder: value % 1 }))
    .sort((a, b) => b.remainder - a.remainder);
  for (const { index } of byRemainder.slice(0, remaining)) parts[index] = (parts[index] ?? 0) + 1;
  return parts;
}
