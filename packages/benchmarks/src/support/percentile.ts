export const median = (values: readonly number[]): number => percentile(values, 50);

/** The smallest value that so many per cent of all do not exceed; NaN of nothing. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;
}
