import type { Chart } from '@switchboard/domain/analytics';
import type { ChartSize } from '@switchboard/domain/ports';
import sharp from 'sharp';
import { renderMarks } from './render-marks.js';

/** For screens with twice as many pixels. */
const SCALE = 2;

export async function drawPng(chart: Chart, { width, height }: ChartSize): Promise<Uint8Array> {
  const marks = await renderMarks(chart, { width, height, theme: 'light' });
  return sharp(Buffer.from(marks), { density: 72 * SCALE })
    .resize({ width: width * SCALE })
    .png({ palette: true })
    .toBuffer();
}
