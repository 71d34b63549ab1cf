import type { Chart } from '@switchboard/domain/analytics';
import type { ChartSize, ChartStyle } from '@switchboard/domain/ports';

export type DrawingTask =
  | { readonly format: 'svg'; readonly chart: Chart; readonly style: ChartStyle }
  | { readonly format: 'png'; readonly chart: Chart; readonly size: ChartSize };

export interface DrawingRequest {
  readonly id: number;
  readonly task: DrawingTask;
}

export type DrawingResponse = { readonly id: number } & (
  | { readonly drawing: string | Uint8Array }
  | { readonly error: string }
);
