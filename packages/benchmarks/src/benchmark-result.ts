/** The threshold of a benchmark: for its ratio when it has a baseline, else for its value. */
export type Threshold = { readonly at_least: number } | { readonly at_most: number };

/** One measurement as it is printed, a JSON line. */
export interface BenchmarkResult {
  readonly figure: string;
  readonly value: number;
  readonly unit: string;
  readonly compared_with: { readonly what: string; readonly value: number } | null;
  readonly ratio: number | null;
  readonly reach: Threshold;
  readonly met: boolean;
}

interface Measurement {
  readonly figure: string;
  readonly value: number;
  readonly unit: string;
  readonly reach: Threshold;
  /** `ratio` when it is not simply the quotient of the values: for example the median of the rounds. */
  readonly comparedWith?:
    | { readonly what: string; readonly value: number; readonly ratio?: number }
    | undefined;
}

export function toBenchmarkResult({
  figure,
  value,
  unit,
  reach,
  comparedWith,
}: Measurement): BenchmarkResult {
  const ratio = comparedWith ? (comparedWith.ratio ?? value / comparedWith.value) : null;
  return {
    figure,
    value: roundDigits(value),
    unit,
    compared_with: comparedWith ? { what: comparedWith.what, value: roundDigits(comparedWith.value) } : null,
    ratio: ratio === null ? null : roundDigits(ratio),
    reach,
    met: meetsThreshold(ratio ?? value, reach),
  };
}

/** A value that is not a number was not measured, and meets no threshold. */
const meetsThreshold = (measured: number, reach: Threshold): boolean =>
  'at_least' in reach ? measured >= reach.at_least : measured <= reach.at_most;

/** Three significant digits; whole numbers stay whole. */
const roundDigits = (value: number): number =>
  value >= 1000 ? Math.round(value) : Number(value.toPrecision(3));
