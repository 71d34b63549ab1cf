/** What a figure has to reach, as its ratio where it is compared with something, as its value where it is not. */
export type Reach = { readonly at_least: number } | { readonly at_most: number };

/** One measurement as it is printed, a JSON line. */
export interface Figure {
  readonly figure: string;
  readonly value: number;
  readonly unit: string;
  readonly compared_with: { readonly what: string; readonly value: number } | null;
  readonly ratio: number | null;
  readonly reach: Reach;
  readonly met: boolean;
}

interface Measured {
  readonly figure: string;
  readonly value: number;
  readonly unit: string;
  readonly reach: Reach;
  /** `ratio` where it is not simply one value by the other: the median of the rounds, say. */
  readonly comparedWith?:
    { readonly what: string; readonly value: number; readonly ratio?: number } | undefined;
}

export function figureOf({ figure, value, unit, reach, comparedWith }: Measured): Figure {
  const ratio = comparedWith ? (comparedWith.ratio ?? value / comparedWith.value) : null;
  return {
    figure,
    value: rounded(value),
    unit,
    compared_with: comparedWith ? { what: comparedWith.what, value: rounded(comparedWith.value) } : null,
    ratio: ratio === null ? null : rounded(ratio),
    reach,
    met: reached(ratio ?? value, reach),
  };
}

/** What is no number was not measured, and has not met anything. */
const reached = (measured: number, reach: Reach): boolean =>
  'at_least' in reach ? measured >= reach.at_least : measured <= reach.at_most;

/** Three digits that mean something; whole numbers stay whole. */
const rounded = (value: number): number => (value >= 1000 ? Math.round(value) : Number(value.toPrecision(3)));
