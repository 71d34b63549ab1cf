import { createHash } from 'node:crypto';
import type { Chart } from '@switchboard/domain/analytics';
import type { ChartStyle } from '@switchboard/domain/ports';
import { dark, light, replaceColors } from './palette.js';
import { renderMarks, sanitize } from './render-marks.js';
import { escapeXml } from './xml-text.js';

/**
 * The chart with what readers need who do not see it: a title, a description, and its values as a table. In the
 * theme `auto` the colors follow the preference of the reader, without a script.
 */
export async function drawSvg(chart: Chart, style: ChartStyle): Promise<string> {
  const marks = await renderMarks(chart, style);
  const { title, description, ...table } = sanitize(chart);
  // Several charts may be in one page.
  const id = `chart-${createHash('sha256')
    .update(JSON.stringify([chart, style]))
    .digest('hex')
    .slice(0, 8)}`;
  const styles =
    style.theme === 'auto'
      ? `<style>@media (prefers-color-scheme:dark){${replaceColors(light, dark)}}</style>`
      : '';
  const opening = /^<svg [^>]*>/.exec(marks)?.[0];
  if (opening === undefined) throw new Error('the drawing is not SVG');
  const content = marks.slice(opening.length, -'</svg>'.length);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" role="figure" aria-labelledby="${id}-title ${id}-text"`,
    ` width="${style.width}" height="${style.height}" viewBox="0 0 ${style.width} ${style.height}"`,
    ` font-family="system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif">`,
    `<title id="${id}-title">${escapeXml(title)}</title><desc id="${id}-text">${escapeXml(description)}</desc>`,
    styles,
    `<g aria-hidden="true">${content}</g>`,
    writeTable(table),
    '</svg>',
  ].join('');
}

/** Invisible, for screen readers. */
function writeTable({
  categoryName,
  categories,
  series,
}: Pick<Chart, 'categoryName' | 'categories' | 'series'>): string {
  const cell = (role: string, text: string) => `<text role="${role}">${escapeXml(text)}</text>`;
  const row = (cells: readonly string[]) => `<g role="row">${cells.join('')}</g>`;
  const header = row(
    [categoryName, ...series.map(({ label }) => label)].map((text) => cell('columnheader', text)),
  );
  const rows = categories.map(({ label }, at) =>
    row([
      cell('rowheader', label),
      ...series.map(({ values }) => cell('cell', values[at] == null ? 'unknown' : String(values[at]))),
    ]),
  );
  return `<g role="table" aria-label="Values" opacity="0" font-size="1" pointer-events="none">${header}${rows.join('')}</g>`;
}
