import type { Chart } from '@switchboard/domain/analytics';
import type { ChartSize } from '@switchboard/domain/ports';
import type { Axis, Data, Legend, Mark, Scale, Spec } from 'vega';
import type { Palette } from './palette.js';
import { widthOf } from './text-width.js';

interface SpecOptions extends ChartSize {
  readonly palette: Palette;
}

interface ChartRow {
  readonly at: string;
  readonly series: string;
  readonly value: number;
}

const FONT = 'sans-serif';
const TITLE_SIZE = 14;
const TEXT_SIZE = 12;

/** The chart as a specification of Vega. Texts are data: they never become part of an expression. */
export function buildSpec(chart: Chart, { width, height, palette }: SpecOptions): Spec {
  const rows = listRows(chart);
  const isHorizontal = !chart.isTime;
  const names = chart.series.map((_, at) => String(at));
  const hasLegend = chart.series.length > 1;
  const labelLimit = Math.round(width * 0.36);
  return {
    width,
    height,
    padding: 14,
    autosize: { type: 'fit', contains: 'padding' },
    background: palette.background,
    title: {
      text: wrap(chart.title, width - 28),
      anchor: 'start' as const,
      frame: 'bounds' as const,
      font: FONT,
      fontSize: TITLE_SIZE,
      fontWeight: 600,
      color: palette.text,
      offset: hasLegend ? 8 : 14,
    },
    signals: [
      { name: 'labels', value: chart.categories.map(({ label }) => label) },
      { name: 'names', value: chart.series.map(({ label }) => label) },
    ],
    data: [
      { name: 'rows', values: [...rows] },
      { name: 'unknown', values: [...listUnknown(chart)] },
      ...stackedData(chart),
    ],
    scales: buildScales(chart, names, palette, isHorizontal),
    axes: rows.length === 0 ? [] : buildAxes(chart, palette, isHorizontal, labelLimit, width),
    legends: hasLegend ? [buildLegend(chart, palette, isHorizontal ? width - labelLimit : width)] : [],
    marks:
      rows.length === 0
        ? [noData(palette)]
        : [...buildMarks(chart, palette, isHorizontal), ...(isHorizontal ? [unknownValues(palette)] : [])],
  };
}

/** The known values: an unknown one leaves a gap. */
const listRows = ({ categories, series }: Chart): readonly ChartRow[] =>
  series.flatMap(({ values }, number) =>
    categories.flatMap((_, at) => {
      const value = values[at] ?? null;
      return value === null ? [] : [{ at: String(at), series: String(number), value }];
    }),
  );

/** The groups without a known value: a reader must not take them for zero. */
const listUnknown = ({ categories, series }: Chart): readonly { readonly at: string }[] =>
  categories.flatMap((_, at) =>
    series.every(({ values }) => (values[at] ?? null) === null) ? [{ at: String(at) }] : [],
  );

const stackedData = ({ kind }: Chart): Data[] =>
  kind === 'stacked'
    ? [
        {
          name: 'stacked',
          source: 'rows',
          transform: [{ type: 'stack', groupby: ['at'], field: 'value', sort: { field: 'series' } }],
        },
      ]
    : [];

function buildScales(chart: Chart, names: string[], { series }: Palette, isHorizontal: boolean): Scale[] {
  const categories = chart.categories.map((_, at) => String(at));
  const range = isHorizontal ? 'height' : 'width';
  const field = chart.kind === 'stacked' ? ['start', 'end'] : ['value'];
  return [
    chart.kind === 'line'
      ? { name: 'place', type: 'point', domain: categories, range, padding: 0.5 }
      : { name: 'place', type: 'band', domain: categories, range, paddingInner: 0.25, paddingOuter: 0.15 },
    {
      name: 'amount',
      type: 'linear',
      domain: {
        fields: field.map((name) => ({
          data: chart.kind === 'stacked' ? 'stacked' : 'rows',
          field: stackField(name),
        })),
      },
      range: isHorizontal ? 'width' : 'height',
      nice: true,
      zero: true,
    },
    { name: 'color', type: 'ordinal', domain: names, range: [...series] },
  ];
}

const stackField = (name: string) => (name === 'start' ? 'y0' : name === 'end' ? 'y1' : name);

function buildAxes(
  chart: Chart,
  palette: Palette,
  isHorizontal: boolean,
  labelLimit: number,
  width: number,
): Axis[] {
  const text = {
    labelColor: palette.muted,
    labelFont: FONT,
    labelFontSize: TEXT_SIZE,
    domainColor: palette.muted,
  };
  const amount: Axis = {
    ...text,
    orient: isHorizontal ? 'bottom' : 'left',
    scale: 'amount',
    grid: true,
    gridColor: palette.grid,
    domain: false,
    ticks: false,
    labelPadding: 6,
    tickCount: isHorizontal ? Math.max(3, Math.floor(width / 130)) : 5,
    encode: {
      labels: {
        update: { text: { signal: `format(datum.value, '${chart.unit === 'share' ? '.1~%' : '~s'}')` } },
      },
    },
  };
  const place: Axis = {
    ...text,
    orient: isHorizontal ? 'left' : 'bottom',
    scale: 'place',
    domain: !isHorizontal,
    ticks: false,
    labelPadding: 6,
    labelLimit,
    labelColor: palette.text,
    ...(isHorizontal ? {} : { labelOverlap: 'greedy' as const, labelSeparation: 8 }),
    encode: {
      labels: { update: { text: { signal: isHorizontal ? 'labels[+datum.value]' : timeLabel(chart) } } },
    },
  };
  return [amount, place];
}

/** "Nov 3", or "Nov 2026" for a month. */
const timeLabel = ({ categoryName }: Chart) =>
  `utcFormat(utcParse(labels[+datum.value], '%Y-%m-%d'), '${categoryName === 'Month' ? '%b %Y' : '%b %-d'}')`;

/** Beside the labels of a horizontal chart, as Vega aligns a legend with the bars. */
function buildLegend({ series, kind }: Chart, palette: Palette, width: number): Legend {
  const labelLimit = Math.round(Math.min(width - 60, Math.max(width * 0.5, 150)));
  const widest = Math.max(...series.map(({ label }) => widthOf(label, TEXT_SIZE)));
  return {
    ...(kind === 'line' ? { stroke: 'color' } : { fill: 'color' }),
    orient: 'top',
    direction: 'horizontal',
    columns: Math.max(1, Math.floor((width - 40) / (Math.min(widest, labelLimit) + 34))),
    columnPadding: 14,
    labelColor: palette.text,
    labelFont: FONT,
    labelFontSize: TEXT_SIZE,
    labelLimit,
    symbolType: kind === 'line' ? 'stroke' : 'square',
    symbolStrokeWidth: kind === 'line' ? 3 : 0,
    symbolSize: 120,
    offset: 6,
    encode: { labels: { update: { text: { signal: 'names[+datum.value]' } } } },
  };
}

const noData = ({ muted }: Palette): Mark => ({
  type: 'text',
  encode: {
    enter: {
      x: { signal: 'width / 2' },
      y: { signal: 'height / 2' },
      align: { value: 'center' },
      text: { value: 'No values are known.' },
      font: { value: FONT },
      fontSize: { value: TITLE_SIZE },
      fill: { value: muted },
    },
  },
});

function buildMarks(chart: Chart, palette: Palette, isHorizontal: boolean): Mark[] {
  switch (chart.kind) {
    case 'line':
      return [lines()];
    case 'stacked':
      return [stackedBars(isHorizontal)];
    case 'bar':
      return [
        bars(chart, isHorizontal),
        ...(isHorizontal && chart.series.length === 1 ? [amounts(chart, palette)] : []),
      ];
  }
}

/** Points show a value between two gaps. */
const lines = (): Mark => ({
  type: 'group',
  from: { facet: { name: 'one', data: 'rows', groupby: 'series' } },
  data: [
    {
      name: 'runs',
      source: 'one',
      transform: [
        { type: 'window', ops: ['row_number'], as: ['order'] },
        { type: 'formula', as: 'run', expr: '+datum.at - datum.order' },
      ],
    },
  ],
  marks: [
    {
      type: 'group',
      from: { facet: { name: 'run', data: 'runs', groupby: 'run' } },
      marks: [
        {
          type: 'line',
          from: { data: 'run' },
          encode: {
            enter: {
              x: { scale: 'place', field: 'at' },
              y: { scale: 'amount', field: 'value' },
              stroke: { scale: 'color', field: 'series' },
              strokeWidth: { value: 2 },
              strokeJoin: { value: 'round' },
            },
          },
        },
      ],
    },
    {
      type: 'symbol',
      from: { data: 'one' },
      encode: {
        enter: {
          x: { scale: 'place', field: 'at' },
          y: { scale: 'amount', field: 'value' },
          fill: { scale: 'color', field: 'series' },
          size: { value: 18 },
        },
      },
    },
  ],
});

function stackedBars(isHorizontal: boolean): Mark {
  const along = { scale: 'amount', field: 'y0' };
  const end = { scale: 'amount', field: 'y1' };
  const across = { scale: 'place', field: 'at' };
  const thickness = { scale: 'place', band: 1 };
  return {
    type: 'rect',
    from: { data: 'stacked' },
    encode: {
      enter: {
        ...(isHorizontal
          ? { x: along, x2: end, y: across, height: thickness }
          : { y: along, y2: end, x: across, width: thickness }),
        fill: { scale: 'color', field: 'series' },
      },
    },
  };
}

/** Several bars of one category are beside each other. */
function bars({ series }: Chart, isHorizontal: boolean): Mark {
  const share = { scale: 'place', band: 1 / series.length };
  const position = isHorizontal ? 'y' : 'x';
  const size = isHorizontal ? 'height' : 'width';
  const [from, to] = isHorizontal ? ['x', 'x2'] : ['y', 'y2'];
  return {
    type: 'rect',
    from: { data: 'rows' },
    encode: {
      enter: {
        [position]: {
          scale: 'place',
          field: 'at',
          offset: { signal: `+datum.series * bandwidth('place') / ${series.length}` },
        },
        [size]: share,
        [from]: { scale: 'amount', field: 'value' },
        [to]: { scale: 'amount', value: 0 },
        fill: { scale: 'color', field: 'series' },
      },
    },
  };
}

/** The number at the end of its bar. */
const amounts = ({ unit }: Chart, { text }: Palette): Mark => ({
  type: 'text',
  from: { data: 'rows' },
  encode: {
    enter: {
      x: { scale: 'amount', field: 'value', offset: { signal: 'datum.value < 0 ? -4 : 4' } },
      y: { scale: 'place', field: 'at', band: 0.5 },
      align: { signal: "datum.value < 0 ? 'right' : 'left'" },
      baseline: { value: 'middle' },
      text: { signal: `format(datum.value, '${unit === 'share' ? '.1~%' : ',~r'}')` },
      font: { value: FONT },
      fontSize: { value: TEXT_SIZE },
      fill: { value: text },
    },
  },
});

const unknownValues = ({ muted }: Palette): Mark => ({
  type: 'text',
  from: { data: 'unknown' },
  encode: {
    enter: {
      x: { scale: 'amount', value: 0, offset: 4 },
      y: { scale: 'place', field: 'at', band: 0.5 },
      baseline: { value: 'middle' },
      text: { value: 'unknown' },
      font: { value: FONT },
      fontSize: { value: TEXT_SIZE },
      fontStyle: { value: 'italic' },
      fill: { value: muted },
    },
  },
});

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf(`${last} ${word}`, TITLE_SIZE, true) <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
