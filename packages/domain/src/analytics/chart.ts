/** What a chart shows, without how it is drawn. */
export interface Chart {
  readonly kind: ChartKind;
  readonly title: string;
  /** One sentence for readers who do not see the chart. */
  readonly description: string;
  /** The horizontal axis of a time chart, or the groups. */
  readonly categories: readonly ChartCategory[];
  readonly isTime: boolean;
  /** The name of the first column of the table: `Day`, `Platform`. */
  readonly categoryName: string;
  readonly series: readonly ChartSeries[];
  /** Counts, or shares between 0 and 1. */
  readonly unit: 'count' | 'share';
}

export const chartKinds = ['line', 'bar', 'stacked'] as const;
export type ChartKind = (typeof chartKinds)[number];

export interface ChartCategory {
  /** Unique within the chart. */
  readonly key: string;
  readonly label: string;
}

export interface ChartSeries {
  readonly label: string;
  /** One for each category; null where it is unknown. */
  readonly values: readonly (number | null)[];
}
