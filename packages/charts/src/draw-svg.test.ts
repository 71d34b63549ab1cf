import { describe, expect, test } from '@jest/globals';
import type { Chart } from '@switchboard/domain/analytics';
import { Parser } from 'htmlparser2';
import { drawSvg } from './draw-svg.js';
import { dark, light, type Palette } from './palette.js';

const days = ['2026-11-01', '2026-11-02', '2026-11-03'].map((label) => ({ key: label, label }));
const chart = (over: Partial<Chart> = {}): Chart => ({
  kind: 'line',
  title: 'Likes per day, 2026-11-01 to 2026-11-03',
  description: 'Likes per day. Highest: 9.',
  categoryName: 'Day',
  isTime: true,
  unit: 'count',
  categories: days,
  series: [
    { label: 'Bluesky', values: [1, null, 9] },
    { label: 'Mastodon', values: [2, 3, 4] },
  ],
  ...over,
});
const style = { width: 720, height: 360, theme: 'auto' } as const;

interface SvgElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  text: string;
}

/** The elements of a document, with the text of each; fails where it is not XML. */
function readElements(svg: string): readonly SvgElement[] {
  const open: SvgElement[] = [];
  const all: SvgElement[] = [];
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        const element = { name, attributes, text: '' };
        open.push(element);
        all.push(element);
      },
      ontext: (text) => {
        const [last] = open.slice(-1);
        if (last) last.text += text;
      },
      onclosetag: (name, isImplied) => {
        expect([open.pop()?.name, isImplied]).toEqual([name, isImplied]);
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(svg);
  expect(open).toEqual([]);
  return all;
}

const hostile = [
  '<script>alert(1)</script>',
  '"><image href="https://evil.example/x" onload="alert(1)"/>',
  ']]><foreignObject/>',
  'a\u0000b\ud800c\u202ed',
  "'; labels[0] //",
  '&lt;b&gt; &amp; &#60;',
] as const;

describe.each(['line', 'bar', 'stacked'] as const)('a %s chart', (kind) => {
  test('has a title, a description, and every value in a table', async () => {
    const elements = readElements(await drawSvg(chart({ kind }), style));
    const [root] = elements;
    const textOf = (id: string) => elements.find(({ attributes }) => attributes['id'] === id)?.text;
    expect(root?.attributes['role']).toBe('figure');
    expect(root?.attributes['aria-labelledby']?.split(' ').map(textOf)).toEqual([
      'Likes per day, 2026-11-01 to 2026-11-03',
      'Likes per day. Highest: 9.',
    ]);
    const ofRole = (...roles: readonly string[]) =>
      elements.filter(({ attributes }) => roles.includes(attributes['role'] ?? '')).map(({ text }) => text);
    expect(ofRole('columnheader')).toEqual(['Day', 'Bluesky', 'Mastodon']);
    expect(ofRole('rowheader', 'cell')).toEqual([
      ...['2026-11-01', '1', '2'],
      ...['2026-11-02', 'unknown', '3'],
      ...['2026-11-03', '9', '4'],
    ]);
  });

  test('runs and loads nothing, whatever its texts are', async () => {
    const texts = hostile.map((label, at) => ({ key: String(at), label }));
    const elements = readElements(
      await drawSvg(
        chart({
          kind,
          title: hostile[0],
          description: hostile[1],
          categoryName: hostile[2],
          isTime: false,
          categories: texts,
          series: texts.map(({ label }, at) => ({ label, values: texts.map((_, place) => at + place) })),
        }),
        style,
      ),
    );
    expect([...new Set(elements.map(({ name }) => name))].sort()).toEqual(
      expect.not.arrayContaining(['script', 'foreignObject', 'image', 'a', 'use', 'iframe', 'b']),
    );
    const attributes = elements.flatMap((element) => Object.keys(element.attributes));
    expect(attributes.filter((name) => /^on|href$/i.test(name))).toEqual([]);
    expect(elements.map(({ text }) => text).join('\n')).toContain(hostile[0]);
    expect(elements.map(({ text }) => text).join('')).not.toMatch(/[\u0000\u202e]/v);
  });

  test('draws unknown values as nothing, and says so where nothing is known', async () => {
    const nothing = await drawSvg(
      chart({ kind, series: [{ label: 'Likes', values: [null, null, null] }] }),
      style,
    );
    expect(nothing).toContain('No values are known.');
    expect(nothing).not.toContain('NaN');
    const groups = chart({ kind: 'bar', isTime: false, series: [{ label: 'Likes', values: [0, null, 4] }] });
    expect((await drawSvg(groups, style)).match(/>unknown</g)).toHaveLength(2);
  });
});

test('negative values, zero alone and one day are drawn', async () => {
  for (const values of [[-5, 3, -2], [0, 0, 0], [7]]) {
    for (const kind of ['line', 'bar', 'stacked'] as const) {
      const drawn = await drawSvg(
        chart({ kind, categories: days.slice(0, values.length), series: [{ label: 'Likes', values }] }),
        style,
      );
      expect(drawn).not.toMatch(/NaN|Infinity|undefined/);
    }
  }
});

test('a theme has its colors, and `auto` those of the dark one by the preference of the reader', async () => {
  const drawn = await Promise.all(
    (['auto', 'light', 'dark'] as const).map((theme) => drawSvg(chart(), { ...style, theme })),
  );
  expect(drawn.map((svg) => svg.includes('prefers-color-scheme'))).toEqual([true, false, false]);
  expect(drawn.map((svg) => svg.includes(`fill="${dark.background}"`))).toEqual([false, false, true]);
  expect(drawn[0]).toContain(`[stroke="${light.series[0]}"]{stroke:${dark.series[0]}}`);
});

/** The contrast ratio of WCAG 2.2. */
function contrast(one: string, other: string): number {
  const luminance = (color: string) => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5]
      .map((at) => parseInt(color.slice(at, at + 2), 16) / 255)
      .map((share) => (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

test.each([
  ['light', light],
  ['dark', dark],
] as [string, Palette][])('texts and lines of the %s theme have enough contrast', (_name, palette) => {
  for (const text of [palette.text, palette.muted])
    expect(contrast(text, palette.background)).toBeGreaterThanOrEqual(4.5);
  for (const color of palette.series) expect(contrast(color, palette.background)).toBeGreaterThanOrEqual(3);
});
