/** Colors with a contrast of at least 3:1 to their background (WCAG 1.4.11), and texts of 4.5:1 (1.4.3). */
export interface Palette {
  readonly background: string;
  readonly text: string;
  readonly muted: string;
  readonly grid: string;
  /** Distinct with the common color vision deficiencies as well: after Okabe and Ito. */
  readonly series: readonly [string, ...string[]];
}

export const light: Palette = {
  background: '#ffffff',
  text: '#1f2328',
  muted: '#59636e',
  grid: '#d8dee4',
  series: ['#0b63a5', '#c2490a', '#00795b', '#9a3d86', '#8a6100', '#2f7fb8', '#5b4fb0', '#6e6e6e'],
};

export const dark: Palette = {
  background: '#0f1419',
  text: '#e6edf3',
  muted: '#9ba7b4',
  grid: '#303a44',
  series: ['#5aa9e6', '#f28c4b', '#3fc79a', '#df8fc9', '#e0b341', '#8ecdf5', '#a99cf2', '#b5b5b5'],
};

/** Rules that replace the colors of one palette by those of another, in attributes. */
export const replaceColors = (from: Palette, to: Palette): string =>
  [
    [from.background, to.background],
    [from.text, to.text],
    [from.muted, to.muted],
    [from.grid, to.grid],
    ...from.series.map((color, at) => [color, to.series[at] ?? color]),
  ]
    .map(([old, now]) => `[fill="${old}"]{fill:${now}}[stroke="${old}"]{stroke:${now}}`)
    .join('');
