import { afterAll, expect, test } from '@jest/globals';
import type { Chart } from '@switchboard/domain/analytics';
import sharp from 'sharp';
import { threadCharts } from './index.js';

const charts = threadCharts();
afterAll(() => charts.close());

const chart = (title: string): Chart => ({
  kind: 'bar',
  title,
  description: title,
  categoryName: 'Platform',
  isTime: false,
  unit: 'count',
  categories: [{ key: 'x', label: 'X' }],
  series: [{ label: 'Likes', values: [3] }],
});
const style = { width: 400, height: 200, theme: 'auto' } as const;

test('equal charts are one document with one digest, others are not', async () => {
  const [one, same, other] = await Promise.all([
    charts.draw(chart('One'), style),
    charts.draw(chart('One'), style),
    charts.draw(chart('Two'), style),
  ]);
  expect(one).toEqual(same);
  expect(one.svg).toContain('</svg>');
  expect(one.digest).not.toBe(other.digest);
}, 120_000);

test('an image has twice the pixels, and its texts are drawn without a font of the system', async () => {
  const png = await charts.drawPng(chart('WWWWWWWWWWWWWWWW'), { width: 400, height: 200 });
  const image = sharp(png);
  expect(await image.metadata()).toMatchObject({ format: 'png', width: 800, height: 400 });
  const { data } = await image
    .extract({ left: 24, top: 20, width: 400, height: 40 })
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true });
  expect(data.filter((byte) => byte < 100).length).toBeGreaterThan(500);
}, 120_000);

test('after the thread ended, a new one draws', async () => {
  const own = threadCharts();
  await own.draw(chart('One'), style);
  await own.close();
  expect((await own.draw(chart('Two'), style)).svg).toContain('Two');
  await own.close();
}, 120_000);
