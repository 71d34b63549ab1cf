import type { Chart } from '@switchboard/domain/analytics';
import type { ChartStyle } from '@switchboard/domain/ports';
import * as vega from 'vega';
import { buildSpec } from './build-spec.js';
import { dark, light } from './palette.js';
import { widthOf } from './text-width.js';
import { toXmlText } from './xml-text.js';

/** Exported by Vega, and missing in its types. */
interface MeasuredText {
  readonly fontSize?: number;
  readonly fontWeight?: unknown;
  readonly limit?: number;
}
interface TextMetrics {
  width: (item: MeasuredText, text: string | number | null) => number;
}

// The layout is computed by the same widths as the texts; the default is 0.8 of the size for every letter.
const { textMetrics } = vega as unknown as { readonly textMetrics: TextMetrics };
textMetrics.width = ({ fontSize = 11, fontWeight, limit = 0 }, text) => {
  const width = widthOf(String(text ?? ''), fontSize, fontWeight === 600);
  // Vega cuts a text by an estimate of its own, which may leave more than the limit.
  return limit > 0 ? Math.min(width, limit * 1.2) : width;
};

/** The drawing alone, as an SVG document. */
export async function renderMarks(chart: Chart, { width, height, theme }: ChartStyle): Promise<string> {
  const palette = theme === 'dark' ? dark : light;
  const spec = buildSpec(sanitize(chart), { width, height, palette });
  const view = new vega.View(vega.parse(spec), { renderer: 'none', logLevel: vega.Error });
  try {
    return await view.toSVG();
  } finally {
    view.finalize();
  }
}

/** Without characters that XML cannot contain, wherever a caller or an account owner chose the text. */
export const sanitize = (chart: Chart): Chart => ({
  ...chart,
  title: toXmlText(chart.title),
  description: toXmlText(chart.description),
  categoryName: toXmlText(chart.categoryName),
  categories: chart.categories.map(({ key, label }) => ({ key, label: toXmlText(label) })),
  series: chart.series.map(({ label, values }) => ({ label: toXmlText(label), values })),
});
