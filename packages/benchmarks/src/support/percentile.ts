export const median = (values: readonly number[]): number => percentile(values, 50);

/** The smallest value that the given percentage of all values does not exceed; NaN for no values. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;
}
