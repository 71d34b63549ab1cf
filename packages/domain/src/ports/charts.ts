import type { Chart } from '../analytics/chart.js';

export interface ChartSize {
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

export interface ChartStyle extends ChartSize {
  /** `auto`: by the preference of the reader. */
  readonly theme: 'auto' | 'light' | 'dark';
}

export interface DrawnChart {
  /** A document without scripts, with a title, a description and a table of its values. */
  readonly svg: string;
  /** Equal for equal documents. */
  readonly digest: string;
}

/** Draws charts outside the thread that serves requests. */
export interface Charts {
  draw(chart: Chart, style: ChartStyle): Promise<DrawnChart>;
  /** In the light theme, for readers without SVG. */
  drawPng(chart: Chart, size: ChartSize): Promise<Uint8Array>;
}
